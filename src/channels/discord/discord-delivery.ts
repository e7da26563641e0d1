import { createHash } from 'node:crypto'
import {
  type Delivery,
  NotDelivered,
  type Notice,
  type SentMessage,
} from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { deliverThreaded, type Place } from '../chat/threaded-delivery.ts'
import { readAddress } from './discord-addresses.ts'
import { type DiscordCall, DiscordError, idAt, isId } from './discord-api.ts'
import type { DiscordApplication } from './discord-application.ts'
import {
  type DiscordMessage,
  isAbout,
  questionMessage,
  reminderMessage,
  settledMessage,
  talkMessage,
} from './discord-messages.ts'

export interface DiscordDelivery {
  readonly call: DiscordCall
  readonly application: () => Promise<DiscordApplication>
  /** Whether calls are shown and decided in Discord. */
  readonly mayAnswer: boolean
}

/** Messages of a conversation that are looked through for one that may be there. */
const LOOKED_THROUGH = 100

/** One message per conversation and approval, which replies follow. */
export async function deliver(
  { call, application, mayAnswer }: DiscordDelivery,
  notice: Notice,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SentMessage | undefined> {
  const chat = {
    ...{ placeOf, conversation, find, post, reply, change, talkMessage, reminderMessage },
    messageOf: (told: Notice) => messageOf(told, mayAnswer),
    settledReply: (told: Notice) => settledMessage(told, told.id),
  }
  try {
    return await deliverThreaded<DiscordMessage>(chat, notice, delivery)
  } catch (error) {
    throw error instanceof DiscordError ? failureOf(error) : error
  }

  async function conversation(to: string): Promise<string> {
    const { user, channel } = readAddress(to)
    if (channel !== undefined) return channel
    const opened = await call('POST /users/@me/channels', { recipient_id: user }, { signal })
    return named(opened, 'which conversation it opened')
  }

  async function post(channel: string, said: DiscordMessage, replyTo?: string) {
    const reference =
      replyTo === undefined
        ? {}
        : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }
    // What came twice within minutes is one message: Discord compares this.
    const nonce = createHash('sha256').update(`${channel} ${notice.id}`).digest('hex').slice(0, 25)
    const sent = await call(
      `POST /channels/${channel}/messages`,
      { ...said, ...reference, nonce, enforce_nonce: true },
      { signal },
    )
    return { ref: `${channel}/${named(sent, 'which message it posted')}` }
  }

  /** A message that people deleted misleads no reader. */
  async function change(channel: string, id: string, said: DiscordMessage): Promise<void> {
    await call(`PATCH /channels/${channel}/messages/${id}`, said, { signal }).catch(
      (error: unknown) => {
        if (!(error instanceof DiscordError && DELETED.includes(error.code))) throw error
      },
    )
  }

  async function reply(channel: string, id: string, said: DiscordMessage): Promise<void> {
    if (delivery.repeated && (await find(channel, notice.id)) !== undefined) return
    await post(channel, said, id)
  }

  /**
   * After a crash it is not known whether the message was posted: its last line says what it is about.
   * Only what our own bot wrote counts, because others can write the same line.
   */
  async function find(channel: string, about: string): Promise<string | undefined> {
    const { bot } = await application()
    const route = `GET /channels/${channel}/messages?limit=${LOOKED_THROUGH}` as const
    const found = await call(route, undefined, { signal })
    const messages = Array.isArray(found) ? (found as readonly unknown[]) : []
    const own = messages.find(
      (one) => textAt(one, 'author', 'id') === bot && isAbout(textAt(one, 'content'), about),
    )
    return idAt(own, 'id') || undefined
  }
}

/** The first message of a conversation. Only a question has the button that opens the call. */
function messageOf(notice: Notice, mayAnswer: boolean): DiscordMessage {
  if (notice.kind === 'questioned') return talkMessage(notice, notice.approval.id)
  return notice.question ? questionMessage(notice, { mayAnswer }) : settledMessage(notice)
}

function named(answer: unknown, what: string): string {
  const id = idAt(answer, 'id')
  if (id === '') throw new NotDelivered(`Discord does not say ${what}`)
  return id
}

function placeOf(ref: string): Place | undefined {
  const [channel = '', id = ''] = ref.split('/')
  return isId(channel) && isId(id) ? { channel, id } : undefined
}

const [UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_USER] = [10_003, 10_008, 10_013]
const DELETED: readonly number[] = [UNKNOWN_CHANNEL, UNKNOWN_MESSAGE]
/** The person takes no messages of the bot, or shares no server with it. */
const CANNOT_WRITE = 50_007
/** The address itself is no more; others are told all the same. */
const GONE: readonly number[] = [UNKNOWN_CHANNEL, UNKNOWN_USER, CANNOT_WRITE]
/** Conversations are opened too fast. */
const TOO_FAST = 40_003

export function failureOf({ code, message }: DiscordError): NotDelivered {
  if (code === TOO_FAST) return new NotDelivered(message, { retryAfter: 30_000 })
  return new NotDelivered(message, { gone: GONE.includes(code) })
}
