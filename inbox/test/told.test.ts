/** Pages about how a person is told, on a server that has ways to tell. */
import { expect, test } from 'vitest'
import { TOLD } from './every-page.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

test('an account that sent a code is confirmed, and then stands under its chat', async () => {
  const page = await inbox.open('/linked-accounts', TOLD.server)
  const slack = page.getByRole('region', { name: 'Slack', exact: true })
  const telegram = page.getByRole('region', { name: 'Telegram', exact: true })
  await slack.getByText('Answers for you until').waitFor()
  await telegram.getByText('Not linked').waitFor()
  // The account waits above, so that there is no code to send any more.
  expect(await telegram.getByRole('listitem').count()).toBe(0)
  const claim = page.getByRole('region', { name: 'Telegram account Ana @ana_k' })
  await claim.getByText('Account 548820177 of workspace telegram').waitFor()
  await claim.getByRole('button', { name: 'It is mine' }).click()
  await telegram.getByText('Answers for you until').waitFor()
  await claim.getByRole('button', { name: 'Unlink' }).click()
  await telegram.getByText('Not linked').waitFor()

  await telegram.getByRole('button', { name: 'Make a code' }).click()
  const code = telegram.locator('code')
  await code.waitFor()
  expect(await code.innerText()).toMatch(/^\w{4}-\w{4}-\w{4}$/)
  await telegram.getByText('to the bot @countersign_bot').waitFor()
  expect(inbox.opened.problems).toEqual([])
})

test('how to be told is set in the language of the page, in a zone that exists, and kept', async () => {
  const page = await inbox.open('/notifications', TOLD.server, { locale: 'de-DE' })
  const form = page.getByRole('form', { name: 'Wann und wo' })
  await form.getByLabel('von', { exact: true }).waitFor()
  expect(await form.getByLabel('bis', { exact: true }).inputValue()).toBe('07:00')
  const zone = form.getByLabel('Zeitzone')
  expect(await zone.inputValue()).toBe('Europe/Berlin')
  await zone.selectOption('Asia/Tokyo')
  await form.getByLabel('Nachrichten über Telegram').selectOption('daily')
  await form.getByRole('button', { name: 'Speichern' }).click()
  const ana = await inbox.server.person('ana@example.com')
  await expect
    .poll(() => ana.send('GET', '/v1/me/notifications'))
    .toMatchObject({
      preferences: {
        quiet: { zone: 'Asia/Tokyo', from: '22:00', to: '07:00' },
        digests: [{ channel: 'telegram', at: '09:00' }],
      },
    })
})

test('a run stands where its last report says, and what waits is not ticked', async () => {
  const page = await inbox.look((server) => `/runs/${server.id('run')}`, TOLD)
  const reported = page.getByRole('region', { name: 'Reported by the workflow' })
  await reported.getByText('book · waiting · 75 %').waitFor()
  // It went on after its error.
  expect(await reported.getByText('Reported an error').count()).toBe(1)
  expect(await page.locator('main > div > header').getByText('Reported an error').count()).toBe(0)
  const asked = page.getByRole('region', { name: 'What it asked' })
  await asked.getByText('2 questions, 1 waits').waitFor()
  const chip = asked.locator('.chip', { hasText: 'Waiting' })
  expect(await chip.locator('.lucide-check').count()).toBe(0)
})
