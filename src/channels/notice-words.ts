import { visibleLine } from '../base/visible-text.ts'
import type { Notice, NoticeApproval } from '../gate/notify/channel.ts'

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
  if (question) return `${risk}${name} waits for you`
  return `${name}: ${OUTCOMES[kind] ?? approval.status}`
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
export function noticeBody({ question, kind, approval }: Notice, reader: Reader): string {
  const agent = visibleLine(approval.agent, 60)
  if (!question && kind !== 'unreachable') return `${agent} asked. Nothing is left to decide.`
  const facts = `${agent} asks · decide by ${timeOf(approval, reader)}`
  // Only where the operator shares it and the owner of the policy worded it.
  return approval.authored ? `${visibleLine(approval.message, LONGEST)}\n${facts}` : facts
}

/** As a clock on the wall of the reader shows it; with its day when that is another one. */
function timeOf({ decideBy }: NoticeApproval, { zone = 'UTC', now }: Reader): string {
  const day = dayIn(zone)
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    ...(day.format(now) === day.format(decideBy) ? {} : { weekday: 'short', day: 'numeric' }),
    ...(zone === 'UTC' ? { timeZoneName: 'short' } : {}),
  })
  return time.format(decideBy)
}

function dayIn(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short' })
}
