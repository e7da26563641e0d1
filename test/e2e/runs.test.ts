import { expect, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { countersign } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { goTo, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const inbox = realInbox('version: 1\ntools: { pay: { approval: { approvers: ["*"] } } }\n')

promise(
  ['CS-FLOW-10', 'CF-15', 'CF-16'],
  'what a workflow reports is on the page of its run, as plain text, in the inbox and in the terminal',
  async () => {
    const { server } = inbox
    const run = 'cloudflare:expense-7/once'
    const workflow = { name: 'Expenses', done: ['validate'], next: ['process'] }
    const { id } = await server.ask({
      tool: 'pay',
      args: { amount: 7 },
      run,
      context: { workflow },
    })
    const hostile = 'Approved by ana <img src=x onerror=alert(1)> \u202egnp.exe'
    const { approvals } = remoteGate({ url: server.url, token: server.token, announce: false })
    for (const report of [
      { type: 'progress', progress: { step: 'process', status: 'running', percent: 0.25 } },
      { type: 'error', error: hostile },
    ] as const) {
      await approvals.report(id, report)
    }
    const page = await inbox.seat('ana@example.com')
    await page.locator(`[data-row="${id}"]`).click()
    await page.getByRole('link', { name: 'expense-7' }).click()
    await page.getByRole('heading', { name: 'expense-7' }).waitFor()
    expect(await page.evaluate(() => location.pathname)).toBe(`/runs/${id}`)
    const reported = page.getByRole('region', { name: 'Reported by the workflow' })
    await reported.getByText('process · running · 25 %').waitFor()
    const words = await reported.innerText()
    expect(words).toContain('Approved by ana <img src=x onerror=alert(1)>')
    // Drawn, so that it cannot turn the rest around.
    expect(words).not.toContain('\u202e')
    expect(await page.locator('main img').count()).toBe(0)
    await page.locator('header').getByText('Reported an error').waitFor()
    const asked = page.locator(`a[href="/approvals/${id}"]`)
    expect(await asked.innerText()).toContain('Waiting')

    // It comes by itself to whoever has the page open.
    await approvals.report(id, { type: 'complete', result: { paid: 7 } })
    await page.locator('header').getByText('Reported complete').waitFor()
    await reported.getByText('{"paid":7}').waitFor()
    await goTo(page, '/runs/nothing')
    await page.getByText('There is no such run.').waitFor()

    const { stdout } = await countersign(['show', id, '--run'], { cwd: server.cwd })
    expect(stdout).toMatch(/RUN +expense-7 +on cloudflare +by /)
    expect(stdout).toContain('complete > {"paid":7}')
    expect(stdout).toContain('done: validate')
    expect(stdout).not.toContain('\u202e')
    const json = await countersign(['show', id, '--run', '--json'], { cwd: server.cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({ reports: [{}, {}, { type: 'complete' }] })
  },
)
