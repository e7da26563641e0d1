import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { Approval } from '../../approval/approval.ts'
import type { Notice, NoticeApproval } from '../../gate/notify/channel.ts'
import { cut, visible } from '../chat/visible-text.ts'
import type { WholeCard } from '../chat/whole-card.ts'
import { digestLines, digestTitle, inboxOf } from '../digest-words.ts'
import { TALK } from '../notice-words.ts'
import { agreedOf, decidedAt, decidersIn, ranOf } from '../outcome-words.ts'
import { LONGEST_MESSAGE, type Part, type TelegramText, telegramText } from './telegram-text.ts'

/** What a button sends back. At most 64 bytes, and a changed client can send any: it is a name alone. */
export const BUTTONS = { open: 'o:', deny: 'd:', approve: 'a:' } as const

export interface TelegramMessage extends TelegramText {
  readonly reply_markup: InlineKeyboardMarkup
}

const LONGEST_QUESTION = 2_000

/** A question, with the way to the whole call. There is no button that answers it at once. */
export function questionMessage(
  notice: Notice,
  { mayAnswer }: { readonly mayAnswer: boolean },
): TelegramMessage {
  const { approval, kind, link } = notice
  const agreed = agreedOf(approval)
  const open: InlineKeyboardButton[] = mayAnswer
    ? [{ text: 'Read and decide', callback_data: `${BUTTONS.open}${approval.id}` }]
    : []
  return message(
    [
      { bold: riskOf(approval) },
      { code: approval.tool },
      { bold: ' waits for a decision' },
      ...(kind === 'changed' ? ['\nThe call was changed since. Look again.'] : []),
      '\n',
      { pre: cut(visible(approval.message), LONGEST_QUESTION) },
      '\n',
      ...aboutCall(approval),
      `\ndecide by ${timeOf(approval.decideBy)}`,
      ...(agreed === undefined ? [] : [`\n${agreed}`]),
    ],
    { link, rows: [open] },
  )
}

/** What became of the call, without a button that answers. */
export function settledMessage({ approval, unreachable, link }: Notice): TelegramMessage {
  const [by, at] = [decidersIn(approval), decidedAt(approval)]
  const ran = ranOf(approval)
  const outcome: readonly Part[] = unreachable
    ? [' lacks eligible approvers:\n', { pre: cut(visible(unreachable.says), LONGEST_QUESTION) }]
    : [
        `: ${approval.status}`,
        ...(by === undefined ? [] : [' by ', { code: by }]),
        ...(ran === undefined ? [] : [` · ${ran}`]),
      ]
  return message(
    [
      riskOf(approval),
      { code: approval.tool },
      ...outcome,
      '\n',
      ...aboutCall(approval),
      ...(at === undefined ? [] : [`\ndecided ${timeOf(at)}`]),
    ],
    { link, rows: [] },
  )
}

/** For a message that no notice changes any more. */
export function overMessage({ status, call }: Approval, link: string | undefined): TelegramMessage {
  return message([{ code: call.tool }, `: ${status}`], { link, rows: [] })
}

/** What was asked, replied or assigned. What people and agents wrote is quoted, and says whose it is. */
export function talkMessage({ kind, approval, said, link }: Notice): TelegramMessage {
  const whose =
    said?.by === 'agent' ? '\nsaid by the agent, not checked:\n' : '\nwritten by a person:\n'
  const words: readonly Part[] =
    said?.text === undefined ? [] : [whose, { pre: cut(visible(said.text), LONGEST_QUESTION) }]
  return message([{ code: approval.tool }, `: ${TALK[kind] ?? kind}`, ...words], { link, rows: [] })
}

export function reminderMessage({ approval, reminder }: Notice): TelegramMessage {
  return message(
    [
      `Reminder ${reminder ?? ''}: `,
      { code: approval.tool },
      ` still waits for a decision, by ${timeOf(approval.decideBy)}.`,
    ],
    { link: undefined, rows: [] },
  )
}

/** Several calls at once: which they are, and the way to the inbox. */
export function digestMessage(notices: readonly Notice[]): TelegramMessage {
  const lines = digestLines(notices).map((line) => cut(visible(line), 200))
  const parts = [{ bold: digestTitle(notices) }, '\n', { pre: lines.join('\n') }]
  return message(parts, { link: inboxOf(notices), rows: [] })
}

/** The whole call with both answers; undefined when it does not fit into one message. */
export function cardMessage(
  { question, args, about, digest }: WholeCard,
  { note, link }: { readonly note: string; readonly link: string | undefined },
): TelegramMessage | undefined {
  const parts: Part[] = [
    { pre: question },
    '\n',
    { pre: args },
    '\n',
    { code: about },
    '\ndigest ',
    { code: digest },
  ]
  const shown = telegramText(parts)
  // Whole, each part of it: a name that was cut is not what was asked.
  const isWhole = [about, digest].every((words) => shown.text.includes(words))
  if (shown.text.length > LONGEST_MESSAGE - ROOM_FOR_LINK || !isWhole) return undefined
  const answers: InlineKeyboardButton[] = [
    { text: 'Deny', callback_data: `${BUTTONS.deny}${note}` },
    { text: 'Approve', callback_data: `${BUTTONS.approve}${note}` },
  ]
  return message(parts, { link, rows: [answers] })
}

/** The longest link that stands in a text. */
const ROOM_FOR_LINK = 600

interface Around {
  readonly link: string | undefined
  readonly rows: readonly InlineKeyboardButton[][]
}

/** Telegram takes no button that leads to this machine or has no TLS: such a link stands in the text. */
function message(parts: readonly Part[], { link, rows }: Around): TelegramMessage {
  const isButton = link?.startsWith('https://') === true && link.length < ROOM_FOR_LINK
  const inbox = isButton ? [[{ text: 'Open the inbox', url: link }]] : []
  const written = link === undefined || isButton ? [] : ['\n', link.slice(0, ROOM_FOR_LINK - 1)]
  return {
    ...telegramText([...parts, ...written]),
    reply_markup: { inline_keyboard: [...rows.filter((row) => row.length > 0), ...inbox] },
  }
}

function aboutCall({ agent, principal, server }: NoticeApproval): readonly Part[] {
  return [
    'asked by ',
    { code: agent },
    ...(principal === undefined ? [] : [' for ', { code: principal }]),
    ...(server === undefined ? [] : [' · server ', { code: server }]),
  ]
}

function riskOf({ risk, riskGuessed }: NoticeApproval): string {
  return risk === undefined ? '' : `${risk}${riskGuessed ? '?' : ''} · `
}

/** Telegram tells no bot in which time zone a person reads. */
function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
