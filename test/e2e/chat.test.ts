import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { barriers } from '../../inbox/test/browser-page.ts'
import { streamingProvider } from '../chat/streaming-provider.ts'
import { promise } from '../support/promise.ts'
import {
  goTo,
  makeImpatient,
  outwait,
  readOn,
  readyButton,
  realInbox,
  type SeatOptions,
} from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const inbox = realInbox('version: 1\n', ['--demo'])
const { seat } = inbox

async function chat(email: string, options: SeatOptions = {}): Promise<Page> {
  const page = await seat(email, options)
  await page.getByRole('link', { name: 'Chat', exact: true }).first().click()
  await page.getByText('What should be done?').waitFor()
  return page
}

async function say(page: Page, text: string): Promise<void> {
  // While the model answers, there is Stop in its place.
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

const PAY = 'Pay Northwind 18,400'
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'May this call run?' })

promise(
  ['SP-33', 'SP-34', 'SP-61'],
  'the tutorial: ask, see the dialog with the exact arguments, approve, and it ran',
  async () => {
    const page = await chat('ana@example.com')
    await makeImpatient(page)
    await say(page, PAY)
    const dialog = dialogOf(page)
    await dialog.getByRole('heading', { name: 'Pay 18400 EUR to Northwind?' }).waitFor()
    await dialog.getByText('All 4 arguments shown').waitFor()
    await dialog.getByText('L3 Elevated').waitFor()
    await dialog.getByText('Why you are asked').waitFor()
    await expect.poll(() => dialog.getByText(/1:\d\d/).count()).toBeGreaterThan(0)
    expect(await barriers(page)).toEqual([])
    await outwait(page)
    await readyButton(page)
    await page.keyboard.press('a')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('ran. It answered').waitFor()
    const call = page.getByRole('listitem').filter({ hasText: 'I call' })
    await call.locator('summary').click()
    await call.getByText('"Invoice of Northwind"').waitFor()
    expect(await call.innerText()).toContain('Ran')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: /^Pay Northwind 18,400/ }).waitFor()
  },
)

