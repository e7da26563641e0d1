import type { Approval } from '../../src/approval/approval.ts'
import { MEMBERS, type Name } from '../workload/operations.ts'

/** A yes: whose, and in whose places besides their own. */
export interface Yes {
  readonly subject: string
  readonly lent: readonly string[]
}

type Asked = Pick<Approval, 'requirements' | 'escalated'>

/**
 * Whether these yeses are enough. Written down again from what is promised, and by trying out
 * everything, so that a mistake in one of the two shows: every place has somebody who belongs there
 * or fills it for somebody who does; nobody fills two places of one rule, neither for themselves nor
 * for others, and nobody's place is filled twice.
 */
export function areEnough({ requirements, escalated }: Asked, yeses: readonly Yes[]): boolean {
  return requirements.every(({ quorum, approvers, escalate }, index) => {
    const added = escalate.filter((_, step) =>
      escalated.some((one) => one.requirement === index && one.step === step),
    )
    const named = [...approvers, ...added.map(({ to }) => to)].map(groupOf)
    const seats = quorum.flatMap(({ group, n }) => Array.from({ length: n }, () => [group]))
    const anyone = approvers.length > 0 || quorum.length === 0 ? [named] : []
    return canSit([...seats, ...anyone], yeses, new Set())
  })
}

type Group = string | undefined

function groupOf(approver: unknown): Group {
  const named = approver as { group?: string }
  if (named.group === undefined) throw new Error('the harness asks groups alone')
  return named.group
}

/** No group at all: whoever signs in here may answer. */
function isOf(subject: string, groups: readonly Group[]): boolean {
  const own: readonly string[] = Object.hasOwn(MEMBERS, subject) ? MEMBERS[subject as Name] : []
  return groups.length === 0 || groups.some((group) => group !== undefined && own.includes(group))
}

function canSit(
  [seat, ...others]: readonly (readonly Group[])[],
  yeses: readonly Yes[],
  taken: ReadonlySet<string>,
): boolean {
  if (seat === undefined) return true
  return yeses.some(({ subject, lent }) => {
    if (taken.has(subject)) return false
    if (isOf(subject, seat) && canSit(others, yeses, new Set([...taken, subject]))) return true
    return lent.some((absent) => {
      const isFree = !taken.has(absent) && !yeses.some((one) => one.subject === absent)
      if (!isFree || seat.length === 0 || !isOf(absent, seat)) return false
      return canSit(others, yeses, new Set([...taken, subject, absent]))
    })
  })
}

/** The yeses to the call as it is now, without those that these people gave or lent. */
export function yesesOf(
  { decisions, digest }: Approval,
  without: readonly unknown[] = [],
): readonly Yes[] {
  return decisions
    .filter((one) => one.verdict === 'approve' && one.digest === digest && !one.void)
    .filter(({ by }) => !without.includes(by.subject))
    .map(({ by }) => ({
      subject: by.subject,
      lent: (by.for ?? []).map(({ subject }) => subject).filter((name) => !without.includes(name)),
    }))
}
