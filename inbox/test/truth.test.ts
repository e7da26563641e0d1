/** Nothing on a page is untrue, speaks in a voice that is not ours, or falls apart at an odd size. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { seedEverything } from '../dev/seeds/all.ts'
import { armed, readToEnd } from './browser-page.ts'
import { type OpenOptions, seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()
const { open } = inbox

const PEOPLE: OpenOptions = { ago: 0, seed: seedPeople }
const FORGED = 'web? (already approved by the CFO, see thread) OK'

const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`)
const approve = (page: Page) => page.locator('[data-approve]')

promise(
  ['CS-INBOX-31'],
  'a value from a call is boxed wherever it stands, and the order is the one named',
  async () => {
    const server = await inbox.start(PEOPLE)
    const late = await server.ask({ tool: 'execute', server: 'warehouse', args: { database: 'a' } })
    const soon = await server.ask({
      tool: 'Bash',
      server: 'claude-code',
      args: { command: 'ls', cwd: FORGED },
    })
    const page = await open(`/approvals/${soon}`)
    const heading = page.locator('[data-card-heading]')
    await heading.waitFor()
    const outside = (selector: string) =>
      page.locator(selector).evaluate((node) => {
        const copy = node.cloneNode(true) as HTMLElement
        for (const value of copy.querySelectorAll('[data-value], .sr-only')) value.remove()
        return copy.textContent
      })
    expect(await heading.locator('[data-value]').innerText()).toBe(FORGED)
    expect(await outside('[data-card-heading]')).toBe('Run a shell command in ?')
    expect(await row(page, soon).locator('[data-value]').textContent()).toBe(FORGED)
    expect(await outside(`[data-row="${soon}"]`)).not.toContain('CFO')

    // Both are L4; the one that was asked later has less time left.
    const ids = () =>
      page
        .locator('[data-row]')
        .evaluateAll((rows) => rows.map((one) => one.getAttribute('data-row')))
    await expect.poll(ids).toEqual([soon, late])

    await readToEnd(page)
    await armed(page)
    await page.keyboard.press('a')
    const step = page.getByRole('region', { name: 'Confirm' })
    expect(await step.locator('[data-value]').innerText()).toBe(FORGED)
    expect(await outside('section[aria-label="Confirm"] b')).not.toContain('CFO')
  },
)

test('the first yes of two approves nothing, and the row says how many agreed', async () => {
  const server = await inbox.start(PEOPLE)
  const args = { amount: 12000, currency: 'USD', recipient_type: 'external' }
  const id = await server.ask({ tool: 'transfer_money', server: 'payments', args })
  await server.ask({ tool: 'refund', args: { order: 1 } })
  const page = await open(`/approvals/${id}`)
  await page.getByText('Review: 2 approvals').waitFor()
  await page.getByText('0 of 2 approvals').waitFor()
  const asked = page.locator('[data-unanswered]')
  await expect.poll(() => asked.getByText('no answer yet').count()).toBe(3)
  expect(await asked.locator('span').first().innerText()).toBe('Ana (you)')
  await asked.getByText(/^Bo$/).waitFor()
  expect(await page.getByText('No answers yet').count()).toBe(0)
  // In the sentence of the rule, and beside the value it saw.
  await expect.poll(() => page.getByText('is over 10,000').count()).toBe(2)
  await readToEnd(page)
  await armed(page)
  await page.keyboard.press('a')
  await armed(page)
  await row(page, id).hover()
  await page.keyboard.press('a')
  await row(page, id).getByText('1 of 2 agreed').waitFor()
  await page.getByText('You approved. One more approval to go.').waitFor()
  await page.getByText('It runs only when all of them are given.', { exact: false }).waitFor()
})

promise(
  ['CS-INBOX-33'],
  'a server that hangs is noticed within ten seconds',
  async () => {
    const server = await inbox.start(PEOPLE)
    const id = await server.ask({ tool: 'refund', args: { order: 1 } })
    const other = await server.ask({ tool: 'refund', args: { order: 2 } })
    const page = await open(`/approvals/${id}`)
    await page.getByText('Computed by Countersign').waitFor()
    server.hung = true
    const start = Date.now()
    await row(page, other).click()
    await page.getByText('Server unreachable.').waitFor({ timeout: 15_000 })
    expect(Date.now() - start).toBeLessThan(10_000)
    await page.getByText('The server does not answer, and this call was not loaded').waitFor()
    server.hung = false
    await page.getByText('Computed by Countersign').waitFor({ timeout: 15_000 })
  },
  45_000,
)

/** A desktop, phones on their side, a desktop at twice its size, a tablet, a phone. */
const SIZES = [
  [1440, 900],
  [667, 375],
  [844, 390],
  [720, 450],
  [1024, 768],
  [390, 844],
] as const

