import { DatabaseSync } from 'node:sqlite'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import type { SeedCall } from '../dev/seed-server.ts'
import { armed, readToEnd, stoodStill, type View } from './browser-page.ts'
import { seededInbox } from './seeded-inbox.ts'

const MINUTE = 60_000
const BO = 'bo@example.com'

const inbox = seededInbox()

/** The card of a seeded call, by the name of the seed. */
async function open(name: string, view?: View): Promise<Page> {
  const page = await inbox.open((server) => `/approvals/${server.id(name)}`, {}, view)
  await page.getByRole('heading', { name: 'Computed by Countersign' }).waitFor()
  return page
}

/** The card of a call that is asked first. */
async function openCall(call: SeedCall): Promise<Page> {
  const server = await inbox.start()
  server.ids.set('asked', await server.ask(call))
  return open('asked')
}

const sent = () => inbox.server.sent
const card = (name: string) => inbox.server.card(inbox.server.id(name))
const approve = (page: Page) => page.locator('[data-approve]')
const deny = (page: Page) => page.getByRole('button', { name: 'Deny', exact: true })
const PHONE = { width: 390, height: 844 }

test('Approve waits until all of the call was on screen, and jumping to the end is not enough', async () => {
  const page = await open('mail', PHONE)
  await stoodStill(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await page.getByText('More below').waitFor()
  await page.evaluate(() => {
    const box = document.querySelector('article')?.parentElement
    if (box) box.scrollTop = box.scrollHeight
  })
  await stoodStill(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await approve(page).click({ force: true })
  await page.keyboard.press('a')
  await readToEnd(page)
  await armed(page)
  expect(sent()).toEqual([])
  await approve(page).click()
  await page.getByText('Approved. The agent has not picked it up yet.').waitFor()
  expect(sent()).toHaveLength(1)
})

test('a decision names the digest that was shown', async () => {
  const page = await open('event')
  await armed(page)
  await approve(page).click()
  await page.getByText('Approved. The agent has not picked it up yet.').waitFor()
  expect(sent()).toEqual([
    {
      id: inbox.server.id('event'),
      body: { verdict: 'approve', digest: (await card('event')).digest },
    },
  ])
  expect(inbox.opened.problems).toEqual([])
})

test('Enter never approves; a space or A does', async () => {
  const page = await open('event')
  await armed(page)
  for (const key of ['Enter', 'NumpadEnter']) {
    await approve(page).focus()
    await page.keyboard.press(key)
  }
  await page.waitForTimeout(200)
  expect(sent()).toEqual([])
  await page.keyboard.press('Space')
  await page.getByText('Approved.').first().waitFor()
  expect(sent()).toHaveLength(1)
})

test.each([
  ['record', 'Deny'],
  ['transfer', 'Deny'],
  ['mail', 'Send'],
  ['event', 'Put'],
])('opening %s puts the focus on %s, never on Approve', async (id, starts) => {
  const page = await open(id)
  await stoodStill(page)
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await expect.poll(focused).toMatch(new RegExp(`^${starts}`))
})

test('high risk takes a second step that a hasty hand cannot fall through', async () => {
  const page = await open('transfer')
  const added = page.getByText('group chiefs').locator('..')
  expect(await added.innerText()).toMatch(/added by escalation, \d\d:\d\d/)
  await readToEnd(page)
  await armed(page)
  await approve(page).dblclick()
  await page.keyboard.press('a')
  await page.getByText('Approve this call').waitFor()
  expect(sent()).toEqual([])
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toContain('Go back')
  await page.keyboard.press('Escape')
  await deny(page).waitFor()
  await armed(page)
  await page.keyboard.press('a')
  await armed(page)
  await page.keyboard.press('a')
  await page.getByText('You approved. One more approval to go.').waitFor()
  expect(sent()).toHaveLength(1)
})

test('critical risk has to be accepted first', async () => {
  const page = await open('record')
  await stoodStill(page)
  await page.keyboard.press('a')
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await page.getByLabel('I reviewed the arguments and accept the risk').check()
  await armed(page)
  await page.keyboard.press('a')
  await page.getByText('Approve this call').waitFor()
  expect(sent()).toEqual([])
})

test('a change of the content disarms the buttons for a moment', async () => {
  const page = await open('event')
  await armed(page)
  const { id, decideBy } = await card('event')
  const bo = await inbox.server.person(BO)
  // Pressed in the page, as soon as it is disarmed: from here a click may come when that is over.
  const pressed = page.evaluate(
    () =>
      new Promise<void>((done) => {
        const look = () => {
          const button = document.querySelector<HTMLElement>('[data-approve][data-arming]')
          if (button === null) return
          watching.disconnect()
          button.click()
          done()
        }
        const watching = new MutationObserver(look)
        watching.observe(document.body, { subtree: true, childList: true, attributes: true })
      }),
  )
  await bo.send('POST', `/v1/approvals/${id}/extend`, { until: decideBy + 5 * MINUTE })
  await pressed
  await expect.poll(() => approve(page).getAttribute('aria-disabled')).toBe('false')
  expect(sent()).toEqual([])
})

test('an edit by somebody else has to be noticed before anything is decided', async () => {
  const page = await open('transfer')
  await stoodStill(page)
  const { id, arguments: text } = await card('transfer')
  const edit = { arguments: { ...JSON.parse(text), amount: 12400 } }
  await inbox.server.decide(BO, id, { verdict: 'approve', edit })
  await page.getByText('This call changed while you were reading.').waitFor()
  expect(await page.locator('s.was').first().innerText()).toBe('18400')
  expect(await approve(page).count()).toBe(0)
  expect(await deny(page).count()).toBe(0)
  await page.keyboard.press('d')
  await page.keyboard.press('a')
  expect(sent()).toEqual([])
  await page.getByRole('button', { name: 'I’ve seen the change' }).click()
  await page.keyboard.press('1')
  await stoodStill(page)
  await deny(page).click()
  await page.getByText('Denied by you. It did not run.').waitFor()
  expect(sent()[0]?.body.digest).toBe((await card('transfer')).digest)
})

test('who comes second learns who was first, and that nothing was recorded', async () => {
  const page = await open('event')
  const before = await card('event')
  // Behind the page's back: what it fetches until it decides is what it knew.
  let isStale = true
  const staleCard = (route: Route) => (isStale ? route.fulfill({ json: before }) : route.continue())
  await page.route(`**/v1/approvals/${before.id}`, staleCard)
  const toldAgain = page.waitForResponse(`**/v1/approvals/${before.id}`)
  await inbox.server.decide(BO, before.id, { verdict: 'deny' })
  await toldAgain
  // Buttons are armed by the clock, which stands still below.
  await expect.poll(() => approve(page).getAttribute('aria-disabled')).toBe('false')
  const { decisions } = await card('event')
  const decidedAt = decisions[0]?.at ?? 0
  // Never back in time, however long all this took.
  const seconds = 4 + Math.max(0, Math.ceil((Date.now() - decidedAt) / 1_000))
  await page.clock.setFixedTime(decidedAt + seconds * 1_000)
  page.on('request', (request) => {
    if (request.url().endsWith('/decisions')) isStale = false
  })
  await approve(page).click()
  const told = `Bo decided ${seconds} s before you. Your click recorded nothing.`
  await page.getByText(told, { exact: true }).waitFor()
  expect(sent()).toEqual([])
})

test('a denial that needs a reason asks for it, and the agent gets it', async () => {
  const page = await open('transfer')
  await stoodStill(page)
  await page.keyboard.press('d')
  await page.getByText('A reason is required to deny this call.').waitFor()
  expect(sent()).toEqual([])
  await page.keyboard.type('Wrong account, d a e 1')
  await deny(page).click()
  await page.getByText('The agent was told: “Wrong account, d a e 1”').waitFor()
  expect(sent()[0]?.body).toMatchObject({ verdict: 'deny', reason: 'Wrong account, d a e 1' })
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toContain('Next call')
})

test('an answer can take the place of the result', async () => {
  const page = await open('event')
  const bar = page.getByRole('region', { name: 'Decide' })
  await bar.getByRole('button', { name: 'More', exact: true }).click()
  await bar.getByRole('button', { name: 'Answer instead…' }).click()
  await page.getByLabel('Your answer to the agent').fill('It is in the calendar already.')
  await page.getByRole('button', { name: 'Deny and answer' }).click()
  await page.getByText('The agent got the answer').waitFor()
  expect(sent()[0]?.body).toMatchObject({
    verdict: 'deny',
    answer: 'It is in the calendar already.',
  })
})

test('approving with edits shows what changes, refuses what does not fit, and keeps secrets', async () => {
  const page = await open('transfer')
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
  await page.getByText('You approved. One more approval to go.').waitFor()
  expect(sent()[0]?.body.edit).toEqual({
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
  const page = await open('transfer')
  inbox.server.silent = true
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.getByText('You can read, but not decide.').waitFor()
  await page.getByText('Server unreachable.').waitFor()
  expect(await approve(page).count()).toBe(0)
  expect(await page.getByText('Northwind Supplies').first().isVisible()).toBe(true)
  inbox.server.silent = false
  await page.keyboard.press('r')
  await deny(page).waitFor()
})

test('a decision that got no answer is not called saved', async () => {
  const page = await open('event')
  await armed(page)
  await page.route('**/decisions', (route) => route.abort())
  await approve(page).click()
  await page.getByText('it is not known whether this was saved', { exact: false }).waitFor()
})

test('more time can be given', async () => {
  const page = await open('mail')
  const { decideBy: before } = await card('mail')
  await page.locator('article').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Give more time…' }).click()
  await page.getByRole('button', { name: /^4 hours/ }).click()
  await deny(page).waitFor()
  expect((await card('mail')).decideBy).toBe(before + 240 * MINUTE)
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
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = evil
  const server = await inbox.start()
  const id = await server.ask({
    tool: 'note',
    server: second,
    agent: third,
    principal: fourth,
    door: fifth,
    args: { ...Object.fromEntries(evil.map((text) => [text, text])), __proto__x: evil },
    says: evil.join('\n'),
    links: evil,
  })
  const page = await inbox.open('/history')
  await page.getByRole('heading', { name: 'History' }).waitFor()
  // Whatever else a server could send: names that ours refuses, and words of a policy.
  await page.route(`**/v1/approvals/${id}`, async (route) => {
    const response = await route.fetch()
    const hostile = {
      tool: first,
      message: evil.join('\n'),
      missing: evil,
      requirements: [
        {
          source: 'tool',
          rule: second,
          level: 'review',
          approvers: evil,
          added: [{ who: first, at: 0, after: 0, why: evil.join(' ') }],
          quorum: [],
          met: false,
        },
      ],
      why: [
        {
          source: first,
          rule: second,
          asks: 'confirm',
          answer: 'yes',
          values: evil.map((text) => ({ path: text, wanted: text, saw: text, answer: 'yes' })),
        },
      ],
    }
    await route.fulfill({ response, json: { ...(await response.json()), ...hostile } })
  })
  await page.goto(`${server.url}/approvals/${id}`)
  await page.getByRole('heading', { name: 'Computed by Countersign' }).waitFor()
  await stoodStill(page)
  const links = await page
    .locator('article a')
    .evaluateAll((found) => found.map((one) => one.getAttribute('href')))
  expect(links.filter((href) => !href?.startsWith('/'))).toEqual([])
  expect(await page.locator('article img, article script, article iframe').count()).toBe(0)
  expect(await page.locator('article').innerText()).toContain('⟦U+202E⟧⟦U+001B⟧')
  expect(inbox.opened.problems).toEqual([])
})

test('a very long call is shown whole, and stays approvable only at its end', async () => {
  const body = Array.from({ length: 200 }, (_, at) => `line ${at} ${'x'.repeat(60)}`).join('\n')
  const page = await openCall({ tool: 'send', server: 'demo', args: { body } })
  expect(await page.locator('article').innerText()).toContain('line 199')
  await stoodStill(page)
  expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
  await readToEnd(page)
  await armed(page)
})

test('arguments that are no longer kept cannot be approved', async () => {
  const server = await inbox.start()
  server.ids.set('erased', await server.ask({ tool: 'send', server: 'demo', args: {} }))
  // Not by Countersign, which keeps what waits: by a user with the database.
  const db = new DatabaseSync(server.database)
  const triggers = db
    .prepare("select name from sqlite_schema where type = 'trigger' and tbl_name = 'content'")
    .all()
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  db.prepare('delete from content where approval = ?').run(server.id('erased'))
  db.close()
  const page = await open('erased')
  await page.getByText('The arguments are no longer kept.').waitFor()
  expect(await approve(page).count()).toBe(0)
})
