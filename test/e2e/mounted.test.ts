import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { createCountersign } from '../../src/app/create-countersign.ts'
import { inboxFiles } from '../../src/app/node.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let browser: Browser
beforeAll(async () => {
  await ensureInbox()
  browser = await borrowBrowser()
})
afterAll(() => giveBack(browser))

promise(['CS-MOUNT-1'], 'the inbox works below a path of another program', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const store = memoryStore()
  const countersign = createCountersign({
    store,
    policy: definePolicy({ tools: { pay: { approval: true } } }),
    publicUrl: `${origin}/team/approvals`,
    inbox: inboxFiles(),
    demo: true,
  })
  const asked: string[] = []
  server.on(
    'request',
    getRequestListener(
      (request, env) => {
        asked.push(new URL(request.url).pathname)
        return asked.at(-1)?.startsWith('/team/approvals')
          ? countersign.fetch(request, env)
          : new Response('of the host', { status: 404 })
      },
      { overrideGlobalObjects: false },
    ),
  )
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await countersign.close()
    await store.close()
  })
  await countersign.ready()
  const roles = ['viewer', 'approver', 'admin'] as const
  const link = await countersign.signInLink({ email: 'ana@example.com', roles })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.text().includes('401')) return
    problems.push(`${message.text()}: ${message.location().url}`)
  })
  await page.goto(link)
  await page.getByRole('button', { name: /demo agent/ }).click()
  await page.getByText("Send 'Planning on Thursday at 10:00'").first().click()
  const approve = page.getByRole('button', { name: /^Approve/ }).last()
  await expect.poll(() => approve.isEnabled()).toBe(true)
  await approve.click()
  await expect
    .poll(async () => (await store.list({ execution: ['succeeded'] })).approvals.length)
    .toBeGreaterThan(0)
  // Pages that are loaded when they are opened, by link and by address.
  await page.getByRole('link', { name: 'History' }).first().click()
  await page.locator('table').getByText('sample_send_mail').first().waitFor()
  expect(page.url()).toBe(`${origin}/team/approvals/history`)
  await page.reload()
  await page.locator('table').getByText('sample_send_mail').first().waitFor()
  await page.getByRole('link', { name: 'Policy' }).first().click()
  await page.waitForURL(`${origin}/team/approvals/policy`)
  await page.getByText('Active rules').first().waitFor()
  await expect.poll(() => asked.filter((path) => path.endsWith('/v1/policy/draft'))).not.toEqual([])
  // A question that arrives while the page is open is shown: the stream has its path as well.
  await page.getByRole('link', { name: /Inbox/ }).first().click()
  const gate = countersign.gate.with({ agent: 'bot', run: 'r' })
  const told = gate.run(
    { tool: 'pay', args: { amount: 4711 } },
    { name: 'pay', run: () => 'paid' },
    { waitFor: '1s' },
  )
  await page.getByText(/pay/).first().waitFor()
  await told
  expect(problems).toEqual([])
  expect(asked.filter((path) => !path.startsWith('/team/approvals'))).toEqual([])
  expect(asked.filter((path) => path === '/team/approvals/v1/events')).not.toEqual([])
})
