import { expect, onTestFinished, vi } from 'vitest'
import { telegram } from '../../src/channels/telegram/telegram.ts'
import type { Share } from '../../src/gate/notify/channel.ts'
import type { Store } from '../../src/store/store.ts'
import { chatWorld } from './chat-world.ts'
import {
  type FakeMessage,
  type FakeTelegram,
  fakeTelegram,
  TOKEN,
  WEBHOOK_SECRET,
} from './fake-telegram.ts'

export const FAY = 42_000_001
export const FINN = 42_000_002
export const EVE = 42_000_003

export interface TelegramWorldOptions {
  readonly share?: Share
  readonly polling?: boolean
  readonly store?: Store
  readonly chats?: Readonly<Record<string, string>>
}

export const userOf = (id: number, more: object = {}) => ({
  ...{ id, is_bot: false, first_name: 'Fay', username: 'fay' },
  ...more,
})

export const typed = (fake: FakeTelegram, id: number, text: string, more: object = {}) => ({
  update_id: fake.updateId(),
  message: {
    ...{ message_id: 1, date: 1_800_000_000, text, from: userOf(id) },
    chat: { id, type: 'private', first_name: 'Fay' },
    ...more,
  },
})

/** As Telegram tells of a button that was pressed in a client. */
export const press = (
  fake: FakeTelegram,
  message: FakeMessage,
  data: string,
  more: object = {},
) => ({
  update_id: fake.updateId(),
  callback_query: {
    ...{ id: crypto.randomUUID(), from: userOf(message.chat), chat_instance: 'c', data },
    message: fake.seen(message),
    ...more,
  },
})

export const dataOf = (message: FakeMessage, text: string) => {
  const button = message.markup?.inline_keyboard.flat().find((one) => one.text === text)
  return button && 'callback_data' in button ? (button.callback_data ?? '') : ''
}

/** A server with Telegram. */
export async function telegramWorld(options: TelegramWorldOptions = {}) {
  const { share = 'arguments', polling = false, store, chats = {} } = options
  const fake = await fakeTelegram()
  onTestFinished(() => fake.close())
  const channel = telegram({
    botToken: TOKEN,
    ...(polling ? {} : { webhookSecrets: WEBHOOK_SECRET }),
    ...{ share, chats, apiUrl: fake.apiUrl },
  })
  const own = await chatWorld(channel, store)
  const { fay } = own

  /** As Telegram posts it. */
  async function post(
    update: unknown,
    headers: Record<string, string> = { 'x-telegram-bot-api-secret-token': WEBHOOK_SECRET },
  ): Promise<number> {
    const body = typeof update === 'string' ? update : JSON.stringify(update)
    const type = { 'content-type': 'application/json' }
    return (await own.receive(body, { ...type, ...headers })).status
  }

  async function deliver(update: Readonly<Record<string, unknown>>): Promise<void> {
    if (!polling) expect(await post(update)).toBe(200)
    else fake.push(update)
  }

  const link = (as = fay, id = FAY) =>
    own.linked(as, async (code) => {
      const before = fake.messages.length
      await deliver(typed(fake, id, code))
      await vi.waitFor(() => expect(fake.messages.length).toBeGreaterThan(before), 5_000)
    })

  /** The message about it in this chat, once it is there. */
  const asking = (id: string, chat = FAY) =>
    vi.waitFor(() => {
      const found = fake.messages.find(
        (one) => one.chat === chat && JSON.stringify([one.markup, one.text]).includes(id),
      )
      if (!found) throw new Error('not asked yet')
      return found
    }, 5_000)

  /** Presses the button with these words, as the owner of the chat. */
  async function click(message: FakeMessage, words: string): Promise<void> {
    const answers = fake.alerts.length
    await deliver(press(fake, message, dataOf(message, words)))
    await vi.waitFor(() => expect(fake.alerts.length).toBeGreaterThan(answers), 5_000)
  }

  async function opened(id: string, chat = FAY): Promise<FakeMessage> {
    const message = await asking(id, chat)
    await click(message, 'Read and decide')
    return message
  }

  return { ...own, fake, post, deliver, link, asking, click, opened }
}
