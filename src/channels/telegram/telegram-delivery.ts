import { isTalk } from '../../approval/transition.ts'
import {
  type Delivery,
  NotDelivered,
  type Notice,
  type SentMessage,
} from '../../gate/notify/channel.ts'
import { type TelegramCall, TelegramError } from './telegram-api.ts'
import { idAt } from './telegram-bot.ts'
import {
  digestMessage,
  questionMessage,
  reminderMessage,
  settledMessage,
  type TelegramMessage,
  talkMessage,
} from './telegram-messages.ts'

export interface TelegramDelivery {
  readonly call: TelegramCall
  /** Whether calls are shown and decided in Telegram. */
  readonly mayAnswer: boolean
}

/**
 * One message per chat and approval: sent once, then edited. A bot cannot look for what it sent, so
 * a first message whose process died before it was noted may be there twice.
 */
export async function deliver(
  { call, mayAnswer }: TelegramDelivery,
  notice: Notice,
  { address, previous, settles }: Delivery,
  signal: AbortSignal,
): Promise<SentMessage | undefined> {
  const { kind, question } = notice
  // A group is told, and answers nothing.
  const message =
    kind === 'questioned'
      ? talkMessage(notice)
      : question
        ? questionMessage(notice, { mayAnswer: mayAnswer && !isGroup(address) })
        : settledMessage(notice)
  try {
    const place = previous ? readPlace(previous.ref) : undefined
    if (!place) return settles ? undefined : await send(address, message)
    if (isTalk(kind)) await send(place.chat, talkMessage(notice), place.id)
    else if (kind === 'reminded') await send(place.chat, reminderMessage(notice), place.id)
    // The question is still open, and who was asked it can still answer.
    else if (kind === 'unreachable') await send(place.chat, message, place.id)
    else await edit(call, place, message, signal)
    return { ref: `${place.chat}/${place.id}` }
  } catch (error) {
    throw error instanceof TelegramError ? failureOf(error) : error
  }

  async function send(chat: string, said: TelegramMessage, replyTo?: number): Promise<SentMessage> {
    const reply =
      replyTo === undefined
        ? {}
        : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }
    const sent = await call(
      'sendMessage',
      { chat_id: Number(chat), ...said, ...NO_PREVIEW, ...reply },
      { signal },
    )
    const id = idAt(sent, 'message_id')
    if (id === '') throw new NotDelivered('Telegram does not say which message it sent')
    return { ref: `${chat}/${id}` }
  }
}

/** Several calls in one message. Nothing of it is edited later. */
export async function deliverDigest(
  call: TelegramCall,
  notices: readonly Notice[],
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const fields = { chat_id: Number(address), ...digestMessage(notices), ...NO_PREVIEW }
  await call('sendMessage', fields, { signal }).catch((error: unknown) => {
    throw error instanceof TelegramError ? failureOf(error) : error
  })
}

export interface Place {
  readonly chat: string
  readonly id: number
}

/** A message that people deleted, or that can no longer be changed, misleads no reader. */
export async function edit(
  call: TelegramCall,
  { chat, id }: Place,
  message: TelegramMessage,
  signal?: AbortSignal,
): Promise<void> {
  const fields = { chat_id: Number(chat), message_id: id, ...message, ...NO_PREVIEW }
  await call('editMessageText', fields, signal ? { signal } : {}).catch((error: unknown) => {
    if (!(error instanceof TelegramError && SETTLED.test(error.description))) throw error
  })
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } } as const

const SETTLED =
  /message is not modified|message to edit not found|message can't be edited|MESSAGE_ID_INVALID/

/** The chat itself is no more; others are told all the same. */
const GONE =
  /chat not found|bot was blocked|user is deactivated|bot was kicked|can't initiate|PEER_ID_INVALID|group chat was upgraded/

function failureOf({ code, description, message }: TelegramError): NotDelivered {
  return new NotDelivered(message, {
    gone: (code === 403 || code === 400) && GONE.test(description),
  })
}

export function isGroup(chat: string): boolean {
  return chat.startsWith('-')
}

function readPlace(ref: string): Place | undefined {
  const [, chat = '', id = ''] = /^(-?\d+)\/(\d+)$/.exec(ref) ?? []
  return chat === '' ? undefined : { chat, id: Number(id) }
}
