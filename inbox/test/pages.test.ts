import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../test/support/browser.ts'
import { ensureInbox } from '../build.ts'
import { BO, callOf } from '../dev/calls.ts'
import { editedBy, type FakeOptions, type FakeServer, startFakeServer } from '../dev/fake-server.ts'
import { viewCalls } from '../dev/views.ts'
import { barriers, type OpenPage, openPage, readToEnd, type View } from './browser-page.ts'

let browser: Browser
let folder: string
let server: FakeServer
let opened: OpenPage

beforeAll(async () => {
  folder = await ensureInbox()
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser?.close())
afterEach(async () => {
  await opened?.close()
  await server?.stop()
})

async function open(path: string, options: Partial<FakeOptions> = {}, view: View = {}) {
  server = await startFakeServer({ page: folder, signedIn: true, ...options })
  opened = await openPage(browser, `${server.url}${path}`, view)
  return opened.page
}

test('a link signs in once and leaves no trace in the address', async () => {
  const page = await open('/#signin=sample-token', { signedIn: false })
  await page.locator('[data-row]').first().waitFor()
  expect(page.url()).not.toContain('signin')
  await page.goto(`${server.url}/#signin=sample-token`)
  await page.getByText('This link was used already').waitFor()
  expect(opened.problems).toEqual([])
})

test('somebody without a session is told how to get one, and a pasted link works', async () => {
  const page = await open('/approvals/ap_7q2m', { signedIn: false })
  await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor()
  await page.getByLabel('Or paste the link here').fill(`${server.url}/#signin=sample-token`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Approve transfer of $18400?' }).waitFor()
})

test('with nothing waiting the page says so, and starts the sample agent', async () => {
  const page = await open('/', { calls: [] })
  await page.getByRole('heading', { name: 'Nothing is waiting' }).waitFor()
  await page.getByRole('button', { name: 'Start the demo agent' }).click()
  await page.locator('[data-row]').first().waitFor()
})

test('the sample agent is not offered where there is none', async () => {
  const page = await open('/', { calls: [], demo: false })
  await page.getByText('Policy loaded: 5 rules').waitFor()
  expect(await page.getByRole('button', { name: 'Start the demo agent' }).count()).toBe(0)
})

test('history tells what was decided from what happened', async () => {
  const page = await open('/history')
  const row = (text: string) => page.locator('tbody tr', { hasText: text })
  await row('write_file').waitFor()
  expect(await row('write_file').innerText()).toMatch(/Approved[\s\S]*Never used/)
  expect(await row('edit_file').innerText()).toMatch(
    /Invalidated[\s\S]*Did not run[\s\S]*tool changed/,
  )
  await page.getByRole('button', { name: 'Needs a look' }).click()
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await page.getByRole('link', { name: 'payments/transfer_money' }).click()
  await page.getByText('Lost: outcome unknown').waitFor()
})

test('an unknown outcome is written down by a person, with how they know', async () => {
  const page = await open('/history/ap_h2')
  await page.getByRole('button', { name: 'Write down what happened' }).click()
  const save = page.getByRole('button', { name: 'Save' })
  expect(await save.isDisabled()).toBe(true)
  await page.getByLabel('It succeeded').check()
  await page.getByLabel('How you know').fill('The bank statement shows it.')
  await save.click()
  await page.getByText('A person checked: it succeeded.').waitFor()
  await page.getByText('Ana wrote down that it succeeded').waitFor()
})

test('a yes that was not used yet can be taken back', async () => {
  const page = await open('/approvals/ap_h9')
  await page.getByRole('button', { name: 'Revoke this yes' }).click()
  await page.getByText('The yes was taken back before it was used.', { exact: false }).waitFor()
  expect(server.sent[0]?.body.verdict).toBe('deny')
})

test('the policy page explains a call, and sends it as it was typed', async () => {
  const page = await open('/policy')
  await page.getByText('changed on disk, not active').waitFor()
  const sent = page.waitForRequest('**/v1/policy/explain')
  await page
    .getByLabel('A call, as JSON')
    .fill('{"tool":"pay","args":{"n":1,"n":12345678901234567890}}')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  expect((await sent).postData()).toBe('{"tool":"pay","args":{"n":1,"n":12345678901234567890}}')
  await page.getByText('This cannot be tested, so it counts against the call.').waitFor()
  expect(opened.problems).toEqual([])
})

test('a call that does not exist is said to be absent', async () => {
  const page = await open('/approvals/ap_nothing')
  await page.getByText('There is no such call, or it is not yours to see.').waitFor()
})

/** The two that differ most; `npm run proof views` looks at all of them. */
const VIEWS: readonly View[] = [
  { colorScheme: 'light' },
  { colorScheme: 'dark', width: 320, height: 640 },
  ...(process.env.COUNTERSIGN_VIEWS === 'all'
    ? [{ colorScheme: 'dark' } as const, { colorScheme: 'light', width: 1024 } as const]
    : []),
]

test.each([
  ['/', 'text=transfer_money', {}],
  ['/approvals/ap_7q2m', 'text=Computed by Countersign', {}],
  ['/approvals/ap_8h41', 'text=Computed by Countersign', {}],
  ['/approvals/ap_1m7t', 'text=Computed by Countersign', {}],
  ['/approvals/ap_h2', 'text=Its outcome is unknown', {}],
  ['/history', 'text=Invalidated', {}],
  ['/history/ap_h1', 'text=What was decided about', {}],
  ['/policy', 'text=Active rules', {}],
  ['/tools', 'text=run without asking', {}],
  [
    '/tools',
    'text=No servers.',
    {
      servers: { servers: [], own: [], ways: [], countedSince: 0, now: 0, can: [] },
    },
  ],
  ['/audit', 'text=Signed in', {}],
  ['/audit', 'text=The chain is broken', { brokenChain: true }],
  ['/people', 'text=release-bot', {}],
  ['/people', 'text=Admins add people', { viewer: true }],
  ['/', 'text=Nothing is waiting', { calls: [] }],
  ['/', 'text=Sign in to decide', { signedIn: false }],
  ...viewCalls(Date.now()).map(
    ({ id }) => [`/approvals/${id}`, '[data-block]', { calls: viewCalls(Date.now()) }] as const,
  ),
] as const)(
  'anyone can use %s (%s), in both themes, wide and narrow',
  async (path, sign, options) => {
    for (const view of VIEWS) {
      const page = await open(path, options, view)
      await page.locator(sign).first().waitFor()
      await page.waitForTimeout(200)
      expect({ view, found: await barriers(page), problems: opened.problems }).toEqual({
        view,
        found: [],
        problems: [],
      })
      await opened.close()
      await server.stop()
    }
  },
  120_000,
)

test('every page says so while the policy is only watched', async () => {
  const page = await open('/', { observing: true })
  const banner = page.getByRole('status').filter({ hasText: 'Observing.' })
  await banner.waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'History' }).first().click()
  await page.waitForURL('**/history')
  expect(await banner.isVisible()).toBe(true)
  await opened.close()
  await server.stop()
  const other = await open('/')
  await other.locator('[data-row]').first().waitFor()
  expect(await other.getByText('Observing.').count()).toBe(0)
})

