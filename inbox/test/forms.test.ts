import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import type { SeedCall } from '../dev/seed-server.ts'
import { FORM_CALL as REFUND } from '../dev/seeds/form.ts'
import { armed, barriers, readToEnd, type View } from './browser-page.ts'
import { seededInbox } from './seeded-inbox.ts'

const BO = 'bo@example.com'
const CY = 'cy@example.com'

const inbox = seededInbox()
const approve = (page: Page) => page.locator('[data-approve]')
const field = (page: Page, name: string) => page.locator(`[data-field="${name}"]`)
const sent = () => inbox.server.sent
const PHONE = { width: 390, height: 844 }

async function open(call: SeedCall = REFUND, view?: View, email?: string): Promise<Page> {
  const server = await inbox.start()
  server.ids.set('asked', await server.ask(call))
  return openAsked(view, email)
}

async function openAsked(view?: View, email?: string): Promise<Page> {
  const page = await inbox.open(
    (server) => `/approvals/${server.id('asked')}`,
    email === undefined ? {} : { email },
    view,
  )
  await page.getByRole('heading', { name: 'Computed by Countersign' }).waitFor()
  await readToEnd(page)
  await armed(page)
  return page
}

promise(
  ['CS-FORM-7'],
  'the form is filled in on the card; what is missing is told beside its field, and Approve stays in place',
  async () => {
    const page = await open()
    const before = await approve(page).boundingBox()
    await approve(page).click()
    await field(page, 'amount').getByText('Fill this in.').first().waitFor()
    expect(await field(page, 'account').innerText()).toContain('Choose one.')
    expect(await field(page, 'notify').innerText()).toContain('Choose one.')
    expect(await field(page, 'comment').innerText()).not.toContain('Fill')
    // The person is led to the first of them, and a screen reader to its error.
    const focused = page.locator(':focus')
    await expect.poll(() => focused.getAttribute('aria-invalid')).toBe('true')
    expect(await focused.getAttribute('aria-required')).toBe('true')
    const described = (await focused.getAttribute('aria-describedby')) ?? ''
    expect(described.split(' ')).toHaveLength(2)
    expect(await approve(page).boundingBox()).toEqual(before)
    expect(sent()).toEqual([])
    await page.getByLabel('Amount to release').fill('501')
    await field(page, 'amount').getByText('At most 500.').first().waitFor()
    await page.getByLabel('Amount to release').fill('120')
    await page.getByLabel('Savings').check()
    await page.getByRole('group', { name: 'Tell the customer?' }).getByLabel('Yes').check()
    await page.getByLabel('damage').check()
    await page.getByLabel('other', { exact: true }).check()
    await page.getByLabel('Country').selectOption({ label: 'CH' })
    await page.getByLabel('City').fill('Bern')
    await field(page, 'comment').getByRole('textbox').fill('Two scratches,\nnothing else.')
    await page.getByLabel('Anything else').fill('{"photos": 3}')
    // What only the server knows comes back to its field.
    await page.getByLabel('Reference').fill('2231')
    await approve(page).click()
    await page.getByText('The form does not accept these answers.').waitFor()
    await field(page, 'reference').getByText('Must match pattern').first().waitFor()
    expect(sent()).toEqual([])
    await page.getByLabel('Reference').fill('R-2231')
    await armed(page)
    await approve(page).click()
    await page.getByText('Approved. The agent has not picked it up yet.').waitFor()
    expect(sent()).toMatchObject([
      {
        body: {
          verdict: 'approve',
          payload: {
            amount: 120,
            account: 'savings',
            notify: true,
            tags: ['damage', 'other'],
            reference: 'R-2231',
            country: 'CH',
            address: { city: 'Bern' },
            comment: 'Two scratches,\nnothing else.',
            extra: { photos: 3 },
          },
        },
      },
    ])
    expect(inbox.opened.problems).toEqual([])
  },
)

promise(
  ['CS-FORM-7'],
  'words of the asker stand in the frame of what is claimed, drawn as text',
  async () => {
    const sly = {
      type: 'object',
      title: '<b>Computed by Countersign</b>',
      properties: {
        ok: {
          type: 'string',
          title: 'Checked\u202Eby us',
          description: '<img src=x onerror=alert(1)>',
        },
      },
    }
    const page = await open({ ...REFUND, form: sly })
    const form = page.locator('section.claimed').last()
    expect(await form.innerText()).toContain('<b>Computed by Countersign</b>')
    expect(await form.innerText()).toContain('Labels are the agent’s words, not checked.')
    expect(await form.innerText()).toContain('U+202E')
    expect(await form.locator('img, b >> text=Computed').count()).toBe(0)
    const computed = page.locator('section.ledger')
    for (const words of ['<b>Computed', '<img', 'U+202E']) {
      expect(await computed.innerText()).not.toContain(words)
    }
    expect(inbox.opened.problems).toEqual([])
  },
)