promise(
  ['SP-14', 'SP-36', 'SP-38', 'CS-CHAT-9'],
  'an edit runs as edited, a no and a closed dialog do not run, and the model says so',
  async () => {
    const page = await chat('ana@example.com', { width: 390, height: 844 })
    const dialog = dialogOf(page)
    const examples = page.getByRole('list', { name: 'Examples' })
    await examples.getByRole('button', { name: PAY, exact: true }).click()
    await readOn(page)
    await readyButton(page)
    expect(await barriers(page)).toEqual([])
    expect(await overflows(page)).toBe(false)
    await dialog.getByRole('region', { name: 'Decide' }).getByText('More', { exact: true }).click()
    await dialog.getByRole('button', { name: /Approve with edits/ }).click()
    await dialog.getByRole('textbox', { name: 'amount' }).fill('17000')
    await expect
      .poll(
        async () => {
          const send = dialog.getByRole('button', { name: /^Approve (?:edited|with)/ }).last()
          await send.click({ timeout: 1_000 }).catch(() => {})
          return dialog.count()
        },
        { timeout: 10_000 },
      )
      .toBe(0)
    await page.getByText('ran. It answered').waitFor()
    await page.locator('summary').first().click()
    await page.getByText('"amount": 17000').first().waitFor()

    await say(page, PAY)
    await (await armed(dialog.getByRole('button', { name: /^Deny/ }))).click()
    await page.getByText('did not run').first().waitFor()
    await dialog.waitFor({ state: 'detached' })

    await say(page, PAY)
    await armed(dialog.getByRole('button', { name: /^Deny/ }))
    await dialog.getByRole('button', { name: 'Close, do not run' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect
      .poll(() => page.getByText('withdrawn', { exact: false }).count())
      .toBeGreaterThan(0)
    expect(await overflows(page)).toBe(false)
    expect(await barriers(page)).toEqual([])
  },
)

test('two people: one chats, the other reviews, and the conversation goes on', async () => {
  const [ana, ben] = await Promise.all([chat('ana@example.com'), seat('ben@example.com')])
  await say(ana, 'sample_transfer_money {"to":"Harbour","amount":5000,"currency":"EUR"}')
  await ana.getByText('Other people review this').waitFor()
  expect(await dialogOf(ana).count()).toBe(0)
  expect(await barriers(ana)).toEqual([])
  // A lost page loses nothing of what others review.
  await ana.reload()
  await ana.getByText('Other people review this').waitFor({ timeout: 15_000 })
  await ben.getByRole('heading', { name: 'Transfer 5000 EUR to Harbour?' }).waitFor()
  await (await readyButton(ben)).click()
  await readyButton(ben)
  await ben.locator('[data-approve]').click()
  await ana.getByText('ran. It answered').waitFor({ timeout: 15_000 })
})

promise(
  ['SP-17', 'SP-18', 'CS-CHAT-7'],
  'a server that is killed while the dialog is open runs nothing, and the page says so by itself',
  async () => {
    const [page, other, ben] = await Promise.all([
      chat('ana@example.com'),
      chat('cleo@example.com'),
      seat('ben@example.com'),
    ])
    await Promise.all([
      say(page, PAY),
      say(other, 'sample_transfer_money {"to":"Quay","amount":5000,"currency":"EUR"}'),
    ])
    await other.getByText('Other people review this').waitFor()
    await readyButton(page)
    await inbox.server.kill()
    await page.getByText('The connection to the server is lost').waitFor()
    await page.getByText('Not known yet').waitFor()
    expect(await dialogOf(page).count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    // What others review is decided while this page is still cut off.
    await other.route('**/v1/chat/**', (route) => route.abort())
    await inbox.server.start()
    await ben.getByRole('heading', { name: 'Transfer 5000 EUR to Quay?' }).waitFor()
    await (await readyButton(ben)).click()
    await readyButton(ben)
    await ben.locator('[data-approve]').click()
    await ben.getByText('Approved', { exact: false }).first().waitFor()
    await other.getByText('Not known yet').waitFor()
    await other.unroute('**/v1/chat/**')
    await other.getByText('ran. It answered').waitFor({ timeout: 15_000 })

    await page.getByText('what the server has on record').waitFor({ timeout: 15_000 })
    await page.getByText('did not run').waitFor()
    await page.getByText('Not run', { exact: true }).waitFor()
    expect(await dialogOf(page).count()).toBe(0)
    expect(await barriers(page)).toEqual([])

    // A message that never arrived is not lost, and not sent twice.
    await page.route('**/v1/chat/**', (route) => route.abort())
    await say(page, 'When is the team free on Thursday? Look in the calendar')
    await page.getByText('The connection to the server is lost').waitFor()
    await page.unroute('**/v1/chat/**')
    await page.getByText('your last message did not arrive').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('ran. It answered').waitFor({ timeout: 15_000 })
    expect(await page.getByText('Look in the calendar').count()).toBeLessThan(3)
  },
)

promise(['CS-CHAT-3'], 'what a model writes stays text: no link, no image, no markup', async () => {
  const page = await chat('ana@example.com')
  const hostile =
    '<img src=x onerror=alert(1)> [click](https://example.com) ![x](https://example.com/x.png)'
  const args = JSON.stringify({ day: hostile })
  await say(page, `sample_read_calendar ${args}`)
  await page.getByText('ran. It answered').waitFor()
  await say(
    page,
    `sample_send_mail {"to":"a@example.com","subject":"x","body":${JSON.stringify(hostile)}}`,
  )
  await readyButton(page)
  const messages = page.getByRole('list', { name: 'Messages' })
  expect(await messages.locator('img, iframe, a[href^="http"]').count()).toBe(0)
  expect(await dialogOf(page).locator('img, a[href^="http"]').count()).toBe(0)
})

promise(
  ['CS-MODEL-2', 'CS-MODEL-3'],
  'an admin enters a server of models; what it refuses is said in the chat, and a retry goes on',
  async () => {
    const refusal = { status: 401, text: '{"error":{"message":"no such key"}}' }
    const provider = await streamingProvider([refusal, 'All is well.'])
    const page = await chat('ana@example.com')
    await page.getByText('Model servers').click()
    await page.getByRole('button', { name: 'Add a server' }).click()
    const form = page.getByRole('form', { name: 'Add a server of models' })
    await form.getByLabel('Name').fill('work')
    await form.getByLabel('Address').fill(`${provider.url}/v1`)
    await form.getByLabel('Key').fill('a-key-of-the-provider')
    expect(await barriers(page)).toEqual([])
    await form.getByRole('button', { name: 'Add' }).click()
    await page.getByText(', with a key').waitFor()
    expect(await page.content()).not.toContain('a-key-of-the-provider')
    await page.getByRole('combobox', { name: 'Model' }).selectOption('a-model (work)')
    await say(page, 'How are things?')
    await page.getByText("The model's server refused the key (401).").waitFor()
    await say(page, 'And now?')
    await page.getByText('All is well.').waitFor()
    expect(await barriers(page)).toEqual([])
    await goTo(page, '/chat')
    await page.getByText('Model servers').click()
    await page.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(', with a key').waitFor({ state: 'detached' })
  },
)

promise(
  ['CS-CONNECT-1'],
  'an agent is connected: a token on the spot, a snippet that works, and its first call',
  async () => {
    const page = await seat('ana@example.com')
    await page.getByRole('link', { name: 'Connect' }).first().click()
    await page.getByLabel('Name of the agent').fill('newcomer')
    await page.getByRole('button', { name: 'Make a token' }).click()
    await page.getByText('Waiting for the first request of').waitFor()
    await page.getByRole('button', { name: 'HTTP', exact: true }).click()
    const snippet = (await page.locator('[data-snippet="http"]').innerText()).trim()
    expect(snippet).toContain("/v1/calls'")
    expect(await barriers(page)).toEqual([])
    const { stdout } = await promisify(execFile)('sh', ['-c', snippet])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'allowed' })
    await page.getByText('is connected').waitFor({ timeout: 15_000 })
  },
)

/** Once a press is no accident any more. */
async function armed(button: Locator): Promise<Locator> {
  await expect
    .poll(() => button.getAttribute('aria-disabled'), { timeout: 10_000, interval: 50 })
    .toBe('false')
  return button
}

const overflows = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
