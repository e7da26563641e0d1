import { Bot, webhookCallback } from 'grammy'
import { expect, onTestFinished, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { fakeTelegram, TOKEN, WEBHOOK_SECRET } from './fake-telegram.ts'
import { dataOf, FAY, press, telegramWorld, typed } from './telegram-world.ts'

/** A bot that others wrote, at the same fake. */
function grammyBot(apiUrl: string) {
  const bot = new Bot(TOKEN, { client: { apiRoot: apiUrl } })
  const heard: string[] = []
  bot.on('message:text', (context) => void heard.push(context.message.text))
  bot.on('callback_query:data', async (context) => {
    heard.push(context.callbackQuery.data)
    await context.answerCallbackQuery()
  })
  return { bot, heard }
}

promise(
  ['CS-TG-1'],
  'the Telegram of these tests serves a bot that others wrote, with the same updates',
  async () => {
    const fake = await fakeTelegram()
    onTestFinished(() => fake.close())
    const { bot, heard } = grammyBot(fake.apiUrl)
    void bot.start({ timeout: 1, drop_pending_updates: false })
    onTestFinished(() => bot.stop())
    await bot.api.sendMessage(FAY, 'hello', {
      reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'x:1' }]] },
    })
    fake.push(typed(fake, FAY, 'hi'))
    const [message] = fake.messages
    if (message) fake.push(press(fake, message, 'x:1'))
    await vi.waitFor(() => expect(heard).toEqual(['hi', 'x:1']), 5_000)
    await vi.waitFor(() => expect(fake.alerts).toEqual(['']), 5_000)
  },
)

promise(
  ['CS-TG-2'],
  'the webhook takes and refuses what the webhook of others takes and refuses',
  async () => {
    const { fake, post, link, ask, asking } = await telegramWorld()
    await link()
    const { id } = await ask('pay')
    const message = await asking(id)
    const { bot, heard } = grammyBot(fake.apiUrl)
    await bot.init()
    const handle = webhookCallback(bot, 'std/http', { secretToken: WEBHOOK_SECRET })
    for (const secret of [WEBHOOK_SECRET, '', 'wrong', `${WEBHOOK_SECRET} x`]) {
      const update = press(fake, message, dataOf(message, 'Read and decide'))
      const headers = {
        'content-type': 'application/json',
        ...(secret === '' ? {} : { 'x-telegram-bot-api-secret-token': secret }),
      }
      const theirs = await handle(
        new Request('http://x/', { method: 'POST', headers, body: JSON.stringify(update) }),
      )
      expect([secret, await post(update, headers)]).toEqual([secret, theirs.status])
    }
    expect(heard).toEqual([expect.stringMatching(/^o:/)])
  },
)
