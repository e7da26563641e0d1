import type { Approval } from '../../approval/approval.ts'
import type { Notice, NoticeApproval } from '../../gate/notify/channel.ts'
import type { ChatCard } from '../../gate/notify/channel-host.ts'
import { cut, visible } from '../chat/visible-text.ts'
import { TOO_LONG, type WholeCard } from '../chat/whole-card.ts'
import { digestLines, digestTitle, inboxOf } from '../digest-words.ts'
import { TALK } from '../notice-words.ts'
import { agreedOf, decidedAt, outcomeOf } from '../outcome-words.ts'

/*
 * Adaptive Cards. Every text is a TextRun: a TextBlock would make links and bold of what an agent
 * wrote.
 */

/** What a button sends back, beside the inputs of the card. */
export const VERBS = { open: 'cs_open', deny: 'cs_deny', approve: 'cs_approve' } as const
export const REASON_INPUT = 'reason'
export const CARD_TYPE = 'application/vnd.microsoft.card.adaptive'

export interface AdaptiveCard {
  readonly type: 'AdaptiveCard'
  readonly version: '1.5'
  readonly body: readonly object[]
  readonly actions: readonly object[]
  readonly [member: string]: unknown
}

const LONGEST_QUESTION = 2_000
const LONGEST_REASON = 2_000
/** Teams takes about 28 kB. */
const MOST_BYTES = 20_000
const MOST_LINES = 200

/** A question, with the way to the whole call. There is no button that answers it at once. */
export function questionCard(
  { approval, kind, link }: Notice,
  { mayAnswer }: { readonly mayAnswer: boolean },
): AdaptiveCard {
  const agreed = agreedOf(approval)
  const open = execute('Read and decide', VERBS.open, { id: approval.id })
  return card(
    [
      line(`${riskOf(approval)}${approval.tool} waits for a decision`, { weight: 'Bolder' }),
      ...(kind === 'changed' ? [line('The call was changed since. Look again.')] : []),
      ...lines(cut(visible(approval.message), LONGEST_QUESTION)),
      line(aboutCall(approval), { isSubtle: true }),
      line(`decide by ${timeOf(approval.decideBy)}`, { isSubtle: true }),
      ...(agreed === undefined ? [] : [line(agreed, { isSubtle: true })]),
    ],
    [...(mayAnswer ? [open] : []), ...inbox(link)],
  )
}

/** What became of the call, without a button that answers. */
export function settledCard({ approval, unreachable, link }: Notice): AdaptiveCard {
  const at = decidedAt(approval)
  const name = `${riskOf(approval)}${approval.tool}`
  return card(
    [
      line(
        unreachable
          ? `${name} lacks eligible approvers: ${unreachable.says}`
          : `${name}: ${outcomeOf(approval)}`,
        { weight: 'Bolder' },
      ),
      line(aboutCall(approval), { isSubtle: true }),
      ...(at === undefined ? [] : [line(`decided ${timeOf(at)}`, { isSubtle: true })]),
    ],
    inbox(link),
  )
}

/** For a message that no notice changes any more. */
export function overCard({ status, call }: Approval, link: string | undefined): AdaptiveCard {
  return card([line(`${call.tool}: ${status}`, { weight: 'Bolder' })], inbox(link))
}

export function reminderCard({ approval, reminder, link }: Notice): AdaptiveCard {
  const says = `Reminder ${reminder ?? ''}: ${approval.tool} still waits for a decision, by ${timeOf(approval.decideBy)}.`
  return card([line(says)], inbox(link))
}

/** What was asked, replied or assigned. What people and agents wrote stands below a line that says whose it is. */
export function talkCard({ kind, approval, said, link }: Notice): AdaptiveCard {
  const whose =
    said?.by === 'agent' ? `Said by ${approval.agent}, not checked:` : 'Written by a person:'
  const words =
    said?.text === undefined
      ? []
      : [line(whose, { isSubtle: true }), ...lines(cut(visible(said.text), LONGEST_QUESTION))]
  const head = line(`${approval.tool}: ${TALK[kind] ?? kind}`, { weight: 'Bolder' })
  return card([head, ...words], inbox(link))
}

/** Several calls at once: which they are, and the way to the inbox. */
export function digestCard(notices: readonly Notice[]): AdaptiveCard {
  const head = line(digestTitle(notices), { weight: 'Bolder' })
  return card([head, ...digestLines(notices).map((one) => line(one))], inbox(inboxOf(notices)))
}

/** A sentence of ours, with the way back to the call where it may still be decided. */
export function sentenceCard(
  says: string,
  { link, again }: { readonly link?: string | undefined; readonly again?: string } = {},
): AdaptiveCard {
  const open = again === undefined ? [] : [execute('Read again', VERBS.open, { id: again })]
  return card([line(says)], [...open, ...inbox(link)])
}

/** The whole call with both answers, Deny first, or why it can only be decided in the inbox. */
export function wholeCallCard(
  { question, args, about, digest }: WholeCard,
  {
    note,
    link,
    terms,
  }: {
    readonly note: string
    readonly link: string | undefined
    readonly terms: ChatCard['approval']['terms']
  },
): AdaptiveCard | { readonly why: string } {
  const asked = [...lines(question), ...lines(args, MONO)]
  const shown = card(
    [
      ...asked,
      ...lines(about, { isSubtle: true }),
      line(`digest ${digest}`, MONO),
      {
        ...{ type: 'Input.Text', id: REASON_INPUT, isMultiline: true, maxLength: LONGEST_REASON },
        label: terms.reason === 'required' ? 'Reason (needed to deny)' : 'Reason',
      },
    ],
    [
      execute('Deny', VERBS.deny, { note }, 'destructive'),
      execute('Approve', VERBS.approve, { note }),
      ...inbox(link),
    ],
  )
  const isLong = asked.length > MOST_LINES || Buffer.byteLength(JSON.stringify(shown)) > MOST_BYTES
  return isLong ? { why: TOO_LONG } : shown
}

const MONO = { fontType: 'Monospace' } as const
type Style = Readonly<Record<string, string | boolean>>

function card(body: readonly object[], actions: readonly object[]): AdaptiveCard {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.5' },
    fallbackText: 'A call waits for a decision, or was decided. Open the inbox.',
    ...{ body, actions },
  }
}

/** Spaces beside each other would be shown as one; a space that does not break is ours alone. */
function line(text: string, style: Style = {}) {
  const shown = visible(text)
    .replaceAll('\n', ' ')
    .replaceAll(/ (?= )|^ /g, '\u00a0')
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: shown || '–', ...style }] }
}

function lines(text: string, style: Style = {}): readonly object[] {
  return text
    .split('\n')
    .map((one, at) => ({ ...line(one, style), ...(at === 0 ? {} : { spacing: 'None' }) }))
}

function execute(title: string, verb: string, data: object, style = 'default') {
  return { type: 'Action.Execute', title, verb, data, style }
}

function inbox(link: string | undefined): readonly object[] {
  return link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open the inbox', url: link }]
}

function aboutCall({ agent, principal, server }: NoticeApproval): string {
  const whom = principal === undefined ? '' : ` for ${principal}`
  return cut(`asked by ${agent}${whom}${server === undefined ? '' : ` · server ${server}`}`, 500)
}

function riskOf({ risk, riskGuessed }: NoticeApproval): string {
  return risk === undefined ? '' : `${risk}${riskGuessed ? '?' : ''} · `
}

/** A card tells no time zone. */
function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
