import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchBrowser } from '../../test/support/browser.ts'
import { ensureInbox } from '../build.ts'
import { BO, callOf } from '../dev/calls.ts'
import { editedBy, type FakeServer, startFakeServer } from '../dev/fake-server.ts'
import { type OpenPage, openPage, readToEnd, type View } from './browser-page.ts'

const MINUTE = 60_000

let browser: Browser
let folder: string
let server: FakeServer
let opened: OpenPage

beforeAll(async () => {
  folder = await ensureInbox()
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser?.close())

beforeEach(async () => {
  server = await startFakeServer({ page: folder, signedIn: true })
})
afterEach(async () => {
  await opened?.close()
  await server.stop()
})

async function open(id: string, view?: View): Promise<Page> {
  opened = await openPage(browser, `${server.url}/approvals/${id}`, view)
  await opened.page.getByRole('heading', { name: 'Computed by Countersign' }).waitFor()
  return opened.page
}

const approve = (page: Page) => page.locator('[data-approve]')
const deny = (page: Page) => page.getByRole('button', { name: 'Deny', exact: true })
const armed = (page: Page) => page.waitForTimeout(650)
const PHONE = { width: 390, height: 844 }

test('Approve waits until all of the call was on screen, and jumping to the end is not enough', async () => {
  const page = await open('ap_1m7t', PHONE)
  await armed(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await page.getByText('More below').waitFor()
  await page.evaluate(() => {
    const box = document.querySelector('article')?.parentElement
    if (box) box.scrollTop = box.scrollHeight
  })
  await armed(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await approve(page).click({ force: true })
  await page.keyboard.press('a')
  await readToEnd(page)
  await armed(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('false')
  expect(server.sent).toEqual([])
  await approve(page).click()
  await page.getByText('Approved. The agent has not picked it up yet.').waitFor()
  expect(server.sent).toHaveLength(1)
})

test('a decision names the digest that was shown', async () => {
  const page = await open('ap_6t1n')
  await armed(page)
  await approve(page).click()
  await page.getByText('Approved. The agent has not picked it up yet.').waitFor()
  expect(server.sent).toEqual([
    { id: 'ap_6t1n', body: { verdict: 'approve', digest: server.calls.get('ap_6t1n')?.digest } },
  ])
  expect(opened.problems).toEqual([])
})

test('Enter never approves; a space or A does', async () => {
  const page = await open('ap_6t1n')
  await armed(page)
  for (const key of ['Enter', 'NumpadEnter']) {
    await approve(page).focus()
    await page.keyboard.press(key)
  }
  await page.waitForTimeout(200)
  expect(server.sent).toEqual([])
  await page.keyboard.press('Space')
  await page.getByText('Approved.').first().waitFor()
  expect(server.sent).toHaveLength(1)
})

test.each([
  ['ap_8h41', 'Deny'],
  ['ap_7q2m', 'Deny'],
  ['ap_1m7t', 'Send'],
  ['ap_6t1n', 'Put'],
])('opening %s puts the focus on %s, never on Approve', async (id, starts) => {
  const page = await open(id)
  await armed(page)
  const focused = await page.evaluate(() => document.activeElement?.textContent ?? '')
  expect(focused).toMatch(new RegExp(`^${starts}`))
})

test('high risk takes a second step that a hasty hand cannot fall through', async () => {
  const page = await open('ap_7q2m')
  const added = page.getByText('group chiefs').locator('..')
  expect(await added.innerText()).toMatch(/added by escalation, \d\d:\d\d/)
  await readToEnd(page)
  await armed(page)
  await approve(page).dblclick()
  await page.keyboard.press('a')
  await page.getByText('Approve this call').waitFor()
  expect(server.sent).toEqual([])
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Go back')
  await page.keyboard.press('Escape')
  await deny(page).waitFor()
  await armed(page)
  await page.keyboard.press('a')
  await armed(page)
  await page.keyboard.press('a')
  await page.getByText('You approved. One more to go.').waitFor()
  expect(server.sent).toHaveLength(1)
})

test('critical risk has to be accepted first', async () => {
  const page = await open('ap_8h41')
  await armed(page)
  await page.keyboard.press('a')
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await page.getByLabel('I reviewed the arguments and accept the risk').check()
  await armed(page)
  await page.keyboard.press('a')
  await page.getByText('Approve this call').waitFor()
  expect(server.sent).toEqual([])
})

test('a change of the content disarms the buttons for a moment', async () => {
  const page = await open('ap_6t1n')
  await armed(page)
  server.change('ap_6t1n', { decideBy: Date.now() + 5 * MINUTE })
  await page.locator('[data-arming]').first().waitFor()
  await approve(page).click({ force: true })
  await page.waitForTimeout(100)
  expect(server.sent).toEqual([])
})

test('an edit by somebody else has to be noticed before anything is decided', async () => {
  const page = await open('ap_7q2m')
  await armed(page)
  const call = server.calls.get('ap_7q2m')
  if (call === undefined) throw new Error('no call')
  server.change('ap_7q2m', editedBy(call, BO, { ...JSON.parse(call.arguments), amount: 12400 }))
  await page.getByText('This call changed while you were reading.').waitFor()
  expect(await page.locator('s.was').first().innerText()).toBe('18400')
  expect(await approve(page).count()).toBe(0)
  expect(await deny(page).count()).toBe(0)
  await page.keyboard.press('d')
  await page.keyboard.press('a')
  expect(server.sent).toEqual([])
  await page.getByRole('button', { name: 'I’ve seen the change' }).click()
  await page.keyboard.press('1')
  await armed(page)
  await deny(page).click()
  await page.getByText('Denied by you. It did not run.').waitFor()
  expect(server.sent[0]?.body.digest).toBe(server.calls.get('ap_7q2m')?.digest)
})

test('who comes second learns who was first, and that nothing was recorded', async () => {
  const page = await open('ap_6t1n')
  await armed(page)
  const call = server.calls.get('ap_6t1n')
  if (call === undefined) throw new Error('no call')
  // Behind the page's back: the hint is lost.
  server.calls.set('ap_6t1n', {
    ...call,
    revision: 2,
    status: 'denied',
    decidedAt: Date.now(),
    can: [],
    decisions: [
      {
        by: BO,
        verdict: 'deny',
        at: Date.now() - 4_000,
        digest: call.digest,
        assurance: 'signed-in',
      },
    ],
  })
  await approve(page).click()
  await page.getByText(/^Bo decided 4 s before you\. Your click recorded nothing\.$/).waitFor()
  expect(server.sent).toEqual([])
})

test('a denial that needs a reason asks for it, and the agent gets it', async () => {
  const page = await open('ap_7q2m')
  await armed(page)
  await page.keyboard.press('d')
  await page.getByText('A reason is required to deny this call.').waitFor()
  expect(server.sent).toEqual([])
  await page.keyboard.type('Wrong account, d a e 1')
  await deny(page).click()
  await page.getByText('The agent was told: “Wrong account, d a e 1”').waitFor()
  expect(server.sent[0]?.body).toMatchObject({ verdict: 'deny', reason: 'Wrong account, d a e 1' })
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Next call')
})

test('an answer can take the place of the result', async () => {
  const page = await open('ap_6t1n')
  await page.getByRole('button', { name: 'Answer instead…' }).click()
  await page.getByLabel('Your answer to the agent').fill('It is in the calendar already.')
  await page.getByRole('button', { name: 'Deny and answer' }).click()
  await page.getByText('The agent got the answer').waitFor()
  expect(server.sent[0]?.body).toMatchObject({
    verdict: 'deny',
    answer: 'It is in the calendar already.',
  })
})

test('approving with edits shows what changes, refuses what does not fit, and keeps secrets', async () => {
  const page = await open('ap_7q2m')
  await readToEnd(page)
  await page.keyboard.press('e')
  const amount = page.getByLabel(/^amount/)
  await amount.fill('20001')
  await page.getByText('At most 20000.').waitFor()
  await amount.fill('12400')
  await page.getByLabel(/^memo/).fill('Part 1')
  await page.locator('.is-new', { hasText: '12400' }).waitFor()
  await armed(page)
  await approve(page).click()
  await page.getByText('You approved. One more to go.').waitFor()
  expect(server.sent[0]?.body.edit).toEqual({
    arguments: {
      amount: 12400,
      currency: 'USD',
      recipient: {
        name: 'Northwind Supplies',
        account: 'NL91 ABNA 0417 1643 00',
        email: 'billing@n\u043erthwind.example',
      },
      recipient_type: 'external',
      memo: 'Part 1',
      api_key: '[secret]',
    },
  })
})

test('without the server one can read, and decide nothing', async () => {
  const page = await open('ap_7q2m')
  server.silent = true
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.getByText('You can read, but not decide.').waitFor()
  await page.getByText('Server unreachable.').waitFor()
  expect(await approve(page).count()).toBe(0)
  expect(await page.getByText('Northwind Supplies').first().isVisible()).toBe(true)
  server.silent = false
  await page.keyboard.press('r')
  await deny(page).waitFor()
})

test('a decision that got no answer is not called saved', async () => {
  const page = await open('ap_6t1n')
  await armed(page)
  await page.route('**/decisions', (route) => route.abort())
  await approve(page).click()
  await page.getByText('it is not known whether this was saved', { exact: false }).waitFor()
})

test('more time can be given', async () => {
  const page = await open('ap_1m7t')
  const before = server.calls.get('ap_1m7t')?.decideBy ?? 0
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Give more time…' }).click()
  await page.getByRole('button', { name: /^4 hours/ }).click()
  await deny(page).waitFor()
  expect(server.calls.get('ap_1m7t')?.decideBy).toBe(before + 240 * MINUTE)
})

test('whatever a call says, it is text: nothing runs, loads or links', async () => {
  const evil = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    'javascript:alert(1)',
    '[click](https://evil.example)',
    '{{constructor.constructor("alert(1)")()}}',
    '\u202e\u001b]8;;https://evil.example\u0007link',
  ]
  server.add({
    id: 'ap_evil',
    tool: evil[0] ?? '',
    server: evil[1] ?? '',
    agent: evil[2] ?? '',
    principal: evil[3] ?? '',
    door: evil[4] ?? '',
    message: evil.join('\n'),
    args: { ...Object.fromEntries(evil.map((text) => [text, text])), __proto__x: evil },
    missing: evil,
    claimed: { says: evil.join('\n'), links: evil },
    requirements: [
      {
        source: 'tool',
        rule: evil[1] ?? '',
        level: 'review',
        approvers: evil,
        added: [{ who: evil[0] ?? '', at: 0, after: 0, why: evil.join(' ') }],
        quorum: [],
        met: false,
      },
    ],
    why: [
      {
        source: evil[0] ?? '',
        rule: evil[1] ?? '',
        asks: 'confirm',
        answer: 'yes',
        values: evil.map((text) => ({
          path: text,
          wanted: text,
          saw: text,
          answer: 'yes' as const,
        })),
      },
    ],
  })
  const page = await open('ap_evil')
  await armed(page)
  const links = await page
    .locator('article a')
    .evaluateAll((found) => found.map((one) => one.getAttribute('href')))
  expect(links.filter((href) => !href?.startsWith('/'))).toEqual([])
  expect(await page.locator('article img, article script, article iframe').count()).toBe(0)
  expect(await page.locator('article').innerText()).toContain('⟦U+202E⟧⟦U+001B⟧')
  expect(opened.problems).toEqual([])
})

test('a very long call is shown whole, and stays approvable only at its end', async () => {
  const body = Array.from({ length: 200 }, (_, at) => `line ${at} ${'x'.repeat(60)}`).join('\n')
  server.add({ id: 'ap_long', tool: 'send', risk: 'L1', args: { body } })
  const page = await open('ap_long')
  expect(await page.locator('article').innerText()).toContain('line 199')
  await armed(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await readToEnd(page)
  await armed(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('false')
})

test('arguments that are no longer kept cannot be approved', async () => {
  const call = callOf({ id: 'ap_gone', tool: 'send', args: {} }, Date.now())
  server.calls.set('ap_gone', { ...call, arguments: '' })
  const page = await open('ap_gone')
  await page.getByText('The arguments are no longer kept.').waitFor()
  expect(await approve(page).count()).toBe(0)
})
