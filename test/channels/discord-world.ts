import { expect, onTestFinished, vi } from 'vitest'
import { discord } from '../../src/channels/discord/discord.ts'
import type { Share } from '../../src/gate/notify/channel.ts'
import type { Store } from '../../src/store/store.ts'
import { chatWorld } from './chat-world.ts'
import { answerProblem, buttonsOf, textsOf } from './discord-rules.ts'
import {
  APP_ID,
  BOT_ID,
  conversationOf,
  type FakeMessage,
  fakeDiscord,
  nextId,
  PUBLIC_KEY,
  plainOf,
  signedByDiscord,
  TOKEN,
} from './fake-discord.ts'

export const FAY = '420000000000000001'
export const FINN = '420000000000000002'
export const EVE = '420000000000000003'

type Fields = Readonly<Record<string, unknown>>

export interface DiscordWorldOptions {
  readonly share?: Share
  readonly store?: Store
  readonly channels?: Readonly<Record<string, string>>
  readonly guild?: string
}

export const userOf = (id: string, more: object = {}) => ({
  ...{ id, username: 'fay', global_name: 'Fay', discriminator: '0' },
  ...more,
})

/** What Discord posts. In a conversation with the bot unless told otherwise. */
export const interaction = (type: number, data: unknown, more: object = {}) => ({
  ...{ id: nextId(), application_id: APP_ID, type, data, token: 'x', version: 1, context: 1 },
  user: userOf(FAY),
  ...more,
})

export const command = (code: string, more: object = {}) =>
  interaction(
    2,
    { id: '1', name: 'countersign', type: 1, options: [{ type: 3, name: 'code', value: code }] },
    more,
  )

/** A button of this message, as Discord tells of it. */
export const press = (message: Fields, custom_id: string, more: object = {}) =>
  interaction(3, { component_type: 2, custom_id }, { message, ...more })

export const submitted = (custom_id: string, value: string, more: object = {}) =>
  interaction(
    5,
    { custom_id, components: [{ type: 18, component: { type: 4, custom_id: 'reason', value } }] },
    more,
  )

export const idOf = (message: Fields, label: string) =>
  buttonsOf(message.components).find((one) => one.label === label)?.custom_id ?? ''

/** What one person was answered: as a message that only they see. */
export const cardOf = (answer: Fields): Fields => ({
  ...(answer.data as Fields),
  ...{ id: nextId(), author: { id: BOT_ID, bot: true } },
})

export const textOf = (answer: Fields) =>
  textsOf((answer.data as Fields | undefined)?.components)
    .map((text) => text.replaceAll(/^```(?:text|json)\n|\n```$/gm, ''))
    .join('\n')

/** A server with Discord. */
export async function discordWorld(options: DiscordWorldOptions = {}) {
  const { share = 'arguments', store, channels = {}, guild } = options
  const fake = await fakeDiscord()
  onTestFinished(() => fake.close())
  const channel = discord({
    ...{ botToken: TOKEN, publicKeys: PUBLIC_KEY, share, channels, apiUrl: fake.apiUrl },
    ...(guild === undefined ? {} : { guild }),
  })
  const own = await chatWorld(channel, store)
  const { fay } = own

  async function post(payload: unknown, headers?: Record<string, string>) {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const response = await own.receive(body, headers ?? signedByDiscord(body))
    const answer = (await response.json()) as Fields
    if (response.status === 200) expect(answerProblem(answer)).toBeUndefined()
    return { status: response.status, answer }
  }

  const link = (as = fay, user = FAY) =>
    own.linked(as, async (code) => {
      const { answer } = await post(command(code, { user: userOf(user) }))
      expect(textOf(answer)).toMatch(/^The code is right/)
    })

  /** The message about it in this conversation, once it is there. */
  const asking = (id: string, place = conversationOf(FAY)) =>
    vi.waitFor(() => {
      const found = fake.messages.find(
        ({ channel: at, text }) => at === place && text.endsWith(`-# ref ${id}`),
      )
      if (!found) throw new Error('not asked yet')
      return found
    }, 5_000)

  /** Presses the button with these words, and gives what the person is shown. */
  async function click(message: Fields | FakeMessage, label: string, user = FAY): Promise<Fields> {
    const at = 'edits' in message ? fake.seen(message as FakeMessage) : message
    const { status, answer } = await post(press(at, idOf(at, label), { user: userOf(user) }))
    expect(status).toBe(200)
    // As a client does: the message with the button changes.
    if (answer.type === 7 && 'edits' in message) {
      const { content, components } = answer.data as Pick<FakeMessage, 'content' | 'components'>
      Object.assign(message, { content, components, text: plainOf(content) })
    }
    return answer
  }

  /** The whole call, as this person sees it. */
  async function open(id: string, user = FAY): Promise<Fields> {
    const answer = await click(await asking(id, conversationOf(user)), 'Read and decide', user)
    return cardOf(answer)
  }

  return { ...own, fake, post, link, asking, click, open }
}
