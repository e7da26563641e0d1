import { expect, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { SMALL_POLICY } from '../dev/policy.ts'
import type { SeedServer } from '../dev/seed-server.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { changePolicyOnDisk } from '../dev/seeds/all.ts'
import { VIEWS as SHAPES, seedViews } from '../dev/seeds/views.ts'
import { armed, barriers, readToEnd, stoodStill } from './browser-page.ts'
import { type OpenOptions, seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()
const { open } = inbox

const cardOf = (name: string) => (server: SeedServer) => `/approvals/${server.id(name)}`
const historyOf = (name: string) => (server: SeedServer) => `/history/${server.id(name)}`

/** People and nothing else. */
const EMPTY: OpenOptions = { seed: seedPeople }

/** The same with one call for each shape of arguments. */
const SHAPED: OpenOptions = {
  ago: 0,
  async seed(server) {
    await seedPeople(server)
    await seedViews(server)
  },
}

test('a link signs in once and leaves no trace in the address', async () => {
  const server = await inbox.start()
  const link = await server.link()
  const page = await open(link.slice(server.url.length), { signedOut: true })
  await page.locator('[data-row]').first().waitFor()
  expect(page.url()).not.toContain('signin')
  await page.goto(link)
  await page.getByText('This link was used already').waitFor()
  expect(inbox.opened.problems).toEqual([])
})

test('somebody without a session is told how to get one, and a pasted link works', async () => {
  const page = await open(cardOf('transfer'), { signedOut: true })
  await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor()
  await page.getByLabel('Or paste the link here').fill(await inbox.server.link())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Approve transfer of $18400?' }).waitFor()
})

test('with nothing waiting the page says so, and starts the sample agent', async () => {
  const page = await open('/', EMPTY)
  await page.getByRole('heading', { name: 'Nothing is waiting' }).waitFor()
  await page.getByRole('button', { name: 'Start the demo agent' }).click()
  await page.locator('[data-row]').first().waitFor()
})

test('the sample agent is not offered where there is none', async () => {
  const page = await open('/', { ...EMPTY, policy: SMALL_POLICY, demo: false })
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

test('history is narrowed, sorted and counted by what stands in its address (CS-INBOX-34)', async () => {
  const page = await open('/history')
  const rows = page.locator('tbody tr')
  await rows.first().waitFor()
  const figure = (name: string) =>
    page.locator('dl[aria-label="Numbers of these calls"] > div', { hasText: name }).locator('dd')
  const isCounted = async (asked: number) => {
    // The numbers and the rows come with two answers, in either order.
    await page.waitForFunction(
      (n) =>
        document.querySelector('dl dd')?.textContent === String(n) &&
        document.querySelectorAll('tbody tr').length === n,
      asked,
    )
  }
  await page.getByLabel('Person', { exact: true }).selectOption('cy@example.com')
  await isCounted(2)
  expect(new URL(page.url()).searchParams.get('person')).toBe('cy@example.com')
  expect(await rows.first().innerText()).toContain('Cy')
  await page.getByLabel('Risk').selectOption('L4,L5')
  await page.reload()
  await isCounted(2)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Tool', { exact: true }).selectOption({ label: 'mail/send' })
  await isCounted(2)
  expect(await figure('Denied').innerText()).toBe('1')
  expect(await figure('Approved').innerText()).toContain('1 edited')
  await page.getByLabel('When it was asked').selectOption('dates')
  await page.getByLabel('To', { exact: true }).fill('2001-01-01')
  await page.getByText('No call matches.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Search history').fill('cy@example.com')
  await isCounted(2)
  await page.getByLabel('Search history').fill('')
  const times = async () => (await rows.locator('td:first-child').allInnerTexts()).map(String)
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 8)
  const newest = await times()
  await page.getByRole('button', { name: 'Asked' }).click()
  await expect.poll(times).toEqual(newest.toReversed())
  await expect.poll(() => page.locator('th[aria-sort="ascending"]').count()).toBe(1)
  await page.getByRole('button', { name: 'Risk' }).click()
  await page.getByRole('row', { name: /update_record/ }).waitFor()
  await page.waitForFunction(() =>
    document.querySelector('tbody tr')?.textContent?.includes('L5 Critical'),
  )
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await saved).suggestedFilename()).toBe('approvals.csv')
  expect(inbox.opened.problems).toEqual([])
})

test('insights have every number of a chart in a table, and lead to the calls (CS-INBOX-36)', async () => {
  const page = await open('/insights')
  const figure = page.locator('figure', { hasText: 'Asked per day' })
  await figure.getByText('Show as a table').click()
  const last = figure.locator('tbody tr').last().locator('td')
  const numbers = await last.allInnerTexts()
  const [asked = '', ...ends] = numbers.slice(0, 6).map(Number)
  expect(asked).toBe(ends.reduce((sum, n) => sum + n, 0))
  expect(asked).toBeGreaterThan(10)
  const total = await page.locator('dl[aria-label="Numbers of this time"] dd').first().innerText()
  const days = await figure.locator('tbody tr td:nth-child(2)').allInnerTexts()
  expect(days.reduce((sum, n) => sum + Number(n), 0)).toBe(Number(total))
  await page
    .getByRole('region', { name: 'How you answer' })
    .getByText('Approved within 3 s')
    .waitFor()
  await page
    .getByRole('region', { name: 'How people answer' })
    .getByRole('rowheader', { name: /^(Bo|bo@example\.com)$/ })
    .waitFor()
  await page.getByRole('region', { name: 'Tools', exact: true }).getByText('mail/send').click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
  expect(inbox.opened.problems).toEqual([])
})

promise(
  ['CS-INBOX-37'],
  'a card has the earlier calls of its tool and how they ended, with values boxed',
  async () => {
    const page = await open(cardOf('transfer'))
    const earlier = page.getByRole('region', { name: 'Earlier calls of this tool' })
    await earlier.getByText('Of the last 2: 2 approved').waitFor()
    await expect.poll(() => earlier.getByRole('listitem').count()).toBe(2)
    expect(await earlier.locator('[data-value]').first().innerText()).toContain('4100')
    await earlier.getByRole('link', { name: 'All of them' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    expect(new URL(page.url()).searchParams.get('tool')).toBe('transfer_money')
  },
)

test('an unknown outcome is written down by a person, with how they know', async () => {
  const page = await open(historyOf('unknown'))
  await page.getByRole('button', { name: 'Write down what happened' }).click()
  const save = page.getByRole('button', { name: 'Save' })
  expect(await save.isDisabled()).toBe(true)
  await page.getByLabel('It succeeded').check()
  await page.getByLabel('How you know').fill('The bank statement shows it.')
  await save.click()
  await page.getByText('A person checked: it succeeded.').waitFor()
  await page.getByText('Ana wrote down: It succeeded').waitFor()
})

test('a yes that was not used yet can be taken back', async () => {
  const page = await open(cardOf('approved'))
  await page.getByRole('button', { name: 'Revoke this yes' }).click()
  await page.getByText('The yes was taken back before it was used.', { exact: false }).waitFor()
  expect(inbox.server.sent[0]?.body.verdict).toBe('deny')
})

test('the policy page explains a call, and sends it as it was typed', async () => {
  const page = await open('/policy', {
    async seed(server) {
      await seedPeople(server)
      changePolicyOnDisk(server)
    },
  })
  await page.getByRole('heading', { name: 'Changed on disk, not active' }).waitFor()
  const sent = page.waitForRequest('**/v1/policy/explain')
  await page
    .getByLabel('A call, as JSON')
    .fill('{"tool":"pay","args":{"n":1,"n":12345678901234567890}}')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  expect((await sent).postData()).toBe('{"tool":"pay","args":{"n":1,"n":12345678901234567890}}')
  await page.getByRole('alert').getByText('n').first().waitFor()
  await page
    .getByLabel('A call, as JSON')
    .fill('{"tool":"transfer_money","server":"payments","args":{"amount":"many"}}')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByText('This cannot be tested, so it counts against the call.').first().waitFor()
  expect(inbox.opened.problems).toEqual([])
})

test('a call that does not exist is said to be absent', async () => {
  const page = await open('/approvals/ap_nothing')
  await page.getByText('There is no such call, or it is not yours to see.').waitFor()
})

test('every page says so while the policy is only watched', async () => {
  const page = await open('/', { ...EMPTY, observe: true })
  const banner = page.getByRole('status').filter({ hasText: 'Observing.' })
  await banner.waitFor()
  await page.getByRole('heading', { name: 'Nothing is waiting' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'History' }).first().click()
  await page.waitForURL('**/history')
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await banner.waitFor()
  await inbox.close()
  const other = await open('/')
  await other.locator('[data-row]').first().waitFor()
  expect(await other.getByText('Observing.').count()).toBe(0)
})

test('half of one view and half of another are not the whole call', async () => {
  const body = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n')
  const args = { to: 'a@example.com', subject: 'x', body }
  const server = await inbox.start(EMPTY)
  const id = await server.ask({ tool: 'send', server: 'demo', args })
  const page = await open(`/approvals/${id}`, {}, { height: 700 })
  const approve = page.locator('[data-approve]')
  await page.getByText('More below').waitFor()
  await page.getByRole('button', { name: 'Tree' }).click()
  await page.evaluate(() => {
    const box = document.querySelector('article')?.parentElement
    if (box) box.scrollTop = box.scrollHeight
  })
  await stoodStill(page)
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await readToEnd(page)
  await armed(page)
})

test('what an approver changed is shown value by value, beside what stood there', async () => {
  const server = await inbox.start(EMPTY)
  const { args = {} } = SHAPES.mail ?? {}
  const id = await server.ask({ tool: 'send', server: 'newsletter', args })
  const page = await open(`/approvals/${id}`)
  await page.getByRole('button', { name: 'Message', exact: true }).waitFor()
  const edit = { arguments: { ...args, subject: 'Another' } }
  await server.decide('bo@example.com', id, { verdict: 'approve', edit })
  await page.getByText('changed while you were reading', { exact: true }).waitFor()
  const view = page.getByRole('button', { name: 'Message', exact: true })
  await view.waitFor({ state: 'detached' })
})

promise(
  ['CS-INBOX-32', 'CS-INBOX-47'],
  'what a command would do stands above it in every view, and lines of a patch have their numbers',
  async () => {
    const page = await open(cardOf('bash'), SHAPED)
    const deeds = page.locator('[data-deed]')
    await deeds.first().waitFor()
    for (const view of ['Command', 'Tree', 'Raw']) {
      await page.getByRole('button', { name: view, exact: true }).click()
      await expect
        .poll(() => deeds.allInnerTexts())
        .toEqual([
          'Runs what it downloads: curl … | sh in line 1.',
          'Deletes files: rm -rf in line 2.',
        ])
    }
    await page.goto(`${inbox.server.url}${cardOf('patch')(inbox.server)}`)
    const patch = page.locator('[data-block="patch"]')
    await patch.waitFor()
    const numbers = await patch.locator('[data-number]').allInnerTexts()
    const pairs = numbers.flatMap((one, at) => (at % 2 === 0 ? [`${one}|${numbers[at + 1]}`] : []))
    expect(pairs).toEqual(['|', '|', '|', '18|18', '19|19', '20|', '|20', '21|21', '|'])
    expect(await patch.locator('.changed-part').allInnerTexts()).toEqual([
      'rate',
      '(order.exempt ? 0 : rate)',
    ])
  },
)

test('T goes from one view to the next', async () => {
  const page = await open(cardOf('sql'), SHAPED)
  const shown = () => page.locator('[data-view]').getAttribute('data-view')
  await page.getByText('Writes: UPDATE in line 1.').waitFor()
  await page.getByText('Inside a text or a comment: DROP in line 6.', { exact: false }).waitFor()
  expect(await shown()).toBe('special')
  for (const next of ['tree', 'raw', 'special']) {
    await page.keyboard.press('t')
    await expect.poll(shown).toBe(next)
  }
})

test('a part that cannot be fetched says so, and the rest of the page stays', async () => {
  const page = await open('/')
  await page.locator('[data-row]').first().waitFor()
  await page.route('**/assets/history-page-*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'History' }).first().click()
  await page.getByText('A part of this page was not loaded.').waitFor()
  await page.unroute('**/assets/history-page-*.js')
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.locator('[data-row]').first().waitFor()
  expect(inbox.opened.problems).toEqual([])
})
