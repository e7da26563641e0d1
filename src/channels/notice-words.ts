import { visibleLine } from '../base/visible-text.ts'
import type { Notice } from '../gate/notify/channel.ts'
import { decidedAt, decidersIn } from './outcome-words.ts'

/** Who reads it: when, and where on earth. */
export interface Reader {
  /** Their time zone; UTC unless set. */
  readonly zone?: string | undefined
  readonly now: number
}

const LONGEST = 600

/** One line: what waits, or how it ended. Names of tools are foreign text and made visible. */
export function noticeTitle({ kind, question, approval }: Notice): string {
  const risk = approval.risk === undefined || approval.riskGuessed ? '' : `${approval.risk}: `
  const name = visibleLine(approval.tool, 60)
  if (kind === 'reminded') return `${risk}${name} still waits for you`
  if (kind === 'changed') return `${risk}${name} changed and waits for you`
  if (kind === 'unreachable') return `${risk}${name} lacks people who may decide`
  if (TALK[kind] !== undefined) return `${risk}${name}: ${TALK[kind]}`
  if (question) return `${risk}${name} waits for you`
  return `${name}: ${OUTCOMES[kind] ?? approval.status}`
}

/** For a place that several people read: there, an assignment says whose it is. */
export function roomTitle(notice: Notice): string {
  const [first] = notice.to
  if (notice.kind !== 'assigned') return noticeTitle(notice)
  const whose = first !== undefined && first !== '*' && 'email' in first ? first.email : 'a person'
  return noticeTitle(notice).replace(/you$/, () => visibleLine(whose, 120))
}

/** Follows the name of the tool. */
export const TALK: Partial<Readonly<Record<Notice['kind'], string>>> = {
  assigned: 'assigned to you',
  questioned: 'an approver asks something before deciding',
  replied: 'the question was replied to',
  commented: 'a new comment',
}

/** What was said, where that is shared; foreign text, in quotation marks that it cannot close. */
export function saidLine({ said }: Notice): string | undefined {
  if (said?.text === undefined) return undefined
  const words = visibleLine(said.text, LONGEST).replaceAll(/[“”„‟]/g, '"')
  return said.by === 'agent' ? `Said by the agent, not checked: “${words}”` : `“${words}”`
}

const OUTCOMES: Partial<Readonly<Record<Notice['kind'], string>>> = {
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  withdrawn: 'withdrawn',
  invalidated: 'no longer valid',
  succeeded: 'ran',
  failed: 'failed',
  unknown: 'outcome unknown',
}

/** Who asks and until when; and what the owner of the policy says about it, where that is shared. */
export function noticeBody(notice: Notice, reader: Reader): string {
  const { question, kind, approval } = notice
  const agent = visibleLine(approval.agent, 60)
  if (!question && kind !== 'unreachable') {
    const [by, at] = [decidersIn(approval), decidedAt(approval)]
    const who =
      by === undefined || at === undefined ? '' : ` ${by} decided at ${timeOf(at, reader)}.`
    return `${agent} asked.${who} Nothing is left to decide.`
  }
  const said = saidLine(notice)
  const asks = `${agent} asks · decide by ${timeOf(approval.decideBy, reader)}`
  const facts = said === undefined ? asks : `${said}\n${asks}`
  // Only where the operator shares it and the owner of the policy worded it.
  return approval.authored ? `${visibleLine(approval.message, LONGEST)}\n${facts}` : facts
}

/** As a clock on the wall of the reader shows it; with its day when that is another one. */
function timeOf(at: number, { zone = 'UTC', now }: Reader): string {
  const day = dayIn(zone)
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    ...(day.format(now) === day.format(at) ? {} : { weekday: 'short', day: 'numeric' }),
    ...(zone === 'UTC' ? { timeZoneName: 'short' } : {}),
  })
  return time.format(at)
}

function dayIn(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short' })
}
