import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { ana, uma } from '../../src/testing/adapter-play.ts'
import { violationsOf } from '../support/axe.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'
import { promise } from '../support/promise.ts'
import { buildPage, serveChat } from './chat-page/serve-chat.ts'

const SOON = { timeout: 60_000, interval: 50 }
let browser: Browser
let script: string

beforeAll(async () => {
  ;[browser, script] = await Promise.all([borrowBrowser(), buildPage('assistant-ui.ts')])
}, 300_000)

afterAll(() => giveBack(browser))

promise(
  ['CS-SDK-16'],
  'in a thread of assistant-ui the card shows what the approvals know, and an answer given on it counts where it may',
  async () => {
    const served = await serveChat(script)
    served.signIn(uma)
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    onTestFinished(async () => {
      await context.close()
      await served.close()
    })
    await page.goto(served.url)
    const args = { to: 'Lena', amount: 40, api_key: 'sk-live-0123456789abcdef' }
    const calls = [
      { id: 'c1', tool: 'pay', args },
      { id: 'c2', tool: 'pay', args: { to: 'Omar', amount: 7 } },
      { id: 'c3', tool: 'wire', args: { to: 'Northwind', amount: 18_400 } },
    ]
    await page.getByLabel('Message').fill(JSON.stringify(calls))
    await page.getByRole('button', { name: 'Send' }).click()
    const card = (id: string) => page.locator(`[data-call="${id}"]`)
    await card('c1').getByText('Waiting for your answer').waitFor()
    expect(await card('c1').innerText()).toContain('Pay 40 to Lena?')
    expect(await card('c1').innerText()).not.toContain('sk-live')
    // Others decide about this one: no button, and the way to the inbox.
    await card('c3').getByText('Waiting for people').waitFor()
    expect(await card('c3').getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(await card('c3').getByRole('link').count()).toBe(1)
    expect(await violationsOf(page, '[data-call]')).toEqual([])
    await card('c1').getByRole('button', { name: 'Approve' }).click()
    await card('c2').getByLabel('Reason for denying').fill('Not Omar')
    await card('c2').getByRole('button', { name: 'Deny' }).click()
    const { approvals } = served.gate
    const left = await vi.waitFor(async () => {
      const { approvals: open } = await approvals.list({ status: ['pending'] })
      expect(open).toHaveLength(1)
      return open[0]
    }, SOON)
    expect(served.ran).toEqual([])
    const { id = '', digest: seen = '' } = left ?? {}
    await approvals.decide(id, { by: ana, verdict: 'approve', seen })
    await vi.waitFor(() => expect(served.ran).toHaveLength(2), SOON)
    await card('c3').getByText('Ran', { exact: true }).waitFor()
    await card('c2').getByText('Does not run').waitFor()
    expect(served.ran.map((one) => (one as { tool: string }).tool).sort()).toEqual(['pay', 'wire'])
    expect(problems).toEqual([])
  },
  120_000,
)
