import type { Approval, Escalated } from '../approval.ts'
import { escalatedDraft, untakenSteps } from '../clock.ts'
import type { Escalate, Extend, Lift, Reach, Remind, Reveal } from '../command.ts'
import type { Lock } from '../locks/lock.ts'
import { isSureEnough, isSurely, type Person } from '../people/person.ts'
import { isEligible } from '../people/quorum.ts'
import { type Shortage, shortageOf } from '../people/requirement.ts'
import { byPerson, bySystem, change, type Outcome, refuse, UNCHANGED } from '../transition.ts'
import { closed, refuseClosed } from './closed.ts'

const YEAR = 365 * 86_400_000
const BETWEEN_REMINDERS = 60_000

/** More time to answer, up to twice what the policy gave. Never less, and never a moved deadline back. */
export function extend(approval: Approval, { by, until }: Extend): Outcome {
  if (approval.status !== 'pending') return refuseClosed(approval)
  if (!mayManage(approval, by)) return refuse('not_permitted', 'only someone asked, or an admin')
  const { askedAt, decideBy, terms } = approval
  if (until === decideBy) return UNCHANGED
  const latest = askedAt + Math.min(2 * terms.decideBy, YEAR)
  if (until < decideBy || until > latest) {
    return refuse('extend_too_long', `a deadline only moves later, and to ${latest} at most`)
  }
  return change({ decideBy: until }, [
    { type: 'extended', ...byPerson(by), facts: { from: decideBy, to: until } },
  ])
}

/** Nothing becomes a yes by it: the next equal call only asks people again. */
export function lift(approval: Approval, { by }: Lift, now: number): Outcome {
  if (approval.status !== 'denied') return refuse('not_denied', 'only a denial can be lifted')
  if (!mayManage(approval, by)) return refuse('not_permitted', 'only someone asked, or an admin')
  if (approval.lifted !== undefined) return UNCHANGED
  const { issuer, subject } = by
  return change({ lifted: { at: now, by: { issuer, subject } } }, [
    { type: 'lifted', ...byPerson(by), facts: {} },
  ])
}

export function remind(approval: Approval, { by }: Remind, now: number): Outcome {
  if (approval.status !== 'pending') return refuseClosed(approval)
  const { askedAt, remindedAt = askedAt, reminders, terms } = approval
  if (by && (by.locked || !(mayManage(approval, by) || isOwn(approval, by)))) {
    return refuse('not_permitted', 'only someone concerned reminds the others')
  }
  const pause = by ? BETWEEN_REMINDERS : terms.remindAfter
  if (pause === undefined || now < remindedAt + pause) {
    return refuse('not_due', 'it is not time for another reminder')
  }
  const actor = by ? byPerson(by) : bySystem('sweeper')
  return change({ reminders: reminders + 1, remindedAt: now }, [
    { type: 'reminded', ...actor, facts: { count: reminders + 1 } },
  ])
}

/** Due steps were taken by the clock already, so only a person who is ahead of it does anything. */
export function escalate(
  approval: Approval,
  { by }: Escalate,
  now: number,
  ticked: boolean,
): Outcome {
  if (approval.status !== 'pending') return refuseClosed(approval)
  if (!by) return ticked ? UNCHANGED : refuse('not_due', 'no escalation is due')
  if (!mayManage(approval, by)) return refuse('not_permitted', 'only someone asked, or an admin')
  const person = { issuer: by.issuer, subject: by.subject }
  const next = nextSteps(approval, now).map((one) => ({ ...one, by: person }))
  if (next.length === 0) return refuse('not_due', 'there is no further escalation step')
  return change(
    { escalated: [...approval.escalated, ...next] },
    next.map((one) => escalatedDraft(one, byPerson(by))),
  )
}

/** The earliest step left in each requirement. */
function nextSteps(approval: Approval, now: number): Escalated[] {
  const left = untakenSteps(approval)
  return approval.requirements.flatMap((_, requirement) => {
    const own = left.filter((one) => one.requirement === requirement)
    const after = Math.min(...own.map((one) => one.after))
    return own
      .filter((one) => one.after === after)
      .map(({ step }) => ({ requirement, step, at: now }))
  })
}

export function expire(approval: Approval): Outcome {
  if (approval.status === 'expired') return UNCHANGED
  if (approval.status === 'pending' || (approval.status === 'approved' && !approval.execution)) {
    return refuse('not_due', 'its time has not run out')
  }
  const { code, message } = closed(approval)
  return refuse(code, message)
}

export function mayManage(approval: Approval, by: Person): boolean {
  return !by.locked && (by.roles.includes('admin') || isEligible(approval, by))
}

export function isOwn({ call }: Approval, by: Person): boolean {
  return [call.principal, call.requester].some((name) => name !== undefined && isSurely(by, name))
}

/**
 * A person reveals one masked value. Changes no state and is recorded all the same: the value is
 * shown only after this record is written.
 */
export function reveal(approval: Approval, { by, seen, path }: Reveal): Outcome {
  if (!mayReveal(approval, by)) {
    return refuse('not_permitted', 'only an approver who may decide this sees its secrets')
  }
  if (seen !== approval.digest) {
    return refuse('call_changed', `approval ${approval.id} is about another call now; look again`)
  }
  return {
    ok: true,
    drafts: [{ type: 'revealed', ...byPerson(by), digest: seen, facts: { path } }],
  }
}

/** Those who decide, and of them only people with a role who signed in to us themselves. */
export function mayReveal(approval: Approval, person: Person): boolean {
  return (
    !person.locked &&
    person.roles.some((role) => role === 'approver' || role === 'admin') &&
    isSureEnough(person, { minAssurance: 'signed-in' }) &&
    isEligible(approval, person)
  )
}

/** Whether what is written down of it is no longer so. */
export function isReachChanged({ unreachable }: Approval, shortage: Shortage | undefined): boolean {
  const isNoted = unreachable !== undefined && !unreachable.over
  return isNoted !== (shortage !== undefined)
}

/** Notes once that a question became unanswerable, and once that it no longer is. */
export function reach(
  approval: Approval,
  { directory }: Reach,
  now: number,
  locks: readonly Lock[],
): Outcome {
  if (approval.status !== 'pending') return refuseClosed(approval)
  const shortage = shortageOf(approval, directory, locks)
  if (!isReachChanged(approval, shortage)) return UNCHANGED
  const by = bySystem('gate')
  if (shortage) {
    const { rule, says } = shortage
    return change({ unreachable: { rule, says, at: now } }, [
      { type: 'unreachable', ...by, facts: { rule } },
    ])
  }
  const { unreachable } = approval
  return change(unreachable ? { unreachable: { ...unreachable, over: true } } : {}, [
    { type: 'reachable', ...by },
  ])
}
