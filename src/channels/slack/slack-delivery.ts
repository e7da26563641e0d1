import {
  type Delivery,
  NotDelivered,
  type Notice,
  type SentMessage,
} from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { deliverThreaded, type Place } from '../chat/threaded-delivery.ts'
import { type SlackCall, SlackError } from './slack-api.ts'
import {
  aboutId,
  noticeId,
  questionMessage,
  reminderMessage,
  type SlackMessage,
  settledMessage,
} from './slack-blocks.ts'
import { talkMessage } from './slack-talk.ts'
import type { SlackWorkspace } from './slack-workspace.ts'

export interface SlackDelivery {
  readonly call: SlackCall
  readonly workspace: SlackWorkspace
  /** Whether answers are taken, so that a message may offer to. */
  readonly mayAnswer: boolean
}

/** Messages of a conversation that are looked through for one that may be there. */
const LOOKED_THROUGH = 200

/** One message per conversation and approval, which replies follow. */
export async function deliver(
  { call, workspace, mayAnswer }: SlackDelivery,
  notice: Notice,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<SentMessage | undefined> {
  const chat = {
    ...{ placeOf, conversation, find, post, reply, change, talkMessage, reminderMessage },
    messageOf: (told: Notice) => messageOf(told, mayAnswer),
    settledReply: (told: Notice) => settledMessage(told, noticeId(told.id)),
  }
  try {
    return await deliverThreaded<SlackMessage>(chat, notice, delivery)
  } catch (error) {
    throw error instanceof SlackError ? failureOf(error) : error
  }

  /** A person's address is their id: Slack has a conversation with each. */
  async function conversation(to: string): Promise<string> {
    if (!/^[UW]/.test(to)) return to
    const { body } = await call('conversations.open', { users: to }, signal)
    return textAt(body, 'channel', 'id')
  }

  async function post(
    channel: string,
    { text, blocks }: SlackMessage,
    thread?: string,
  ): Promise<SentMessage> {
    const { body } = await call(
      'chat.postMessage',
      {
        ...{ channel, text, blocks, thread_ts: thread },
        // Nothing in it is a link of ours that Slack should open, nor a name to notify.
        ...{ mrkdwn: false, parse: 'none', link_names: false },
        ...{ unfurl_links: false, unfurl_media: false },
      },
      signal,
    )
    return { ref: `${textAt(body, 'channel') || channel}/${textAt(body, 'ts')}` }
  }

  async function change(channel: string, ts: string, said: SlackMessage): Promise<void> {
    await call('chat.update', { channel, ts, ...said, parse: 'none' }, signal).catch(
      (error: unknown) => {
        // A message that people deleted, or that can no longer be changed, misleads no reader.
        if (!(error instanceof SlackError && SETTLED.includes(error.code))) throw error
      },
    )
  }

  async function reply(channel: string, ts: string, said: SlackMessage): Promise<void> {
    if (delivery.repeated && (await isReplied(channel, ts))) return
    await post(channel, said, ts)
  }

  /** After a crash it is not known whether the message was posted: it says what it is about. */
  async function find(channel: string, id: string): Promise<string | undefined> {
    const oldest = String(Math.floor(notice.approval.askedAt / 1_000) - 60)
    const messages = await read('conversations.history', { channel, oldest })
    const found = messages.find((one) => hasBlock(one, aboutId(id)))
    return textAt(found, 'ts') || undefined
  }

  async function isReplied(channel: string, ts: string): Promise<boolean> {
    const messages = await read('conversations.replies', { channel, ts })
    return messages.some((one) => hasBlock(one, noticeId(notice.id)))
  }

  /** Only what our own bot wrote: any app can choose the names of its blocks. */
  async function read(
    method: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<readonly unknown[]> {
    const { bot } = await workspace.own(signal)
    const { body } = await call(method, { ...fields, limit: String(LOOKED_THROUGH) }, signal)
    const messages = Array.isArray(body.messages) ? (body.messages as readonly unknown[]) : []
    return messages.filter((one) => textAt(one, 'user') === bot)
  }
}

/** The first message of a conversation. Only a person who can decide gets the buttons of a question. */
function messageOf(notice: Notice, mayAnswer: boolean): SlackMessage {
  if (notice.kind === 'questioned') return talkMessage(notice, aboutId(notice.approval.id))
  return notice.question ? questionMessage(notice, { mayAnswer }) : settledMessage(notice)
}

function hasBlock(message: unknown, name: string): boolean {
  const { blocks } = (message ?? {}) as { readonly blocks?: unknown }
  return Array.isArray(blocks) && blocks.some((one) => textAt(one, 'block_id') === name)
}

function placeOf(ref: string): Place | undefined {
  const [channel = '', id = ''] = ref.split('/')
  return channel === '' || id === '' ? undefined : { channel, id }
}

const SETTLED = ['message_not_found', 'cant_update_message', 'edit_window_closed']
/** The address itself is no more; others are told all the same. */
const GONE = ['user_not_found', 'users_not_found', 'user_disabled', 'cannot_dm_bot', 'is_archived']

export function failureOf({ code, message }: SlackError): NotDelivered {
  if (code === 'ratelimited') return new NotDelivered(message, { retryAfter: 30_000 })
  return new NotDelivered(message, { gone: GONE.includes(code) })
}
