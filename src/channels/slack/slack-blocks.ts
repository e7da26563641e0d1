import type { KnownBlock, PlainTextElement } from '@slack/types'
import { splitUnseen } from '../../base/invisible-characters.ts'
import type { Notice, NoticeApproval } from '../../gate/notify/channel.ts'

/*
 * What people see in a conversation. Names and messages come from agents and policies, so they
 * stand in plain_text alone: there they cannot become a link, a mention or bold.
 */

/** The buttons of a question, by what Slack sends back. */
export const ACTIONS = { open: 'cs_open', inbox: 'cs_inbox' } as const

/** What a message is about, for us. After a crash it is found by this, and not posted again. */
export const aboutId = (approval: string) => `cs-about:${approval}`
export const noticeId = (notice: string) => `cs-notice:${notice}`

const LONGEST_HEADER = 150
const LONGEST_TEXT = 2_900

export interface SlackMessage {
  /** For notifications and readers that show no blocks. */
  readonly text: string
  readonly blocks: readonly KnownBlock[]
}

export function plain(text: string, most = LONGEST_TEXT): PlainTextElement {
  return { type: 'plain_text', text: cut(visible(text), most) || ' ', emoji: false }
}

/** A character that cannot be seen is named, and none of them hides what stands beside it. */
export function visible(text: string): string {
  return splitUnseen(text)
    .map(({ text: part, unseen }) => (unseen ? (part === 'U+000A' ? '\n' : `[${part}]`) : part))
    .join('')
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A question, with the way to the whole call. There is no button that answers it at once. */
export function questionMessage(
  { approval, link, kind, reminder }: Notice,
  { mayAnswer }: { readonly mayAnswer: boolean },
): SlackMessage {
  const head = `${riskOf(approval)}${approval.tool} waits for a decision`
  return {
    text: fallback(reminder === undefined ? head : `Reminder: ${head}`),
    blocks: [
      { type: 'header', block_id: aboutId(approval.id), text: plain(head, LONGEST_HEADER) },
      ...(kind === 'changed' ? [note('The call was changed since. Look again.')] : []),
      { type: 'section', text: plain(approval.message) },
      aboutCall(approval),
      ...buttons(approval.id, link, mayAnswer),
    ],
  }
}

function buttons(id: string, link: string | undefined, mayAnswer: boolean): KnownBlock[] {
  const open = {
    type: 'button',
    action_id: ACTIONS.open,
    style: 'primary',
    text: plain('Read and decide'),
    value: id,
  } as const
  const inbox = {
    type: 'button',
    action_id: ACTIONS.inbox,
    text: plain('Open the inbox'),
    url: link ?? '',
  } as const
  const elements = [...(mayAnswer ? [open] : []), ...(link === undefined ? [] : [inbox])]
  return elements.length === 0 ? [] : [{ type: 'actions', block_id: `cs:${id}`, elements }]
}

/** One line without buttons: what became of the call. */
export function settledMessage(
  { approval, unreachable }: Notice,
  block = aboutId(approval.id),
): SlackMessage {
  const says = unreachable
    ? `${approval.tool} lacks eligible approvers: ${unreachable.says}`
    : `${riskOf(approval)}${approval.tool}: ${outcomeOf(approval)}`
  return {
    text: fallback(says),
    blocks: [
      { type: 'section', block_id: block, text: plain(says) },
      note(`asked by ${approval.agent}`),
    ],
  }
}

export function reminderMessage({ id, approval, reminder }: Notice): SlackMessage {
  const says = `Reminder ${reminder ?? ''}: ${approval.tool} still waits for a decision.`
  return {
    text: fallback(says),
    blocks: [{ type: 'section', block_id: noticeId(id), text: plain(says) }, deadline(approval)],
  }
}

const RAN: Readonly<Record<string, string>> = {
  running: 'running',
  succeeded: 'ran',
  failed: 'ran and failed',
  unknown: 'it is not known whether it ran',
}

function outcomeOf({ status, execution }: NoticeApproval): string {
  const ran = execution === undefined ? undefined : RAN[execution]
  return ran === undefined ? status : `${status} · ${ran}`
}

function riskOf({ risk, riskGuessed }: NoticeApproval): string {
  return risk === undefined ? '' : `${risk}${riskGuessed ? '?' : ''} · `
}

function note(text: string): KnownBlock {
  return { type: 'context', elements: [plain(text)] }
}

function aboutCall(approval: NoticeApproval): KnownBlock {
  const { agent, principal, server } = approval
  const who = `asked by ${agent}${principal === undefined ? '' : ` for ${principal}`}`
  const where = server === undefined ? '' : ` · server ${server}`
  return {
    type: 'context',
    elements: [plain(cut(`${who}${where}`, 1_000)), dateElement(approval)],
  }
}

function deadline(approval: NoticeApproval): KnownBlock {
  return { type: 'context', elements: [dateElement(approval)] }
}

/** The only mrkdwn there is, and every character of it is ours: Slack shows it in local time. */
function dateElement({ decideBy }: NoticeApproval) {
  const iso = new Date(decideBy).toISOString()
  const text = `<!date^${Math.floor(decideBy / 1_000)}^decide by {time} {date_short_pretty}|decide by ${iso}>`
  return { type: 'mrkdwn', text } as const
}

/** Slack reads this text as mrkdwn. */
function fallback(text: string): string {
  return cut(visible(text), 300)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
