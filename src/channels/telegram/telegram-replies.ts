import type { ChatAnswer } from '../../gate/notify/channel-host.ts'
import { codeHeard } from '../chat/code-heard.ts'
import { sentenceOf, unfitting } from '../chat/sentence.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import { idAt } from './telegram-bot.ts'
import type { Place } from './telegram-delivery.ts'
import { type Heard, senderOf, UNANSWERED, type UpdateParts } from './telegram-sender.ts'
import { type Part, telegramText } from './telegram-text.ts'

const LATE = 'That question for a reason is too old, or was answered. Read the call again.'
const LONGEST_REASON = 2_000
const REASON_MS = 3_600_000

/** What a reply to our question for a reason decides. */
interface ReasonNote extends ChatAnswer {
  readonly account: string
}

interface Asking {
  readonly sender: Heard
  readonly place: Place
  readonly answer: ChatAnswer
  readonly tool: string
}

/** Nothing is decided yet: the reply to this message is the answer, with its reason. */
export async function askReason(
  { host, call }: UpdateParts,
  { sender: { account, chat }, place, answer, tool }: Asking,
): Promise<void> {
  const word = answer.verdict === 'deny' ? 'no' : 'yes'
  const asked = await call('sendMessage', {
    chat_id: Number(chat),
    ...telegramText([
      `Reply to this message with the reason for your ${word} to `,
      { code: tool },
      '.',
    ]),
    reply_parameters: { message_id: place.id, allow_sending_without_reply: true },
    reply_markup: { force_reply: true, input_field_placeholder: 'Reason' },
  })
  const note = { ...answer, account: account.id }
  await host.notes.put(noteName(chat, idAt(asked, 'message_id')), note, REASON_MS)
}

/** A message in a private chat: a reason, a link code, or a person who wonders what the bot is for. */
export async function heard(parts: UpdateParts, message: unknown): Promise<void> {
  const sender = await senderOf(parts, valueAt(message, 'from'), message)
  const text = textAt(message, 'text')
  // Not typed by this person, or no text at all.
  const isOther = ['via_bot', 'sender_chat', 'forward_origin'].some(
    (name) => valueAt(message, name) !== undefined,
  )
  if (!sender || isOther || text === '') return
  const replied = idAt(message, 'reply_to_message', 'message_id')
  const says = await (replied === ''
    ? codeHeard(parts.host, { ...sender.account, name: sender.name }, text)
    : reasoned(parts, sender, { replied, text })
  ).catch((error: unknown) => sentenceOf(error, UNANSWERED))
  const said: readonly Part[] = [says]
  await parts.call('sendMessage', { chat_id: Number(sender.chat), ...telegramText(said) })
}

async function reasoned(
  { host, share }: UpdateParts,
  { account, chat }: Heard,
  { replied, text }: { readonly replied: string; readonly text: string },
): Promise<string> {
  const note = (await host.notes.get(noteName(chat, replied))) as unknown as ReasonNote | undefined
  if (!note) return LATE
  if (share !== 'arguments' || note.account !== account.id) throw unfitting()
  const reason = text.trim()
  if (reason.length > LONGEST_REASON) return `A reason has at most ${LONGEST_REASON} characters.`
  const { approval, verdict, seen } = note
  const { status } = await host.decide(account, { approval, verdict, seen, reason })
  return status === 'pending' ? 'Your yes counts. Others must agree, too.' : `It is ${status}.`
}

function noteName(chat: string, message: string): string {
  return `reason ${chat}/${message}`
}