test('half of one view and half of another are not the whole call', async () => {
  const now = Date.now()
  const body = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n')
  const args = { to: 'a@example.com', subject: 'x', body }
  const call = callOf({ id: 'ap_halves', tool: 'send', risk: 'L1', args }, now)
  const page = await open('/approvals/ap_halves', { calls: [call] }, { height: 700 })
  const approve = page.locator('[data-approve]')
  await page.getByText('More below').waitFor()
  await page.getByRole('button', { name: 'Tree' }).click()
  await page.evaluate(() => {
    const box = document.querySelector('article')?.parentElement
    if (box) box.scrollTop = box.scrollHeight
  })
  await page.waitForTimeout(650)
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await readToEnd(page)
  await page.waitForTimeout(650)
  expect(await approve.getAttribute('aria-disabled')).toBe('false')
})

test('what an approver changed is shown value by value, beside what stood there', async () => {
  const [mail] = viewCalls(Date.now())
  if (mail === undefined) throw new Error('no call')
  const page = await open('/approvals/ap_mail', { calls: [mail] })
  await page.getByRole('button', { name: 'Message', exact: true }).waitFor()
  const args = { ...JSON.parse(mail.arguments), subject: 'Another' }
  server.change('ap_mail', editedBy(mail, BO, args))
  await page.getByText('changed while you were reading', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Message', exact: true }).count()).toBe(0)
})

test('T goes from one view to the next', async () => {
  const page = await open('/approvals/ap_sql', { calls: viewCalls(Date.now()) })
  const shown = () => page.locator('[data-view]').getAttribute('data-view')
  await page.getByText('Writes: UPDATE in line 1.').waitFor()
  await page.getByText('Inside a text or a comment: DROP in line 6.', { exact: false }).waitFor()
  expect(await shown()).toBe('special')
  for (const next of ['tree', 'raw', 'special']) {
    await page.keyboard.press('t')
    expect(await shown()).toBe(next)
  }
})

test('anyone can use the card of several calls', async () => {
  for (const view of VIEWS) {
    const page = await open('/', {}, view)
    await page.locator('[data-row]').first().waitFor()
    for (const box of (await page.locator('[data-row] ~ label input').all()).slice(2, 4)) {
      await box.check()
    }
    await page.getByText('calls shown in full').waitFor()
    expect({ view, found: await barriers(page) }).toEqual({ view, found: [] })
    await opened.close()
    await server.stop()
  }
}, 60_000)
