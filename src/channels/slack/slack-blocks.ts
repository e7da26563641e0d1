import type { KnownBlock, PlainTextElement } from '@slack/types'
import type { Notice, NoticeApproval } from '../../gate/notify/channel.ts'
import { cut, visible } from '../chat/visible-text.ts'
import { agreedOf, decidedAt, outcomeOf } from '../outcome-words.ts'

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
      ...[agreedOf(approval) ?? []].flat().map(note),
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
    blocks: [{ type: 'section', block_id: block, text: plain(says) }, settledNote(approval)],
  }
}

export function reminderMessage({ id, approval, reminder }: Notice): SlackMessage {
  const says = `Reminder ${reminder ?? ''}: ${approval.tool} still waits for a decision.`
  return {
    text: fallback(says),
    blocks: [{ type: 'section', block_id: noticeId(id), text: plain(says) }, deadline(approval)],
  }
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

function settledNote(approval: NoticeApproval): KnownBlock {
  const at = decidedAt(approval)
  const asker = plain(`asked by ${approval.agent}`)
  return { type: 'context', elements: at === undefined ? [asker] : [asker, dated('decided', at)] }
}

function dateElement({ decideBy }: NoticeApproval) {
  return dated('decide by', decideBy)
}

/** The only mrkdwn there is, and every character of it is ours: Slack shows it in local time. */
function dated(what: 'decide by' | 'decided', at: number) {
  const iso = new Date(at).toISOString()
  const text = `<!date^${Math.floor(at / 1_000)}^${what} {time} {date_short_pretty}|${what} ${iso}>`
  return { type: 'mrkdwn', text } as const
}

/** Slack reads this text as mrkdwn. */
export function fallback(text: string): string {
  return cut(visible(text), 300)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
