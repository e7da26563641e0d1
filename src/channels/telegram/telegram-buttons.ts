import { randomBytes } from 'node:crypto'
import { CountersignError } from '../../base/errors.ts'
import type { ChatAnswer } from '../../gate/notify/channel-host.ts'
import { needsReason } from '../chat/reason.ts'
import { sentenceOf, unfitting } from '../chat/sentence.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import { cut } from '../chat/visible-text.ts'
import { TOO_LONG, wholeCard } from '../chat/whole-card.ts'
import { edit, type Place } from './telegram-delivery.ts'
import { BUTTONS, cardMessage, overMessage } from './telegram-messages.ts'
import { askReason } from './telegram-replies.ts'
import { type Heard, senderOf, UNANSWERED, type UpdateParts } from './telegram-sender.ts'

/** Longer than people read, shorter than they forget. The digest is what counts. */
const CARD_MS = 24 * 3_600_000
/** What Telegram shows in answer to a button. */
const LONGEST_ALERT = 200

/** What a button of a card stands for. */
export interface CardNote {
  readonly approval: string
  readonly digest: string
  readonly account: string
  /** The message it stands in. */
  readonly message: number
}

/** Always answered: a button without an answer looks stuck for a minute. */
export async function pressed(parts: UpdateParts, query: unknown): Promise<void> {
  const says = await answerTo(parts, query).catch((error: unknown) => sentenceOf(error, UNANSWERED))
  await parts.call('answerCallbackQuery', {
    callback_query_id: textAt(query, 'id'),
    ...(says === undefined ? {} : { text: cut(says, LONGEST_ALERT), show_alert: true }),
  })
}

async function answerTo(parts: UpdateParts, query: unknown): Promise<string | undefined> {
  const message = valueAt(query, 'message')
  const sender = await senderOf(parts, valueAt(query, 'from'), message)
  if (!sender)
    throw new CountersignError('not_permitted', 'only a person decides, in a private chat')
  const id = valueAt(message, 'message_id')
  const data = textAt(query, 'data')
  const { id: bot } = await parts.bot()
  // A changed client sends any data: it counts when the message has this button, by Telegram's word.
  const isOurs = String(valueAt(message, 'from', 'id')) === bot && hasButton(message, data)
  if (!isOurs || typeof id !== 'number') throw unfitting()
  const place = { chat: sender.chat, id }
  const [kind, name] = [data.slice(0, 2), data.slice(2)]
  if (kind === BUTTONS.open) return opened(parts, { sender, place, approval: name })
  if (kind === BUTTONS.deny) return answered(parts, { sender, place, note: name, verdict: 'deny' })
  if (kind === BUTTONS.approve) {
    return answered(parts, { sender, place, note: name, verdict: 'approve' })
  }
  throw unfitting()
}

interface Opening {
  readonly sender: Heard
  readonly place: Place
  readonly approval: string
}

/** The message becomes the whole call; every later notice makes one of these again. */
async function opened(parts: UpdateParts, opening: Opening): Promise<string | undefined> {
  const { host, call, share } = parts
  const { sender, place, approval } = opening
  const { account } = sender
  const link = host.link(approval)
  const card = await host.card(account, approval)
  if (card.refusal !== undefined) {
    // A message that was left behind by a process that died says what is true from now on.
    if (card.approval.status !== 'pending')
      await edit(call, place, overMessage(card.approval, link))
    return card.refusal
  }
  if (share !== 'arguments') return 'The arguments of calls are shown in the inbox only.'
  const whole = wholeCard(card)
  if ('why' in whole) return `${whole.why} Open the inbox to decide.`
  const note = randomBytes(16).toString('base64url')
  const message = cardMessage(whole, { note, link })
  if (!message) return `${TOO_LONG} Open the inbox to decide.`
  const { digest } = whole
  const kept = { approval, digest, account: account.id, message: place.id }
  await host.notes.put(note, kept, CARD_MS)
  await edit(call, place, message)
  // It may have ended while this was written, and its end may have been written before.
  const now = await host.card(account, approval)
  if (now.approval.status !== card.approval.status) {
    await edit(call, place, overMessage(now.approval, link))
  } else if (now.approval.digest !== digest) {
    // It was edited meanwhile: the notice of that was written before this, and stands no more.
    return opened(parts, opening)
  }
  return undefined
}

interface Pressing {
  readonly sender: Heard
  readonly place: Place
  readonly note: string
  readonly verdict: ChatAnswer['verdict']
}

async function answered(
  parts: UpdateParts,
  { sender, place, note, verdict }: Pressing,
): Promise<string | undefined> {
  const { host, share } = parts
  const { account } = sender
  const kept = (await host.notes.get(note)) as unknown as CardNote | undefined
  const isIts = kept?.account === account.id && kept.message === place.id
  if (share !== 'arguments' || !isIts) throw unfitting()
  const answer = { approval: kept.approval, verdict, seen: kept.digest }
  const card = await host.card(account, kept.approval)
  if (card.refusal === undefined && needsReason(card.approval.terms.reason, verdict)) {
    await askReason(parts, { sender, place, answer, tool: card.approval.call.tool })
    return undefined
  }
  const decided = await host.decide(account, answer)
  return decided.status === 'pending' ? 'Your yes counts. Others must agree, too.' : undefined
}

function hasButton(message: unknown, data: string): boolean {
  const rows = valueAt(message, 'reply_markup', 'inline_keyboard')
  const all = Array.isArray(rows) ? rows.flat() : []
  return data !== '' && all.some((button) => textAt(button, 'callback_data') === data)
}
