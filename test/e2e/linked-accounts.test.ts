import { expect, onTestFinished, vi } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { barriers } from '../../inbox/test/browser-page.ts'
import { fakeTelegram, TOKEN } from '../channels/fake-telegram.ts'
import { dataOf, FAY, press, typed } from '../channels/telegram-world.ts'
import { runServer } from '../cli/running-server.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'
import { promise } from '../support/promise.ts'
import { goTo, takeSeat } from './real-inbox.ts'

const POLICY = `version: 1
tools: { pay: { approval: { approvers: [fay@example.com] } } }
`
const PATIENCE = 20_000

promise(
  ['CS-CHAN-3', 'CS-CHAN-4', 'CS-TG-1'],
  'an account is linked, decides and is unlinked in the browser',
  async () => {
    await ensureInbox()
    const fake = await fakeTelegram()
    onTestFinished(() => fake.close())
    const server = await runServer(POLICY, ['--telegram-share', 'arguments'], {
      COUNTERSIGN_TELEGRAM_BOT_TOKEN: TOKEN,
      COUNTERSIGN_TELEGRAM_API_URL: fake.apiUrl,
    })
    onTestFinished(() => server.remove())
    const browser = await borrowBrowser()
    onTestFinished(() => giveBack(browser))
    const { page, problems } = await takeSeat(browser, server, 'fay@example.com')
    await goTo(page, '/linked-accounts')
    await page.getByText('Not linked').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Make a code' }).click()
    const code = await page.locator('section code').innerText()
    fake.push(typed(fake, FAY, code))
    const waiting = page.getByRole('region', { name: 'Telegram account Fay @fay' })
    await waiting.getByText('wants to answer for you').waitFor({ timeout: PATIENCE })
    await expect.poll(() => fake.messages.at(-1)?.text).toMatch(/Now confirm this account/)
    expect(await barriers(page)).toEqual([])
    // Nothing is decided before the account is confirmed.
    const early = await server.ask({ tool: 'pay', run: 'r', key: '1', args: {} })
    await waiting.getByRole('button', { name: 'It is mine' }).click()
    await waiting.getByText('Answers for you until').waitFor()
    expect(await server.statusOf(early.id)).toBe('pending')

    const { id } = await server.ask({ tool: 'pay', run: 'r', key: '2', args: { to: 'Lena' } })
    const message = await vi.waitFor(() => {
      const found = fake.messages.find((one) => dataOf(one, 'Read and decide').includes(id))
      if (!found) throw new Error('not asked yet')
      return found
    }, PATIENCE)
    fake.push(press(fake, message, dataOf(message, 'Read and decide')))
    await vi.waitFor(() => expect(dataOf(message, 'Deny')).not.toBe(''), PATIENCE)
    fake.push(press(fake, message, dataOf(message, 'Deny')))
    await expect.poll(() => server.statusOf(id), { timeout: PATIENCE }).toBe('denied')

    await waiting.getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('Not linked').waitFor()
    expect(problems).toEqual([])
  },
  90_000,
)
