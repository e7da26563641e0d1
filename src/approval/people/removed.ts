import type { Approval, Decision } from '../approval.ts'
import type { Lock } from '../locks/lock.ts'
import { mayBe, type Named } from './person.ts'
import type { StandIn } from './stand-in.ts'

/**
 * The lock that is left when a removed person is added again. It no longer holds them back; it says
 * until when their earlier decisions stay void.
 */
export function readmission(tombstone: Lock, id: string, now: number): Lock {
  return { ...tombstone, id, until: now }
}

/** Whether this was said before the one who said it was removed. Being added again revives nothing. */
export function isFromBefore(locks: readonly Lock[], person: Named, said: number): boolean {
  return locks.some(
    ({ removed, until, target }) =>
      removed === true &&
      until !== undefined &&
      said <= until &&
      'person' in target &&
      mayBe(person, target.person),
  )
}

/** The approval without the yeses of people who were removed since, whether or not they are back. */
export function withoutRemoved<A extends Pick<Approval, 'decisions'>>(
  approval: A,
  locks: readonly Lock[],
): A {
  if (!hasReadmitted(locks)) return approval
  const decisions = approval.decisions.map((one) => standing(one, locks))
  return { ...approval, decisions }
}

/**
 * Who stands in for whom, without what was arranged before one of the two was removed. A removal
 * ends them by itself; this is for one that was written down at the same moment.
 */
export function withoutStale(
  standIns: readonly StandIn[],
  locks: readonly Lock[],
): readonly StandIn[] {
  if (standIns.length === 0 || !hasReadmitted(locks)) return standIns
  return standIns.map((one) => {
    const isStale = [one.absent, one.standIn].some((login) =>
      isFromBefore(locks, { ...login, groups: [] }, one.at),
    )
    return isStale ? { ...one, void: true } : one
  })
}

function hasReadmitted(locks: readonly Lock[]): boolean {
  return locks.some(({ removed, until }) => removed && until !== undefined)
}

function standing(decision: Decision, locks: readonly Lock[]): Decision {
  const { by, at, verdict } = decision
  if (verdict !== 'approve') return decision
  if (isFromBefore(locks, by, at)) return { ...decision, void: true }
  if (!by.for) return decision
  // Kept by name, since the record says in whose place it was given; the place is no longer lent.
  const absent = by.for.map((away) =>
    isFromBefore(locks, away, at) ? { ...away, locked: true } : away,
  )
  return { ...decision, by: { ...by, for: absent } }
}