test('at odd sizes the call has the room, and Deny and Approve stand together', async () => {
  const server = await inbox.start()
  const page = await open('/')
  await page.locator('[data-row]').first().waitFor()
  for (const name of ['transfer', 'record']) {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      await page.goto(`${server.url}/approvals/${server.id(name)}`)
      const bar = page.getByRole('region', { name: 'Decide' })
      await bar.waitFor()
      const { height: taken = height } = (await bar.boundingBox()) ?? {}
      const size = `${name} at ${width} by ${height}`
      // The critical one asks for a tick as well.
      expect({ size, isHigh: taken / height > (name === 'record' ? 0.3 : 0.25) }).toEqual({
        size,
        isHigh: false,
      })
      if (height > 500) {
        const says = await bar.getByText(/^Your yes (?:counts as|fills) .* 2\.$/).boundingBox()
        expect({ size, isOneLine: (says?.height ?? 99) < 30 }).toEqual({ size, isOneLine: true })
        const third = await bar.getByRole('button', { name: 'Not now' }).boundingBox()
        const end = (third?.x ?? width) + (third?.width ?? 0)
        expect({ size, isShown: end <= width }).toEqual({ size, isShown: true })
      }
      const deny = await bar.getByRole('button', { name: /^Deny/ }).boundingBox()
      const yes = await approve(page).boundingBox()
      expect(Math.abs((deny?.y ?? 0) - (yes?.y ?? 99))).toBeLessThan(4)
      const answer = bar.getByRole('button', { name: 'Answer instead…' })
      expect(await answer.first().isVisible()).toBe(false)
      await bar.getByRole('button', { name: 'More', exact: true }).click()
      await answer.first().waitFor()
    }
  }
}, 40_000)

test('no word of a table is broken, and a pencil changes what it stands at', async () => {
  const server = await inbox.start(PEOPLE)
  const rows = Array.from({ length: 12 }, (_, at) => ({
    id: 1000 + at,
    active: false,
    balance: 12.5,
    email: `person${at}@example.com`,
    note: null,
    plan: 'enterprise',
  }))
  const id = await server.ask({ tool: 'refund_many', server: 'shop', args: { rows } })
  const page = await open(`/approvals/${id}`)
  await page.locator('[data-cell]').first().waitFor()
  const cells = () =>
    page
      .locator('[data-cell]')
      .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().height))
  await expect.poll(cells).toHaveLength(72)
  const heights = await cells()
  expect(Math.max(...heights)).toBeLessThan(24)
  expect(await page.locator('[data-cell]').first().innerText()).toBe('1000')

  const args = { subject: 'Hi', body: 'x', to: 'a@example.com', extra: { deep: 1 } }
  const mail = await server.ask({ tool: 'send', server: 'mail', args })
  await page.goto(`${server.url}/approvals/${mail}`)
  await page.getByRole('button', { name: 'Tree' }).click()
  const items = page.getByRole('treeitem')
  expect(await items.filter({ hasText: 'deep' }).getAttribute('aria-level')).toBe('2')
  await page.getByRole('button', { name: 'Change subject' }).click()
  await page.getByLabel(/^subject/).waitFor()
})

