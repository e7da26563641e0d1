import type { ApprovalCard, ApprovalRow } from '../../api/approval.ts'
import type { WirePerson } from '../../api/common.ts'
import type { WireLockTarget } from '../../api/locks.ts'
import type { NotMine } from '../../api/words/not-mine.ts'
import { whyNotWords } from '../../api/words/why-not.ts'
import type { Approval } from '../../approval/approval.ts'
import { isOpen } from '../../approval/clock.ts'
import { addsToYes, withoutAnswered } from '../../approval/commands/decide.ts'
import { mayAskBack, mayComment, mayReply } from '../../approval/commands/talk.ts'
import { isOwn, mayReveal } from '../../approval/commands/upkeep.ts'
import { refuseGrant } from '../../approval/grants/grant-step.ts'
import { type Lock, lockOnApproval, lockOnPerson } from '../../approval/locks/lock.ts'
import {
  type Absent,
  hasStake,
  isActingUser,
  isSureEnough,
  type Person,
  samePerson,
} from '../../approval/people/person.ts'
import { isEligible, neededFor } from '../../approval/people/quorum.ts'
import type { Directory } from '../../approval/people/requirement.ts'
import type { StandIn } from '../../approval/people/stand-in.ts'
import { inEnglish } from '../../base/tell.ts'

/** What is locked at this moment, removed people among it, and who is left. */
export interface Locked {
  readonly locks: readonly Lock[]
  readonly now: number
  readonly standIns?: readonly StandIn[]
  /** Who could answer, as far as is known now. */
  readonly directory?: Directory
}

export const NOTHING_LOCKED: Locked = { locks: [], now: 0 }

/**
 * What a reader may do, for display: buttons and sentences. Whether they really may is decided
 * again, by the rules themselves, when they do it.
 */
export function mine(
  approval: Approval,
  person: Person,
  locked: Locked = NOTHING_LOCKED,
): ApprovalRow['mine'] {
  const reader = withoutAnswered(approval, person)
  const because = whyNot(approval, reader, locked)
  if (because !== undefined) return { may: false, why: whyNotWords(because, inEnglish), because }
  const absent = neededFor(approval, reader)
  return absent.length === 0 ? { may: true } : { may: true, for: absent.map(nameOf) }
}

function whyNot(approval: Approval, reader: Person, { locks, now }: Locked): NotMine | undefined {
  const { status, level, call, decisions, digest, terms } = approval
  if (status !== 'pending') return { code: 'decided', status }
  const lock = lockOnPerson(locks, reader, now) ?? lockOnApproval(locks, approval, now)
  if (lock) return { code: 'locked', target: targetOf(lock), reason: lock.reason }
  const answered = decisions.some(
    (one) =>
      samePerson(one.by, reader) &&
      one.digest === digest &&
      !one.void &&
      !addsToYes(approval, one, reader),
  )
  if (answered) return { code: 'answered' }
  if (!isEligible(approval, reader)) {
    return { code: level === 'review' && hasStake(reader, call) ? 'own_call' : 'not_asked' }
  }
  // A signed-in person can sign one decision with a passkey, when they give it.
  const surest: Person =
    reader.assurance === 'signed-in' ? { ...reader, assurance: 'passkey' } : reader
  return isSureEnough(surest, terms)
    ? undefined
    : { code: 'assurance', assurance: terms.minAssurance }
}

/** An unverified address would be a name that any user can choose. */
function nameOf({ issuer, subject, email, emailVerified }: Absent): WirePerson {
  return { issuer, subject, ...(email === undefined || !emailVerified ? {} : { email }) }
}

/** A person is named by what signs them in, as everywhere in the API. */
function targetOf({ target }: Lock): WireLockTarget {
  if (!('person' in target)) return target
  const { issuer = '', subject } = target.person
  return { person: { issuer, subject } }
}

export function can(
  approval: Approval,
  person: Person,
  locked: Locked = NOTHING_LOCKED,
): ApprovalCard['can'] {
  const given = withoutAnswered(approval, person)
  const { locks, now } = locked
  const isLocked = lockOnPerson(locks, given, now) !== undefined
  const reader: Person = isLocked ? { ...given, roles: ['viewer'], locked: true } : given
  const lock = lockOnApproval(locks, approval, now)
  const isFrozen = lock !== undefined && 'approval' in lock.target
  const { status, execution, terms, call } = approval
  const isAdmin = reader.roles.includes('admin')
  const isAsked = isEligible(approval, reader)
  const isPending = status === 'pending'
  const mayApprove = mine(approval, reader, locked).may
  const mayRevoke = status === 'approved' && !execution && (isAsked || isAdmin)
  const mayDeny = (isPending && (isAsked || isActingUser(reader, call))) || mayRevoke
  const mayResolve = isAdmin || reader.roles.includes('approver')
  const actions: readonly [ApprovalCard['can'][number], boolean][] = [
    ['approve', mayApprove],
    ['deny', mayDeny && !isFrozen && !isLocked],
    ['edit', mayApprove && terms.edit !== false],
    ['extend', isPending && (isAdmin || isAsked) && latestDeadline(approval) > approval.decideBy],
    ['lift', isLiftable(approval) && (isAdmin || isAsked)],
    ['withdraw', isOpen(approval) && isOwn(approval, reader)],
    ['reveal', mayReveal(approval, reader)],
    ['grant', (mayApprove || status === 'approved') && !refuseGrant(approval, reader, 'any')],
    ['resolve', execution?.state === 'unknown' && mayResolve],
    ['question', mayAskBack(approval, reader)],
    ['reply', mayReply(approval, reader)],
    ['comment', mayComment(approval, reader)],
    ['remind', isPending && (isAdmin || isAsked || isOwn(approval, reader)) && !isLocked],
    ['assign', mayAskBack(approval, reader)],
  ]
  return actions.filter(([, may]) => may).map(([action]) => action)
}

/** A denial that answers equal calls of its run. */
function isLiftable({ status, lifted, call }: Approval): boolean {
  return status === 'denied' && lifted === undefined && call.run !== undefined
}

/** A question lives at most twice as long as the policy gave it. */
function latestDeadline({ askedAt, terms }: Approval): number {
  return askedAt + Math.min(2 * terms.decideBy, 365 * 86_400_000)
}
