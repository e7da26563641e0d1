import type { APIActionRowComponent, APIButtonComponent } from 'discord-api-types/v10'
import type { Approval } from '../../approval/approval.ts'
import type { Notice, NoticeApproval } from '../../gate/notify/channel.ts'
import { digestLines, digestTitle, inboxOf } from '../digest-words.ts'
import { TALK } from '../notice-words.ts'
import { agreedOf, decidedAt, decidersIn, ranOf } from '../outcome-words.ts'
import { block, code, time } from './discord-text.ts'

/** What a button sends back: at most 100 characters, and a name alone. */
export const BUTTONS = { open: 'o:', deny: 'd:', reason: 'r:', approve: 'a:' } as const

export interface DiscordMessage {
  readonly content: string
  readonly components: APIActionRowComponent<APIButtonComponent>[]
  /** No name in it is notified, whatever its text says. */
  readonly allowed_mentions: { readonly parse: [] }
  /** No preview of a link. */
  readonly flags: 4
}

/** With all that stands around it less than the 2,000 characters of a message: a cut one would open its code. */
const LONGEST_QUESTION = 900
const LONGEST_DIGEST = 1_400
const LONGEST_LINK = 200

/** A question, with the way to the whole call. There is no button that answers it at once. */
export function questionMessage(
  { approval, kind, link }: Notice,
  { mayAnswer }: { readonly mayAnswer: boolean },
): DiscordMessage {
  const agreed = agreedOf(approval)
  const open: APIButtonComponent = {
    ...{ type: 2, style: 1, label: 'Read and decide' },
    custom_id: `${BUTTONS.open}${approval.id}`,
  }
  return message(
    [
      `${riskOf(approval)}${code(approval.tool)} **waits for a decision**`,
      ...(kind === 'changed' ? ['The call was changed since. Look again.'] : []),
      block(approval.message, LONGEST_QUESTION),
      aboutCall(approval),
      `decide by ${time(approval.decideBy)}`,
      ...(agreed === undefined ? [] : [agreed]),
    ],
    { link, buttons: mayAnswer ? [open] : [], about: approval.id },
  )
}

/** What became of the call, without a button that answers. */
export function settledMessage(
  { approval, unreachable, link }: Notice,
  about = approval.id,
): DiscordMessage {
  const at = decidedAt(approval)
  const name = `${riskOf(approval)}${code(approval.tool)}`
  return message(
    [
      ...(unreachable
        ? [`${name} lacks eligible approvers:`, block(unreachable.says, LONGEST_QUESTION)]
        : [`${name}: ${outcomeOf(approval)}`]),
      aboutCall(approval),
      ...(at === undefined ? [] : [`decided ${time(at)}`]),
    ],
    { link, buttons: [], about },
  )
}

/** For a message that no notice changes any more. */
export function overMessage(
  { id, status, call }: Approval,
  link: string | undefined,
): DiscordMessage {
  return message([`${code(call.tool)}: ${status}`], { link, buttons: [], about: id })
}

export function reminderMessage({ id, approval, reminder }: Notice): DiscordMessage {
  const says = `Reminder ${reminder ?? ''}: ${code(approval.tool)} still waits for a decision, by ${time(approval.decideBy)}.`
  return message([says], { link: undefined, buttons: [], about: id })
}

/** What was asked, replied or commented. Texts of people and agents stand in code, and say whose they are. */
export function talkMessage(
  { id, kind, approval, said, link }: Notice,
  about = id,
): DiscordMessage {
  const whose =
    said?.by === 'agent' ? `said by ${code(approval.agent)}, not checked:` : 'written by a person:'
  return message(
    [
      `${code(approval.tool)}: ${TALK[kind] ?? kind}`,
      ...(said?.text === undefined ? [] : [whose, block(said.text, LONGEST_QUESTION)]),
    ],
    { link, buttons: [], about },
  )
}

/** Several calls at once: which they are, and the way to the inbox. */
export function digestMessage(notices: readonly Notice[]): DiscordMessage {
  const lines = [digestTitle(notices), block(digestLines(notices).join('\n'), LONGEST_DIGEST)]
  return message(lines, { link: inboxOf(notices), buttons: [], about: 'digest' })
}

/** The last line of a message. After a crash it is found by this, and not posted again. */
export function refLine(about: string): string {
  return `-# ref ${code(about)}`
}

export function isAbout(content: string, about: string): boolean {
  return content.split('\n').at(-1) === refLine(about)
}

interface Around {
  readonly link: string | undefined
  readonly buttons: readonly APIButtonComponent[]
  readonly about: string
}

function message(lines: readonly string[], { link, buttons, about }: Around): DiscordMessage {
  const own = inboxLink(link)
  const all = [...buttons, ...own.buttons]
  return {
    content: [...lines, ...own.lines, refLine(about)].join('\n'),
    components: all.length === 0 ? [] : [{ type: 1, components: all }],
    ...QUIET,
  }
}

const QUIET = { allowed_mentions: { parse: [] as [] }, flags: 4 } as const

/** Discord takes no button that leads to this machine: such a link stands in the text. */
export function inboxLink(link: string | undefined): {
  readonly buttons: readonly APIButtonComponent[]
  readonly lines: readonly string[]
} {
  if (link === undefined || link.length > LONGEST_LINK) return { buttons: [], lines: [] }
  if (!link.startsWith('https://')) return { buttons: [], lines: [`<${link}>`] }
  return { buttons: [{ type: 2, style: 5, label: 'Open the inbox', url: link }], lines: [] }
}

function outcomeOf(approval: NoticeApproval): string {
  const [by, ran] = [decidersIn(approval), ranOf(approval)]
  const who = by === undefined ? '' : ` by ${code(by)}`
  return `${approval.status}${who}${ran === undefined ? '' : ` · ${ran}`}`
}

function aboutCall({ agent, principal, server }: NoticeApproval): string {
  const whom = principal === undefined ? '' : ` for ${code(principal)}`
  return `asked by ${code(agent)}${whom}${server === undefined ? '' : ` · server ${code(server)}`}`
}

function riskOf({ risk, riskGuessed }: NoticeApproval): string {
  return risk === undefined ? '' : `**${risk}${riskGuessed ? '?' : ''}** · `
}