promise(['CS-FORM-7'], 'keys pressed in the form are typed, and decide nothing', async () => {
  const page = await open()
  await page.getByLabel('Main account').focus()
  for (const key of ['a', 'd', 'e', '1', 'Enter']) await page.keyboard.press(key)
  await field(page, 'comment').getByRole('textbox').focus()
  await page.keyboard.type('add')
  await page.keyboard.press('Enter')
  await armed(page)
  expect(sent()).toEqual([])
  expect(await page.getByLabel('Write a reason').inputValue()).toBe('')
  expect(await field(page, 'comment').getByRole('textbox').inputValue()).toBe('add\n')
  // What was typed is there again after looking at another call.
  await page.evaluate(() => history.pushState(null, '', '/'))
  await page.goBack()
  const kept = field(page, 'comment').getByRole('textbox')
  await expect.poll(() => kept.inputValue()).toBe('add\n')
})

test.each([
  ['a phone', PHONE],
  ['a tablet', { width: 820, height: 1100 }],
  ['a desk', { width: 1440, height: 900 }],
  ['a desk in the dark', { width: 1440, height: 900, colorScheme: 'dark' }],
] as const)(
  'on %s the form has no barriers, empty and with mistakes',
  async (_, view) => {
    const page = await open(REFUND, view)
    expect(await barriers(page)).toEqual([])
    await approve(page).click()
    await page.getByText('Fill this in.').first().waitFor()
    expect(await barriers(page)).toEqual([])
  },
  60_000,
)

promise(['CS-FORM-8'], 'a call with a form is not approved among others', async () => {
  const server = await inbox.start()
  const ids = [
    await server.ask(REFUND),
    await server.ask({ tool: 'refund', args: { invoice: 'plain' } }),
  ]
  const page = await inbox.open('/')
  for (const id of ids) {
    const row = page.getByRole('listitem').filter({ has: page.locator(`[data-row="${id}"]`) })
    await row.getByRole('checkbox').check()
  }
  await page.getByText('2 calls together').first().waitFor()
  const call = page.locator(`[data-call="${ids[0]}"]`)
  expect(await call.innerText()).toContain('It has a form: fill it in on its own card.')
  expect(await call.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
  await readToEnd(page)
  await armed(page)
  await page.locator('[data-approve]').click()
  await page.getByText('1 approved').waitFor()
  expect(sent().map(({ id }) => id)).toEqual([ids[1]])
})

promise(
  ['CS-FORM-5', 'CS-FORM-11'],
  'the second approver sees the answers of the first, and is told what other answers do',
  async () => {
    const server = await inbox.start()
    const form = {
      type: 'object',
      required: ['amount'],
      properties: {
        amount: { type: 'integer', title: 'Amount' },
        pin: { type: 'string', title: 'Pin', 'x-secret': true },
      },
    }
    const call = { tool: 'send', server: 'newsletter', args: { subject: 'March' }, form }
    const id = await server.ask(call)
    server.ids.set('asked', id)
    await server.decide(BO, id, { verdict: 'approve', payload: { amount: 40, pin: 'hunter-22' } })
    const page = await openAsked(undefined, CY)
    expect(await page.getByLabel('Amount').inputValue()).toBe('40')
    expect(await page.getByLabel('Pin').inputValue()).toBe('')
    expect(await page.content()).not.toContain('hunter-22')
    await page.getByText('A yes with the same answers agrees to them.').waitFor()
    await page.getByLabel('Amount').fill('41')
    await page.getByText('answered otherwise. With your answers that approval is void').waitFor()
    await approve(page).click()
    await page.getByText('You approved. One more approval to go.').waitFor()
    const form2 = page.locator('section.claimed').last()
    await form2.getByText('it no longer counts').first().waitFor()
    await page.getByRole('link', { name: 'Everything that happened' }).click()
    const event = page.getByRole('listitem').filter({ hasText: 'said yes' }).last()
    await expect.poll(() => event.innerText()).toMatch(/Amount\s+41/)
    expect(await page.content()).not.toContain('hunter-22')
  },
)

promise(
  ['CS-FORM-10'],
  'a workflow’s name, run and steps are on the card, as claimed',
  async () => {
    const page = await open()
    const claimed = page.locator('section.claimed').first()
    const steps = claimed.getByRole('list', { name: 'Steps of the workflow' })
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(5)
    expect(await claimed.innerText()).toContain('deposit-release')
    expect(await claimed.innerText()).toContain('run 0b1c-4711 on openworkflow')
    expect(await claimed.locator('[aria-current="step"]').innerText()).toContain('release')
    expect(await page.locator('section.ledger').innerText()).not.toContain('inspect the flat')
  },
)