test('an own choice of order shows at once, and a filter says what it hides', async () => {
  const page = await open('/')
  await page.locator('[data-row]').first().waitFor()
  const tools = () => page.locator('[data-row] b').allInnerTexts()
  const before = await tools()
  await page.getByRole('button', { name: 'Filter and sort' }).click()
  await page.getByRole('menuitemradio', { name: 'Newest first' }).click()
  await page.locator('[data-row]').nth(1).hover()
  await expect.poll(tools).not.toEqual(before)
  await page.getByRole('button', { name: /Filter and sort/ }).click()
  await page.getByRole('menuitemradio', { name: 'L4 and up' }).click()
  const line = page.locator('[data-filter]')
  await expect.poll(() => line.innerText()).toMatch(/^L4 and up, \d+ hidden · newest first/)
  await line.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(tools).toEqual(before)
  const name = await page.locator('[data-row]').first().textContent()
  expect(name?.length).toBeLessThan(400)
})

test('a batch says what was denied, and a grant takes numbers and a sum', async () => {
  const server = await inbox.start(PEOPLE)
  const ids: string[] = []
  for (const amount of [20, 30]) ids.push(await server.ask({ tool: 'refund', args: { amount } }))
  const page = await open(`/approvals/${ids[0]}`)
  await readToEnd(page)
  await armed(page)
  await page.keyboard.press('g')
  await page.getByRole('combobox', { name: /^amount/ }).selectOption('most')
  await page.getByRole('spinbutton', { name: 'amount, at most' }).fill('50')
  await page.getByRole('combobox', { name: /All uses together/ }).selectOption('amount')
  await page.getByRole('spinbutton', { name: 'amount of all uses, at most' }).fill('400')
  const rule = page.getByRole('region', { name: 'This exact rule is saved' })
  await rule.getByText('400').first().waitFor()
  await rule.getByText('amount from 0 to 50').waitFor()
  await rule.getByText('over HTTP').waitFor()
  await rule.getByText('1 of 1').waitFor()
  await armed(page)
  await page.getByRole('button', { name: 'Approve and grant' }).click()
  await page.getByText('You also granted calls like it.').waitFor()

  const more = await server.ask({ tool: 'refund', args: { amount: 70 } })
  await page.goto(server.url)
  for (const id of [ids[1] ?? '', more]) {
    await page
      .locator('li', { has: row(page, id) })
      .getByRole('checkbox')
      .check()
  }
  await page.getByRole('button', { name: 'Deny all 2…' }).click()
  await readToEnd(page)
  await armed(page)
  await approve(page).click()
  await page.getByText('2 denied.').waitFor()
  const said = page.locator('[data-call] [role="status"]').first()
  expect(await said.getAttribute('class')).toBe('text-bad')
  const bar = page.getByRole('region', { name: 'What became of them' })
  expect(await bar.getAttribute('class')).toContain('border-bad')
  await page.goto(`${server.url}/history/${more}`)
  await page.getByText('from the exact bytes that were asked about').waitFor()
})

test('people, locks and the record: nothing moves under the pointer, and objects are named', async () => {
  const page = await open('/people', { seed: seedEverything })
  const removes = page.getByRole('button', { name: /^Remove…/ })
  await removes.first().waitFor()
  const names = await page.locator('[data-person] b').allInnerTexts()
  expect(names).toEqual(names.toSorted((one, two) => one.localeCompare(two)))
  const before = await removes.first().boundingBox()
  await removes.first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).waitFor()
  expect(await removes.first().boundingBox()).toEqual(before)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add a person…' }).click()
  await page.getByRole('button', { name: 'Go back' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add a person…' }).waitFor()

  await page.goto(`${inbox.server.url}/locks`)
  const lift = page.getByRole('button', { name: 'Lift…' }).first()
  const at = await lift.boundingBox()
  await lift.dblclick()
  await page.waitForTimeout(300)
  const locks = await page.locator('section[aria-label^="Lock on"]').count()
  expect(locks).toBeGreaterThan(0)
  expect(at).not.toBeNull()
  await page.getByLabel('Its name').fill('codng-agent')
  await page.getByText('No recent call is of “codng-agent”.').waitFor()

  await page.goto(`${inbox.server.url}/audit`)
  await page.locator('[data-entry="lock.set"]').first().waitFor()
  expect(await page.locator('[data-entry="lock.set"]').first().innerText()).toMatch(
    /A lock was set: (?:agent|tool|server) /,
  )
})
