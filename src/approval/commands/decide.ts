import type { Approval, Decision } from '../approval.ts'
import { dueSteps, escalatedDraft } from '../clock.ts'
import type { Decide, Edit } from '../command.ts'
import { type Lock, lockedBecause, lockOnPerson } from '../locks/lock.ts'
import { hasStake, isActingUser, isSureEnough, type Person, samePerson } from '../people/person.ts'
import {
  allMet,
  isEligible,
  neededFor,
  type Question,
  standingYeses,
  yeses,
} from '../people/quorum.ts'
import { type StandIn, standingFor } from '../people/stand-in.ts'
import { MAX_DECISIONS, MAX_EDITED, MAX_REQUIREMENTS } from '../shape.ts'
import {
  byPerson,
  bySystem,
  type Content,
  change,
  contentOf,
  type Draft,
  keysOf,
  type Outcome,
  refuse,
  UNCHANGED,
} from '../transition.ts'
import { refuseLate } from './closed.ts'
import { editOf, type Revised } from './edit.ts'

/** One person's answer. One denial denies; a yes counts towards every requirement it fits. */
export function decide(
  approval: Approval,
  sent: Decide,
  now: number,
  { lock, locks, standIns }: Held = NOTHING_HELD,
): Outcome {
  const command = { ...sent, by: withoutAnswered(approval, sent.by) }
  const { by, verdict, seen } = command
  if (storedAnswer(approval, command)) {
    return lock ? UNCHANGED : decideAgain(approval, command, now, standIns)
  }
  const own = locks.length === 0 ? undefined : lockOnPerson(locks, by, now)
  if (own) return refuse('locked', lockedBecause(own))
  const unheard = refuseStranger(approval, by, verdict)
  if (unheard) return unheard
  const revoking = approval.status === 'approved' && !approval.execution && verdict === 'deny'
  if (approval.status !== 'pending' && !revoking) return refuseLate(approval, by, verdict, seen)
  if (seen !== approval.digest) {
    return refuse('call_changed', `approval ${approval.id} is about another call now; look again`)
  }
  // A no is safe under any lock, except that an approval which is itself locked stays as it is.
  if (lock && (verdict === 'approve' || 'approval' in lock.target)) {
    return refuse('locked', lockedBecause(lock))
  }
  const revised = command.edit
    ? editOf(approval, command.edit)
    : ({ ok: true, call: approval } as const)
  if (!revised.ok) return refuse(revised.code, revised.message)
  if (verdict === 'approve' && isFull(approval, revised.call)) {
    return refuse('too_large', `approval ${approval.id} was edited too often; ask again`)
  }
  const lacking = refuseLacking(revised.call, command) ?? refuseUnanswered(approval, command)
  if (lacking) return lacking
  return verdict === 'deny'
    ? deny(approval, command, now)
    : approve(approval, revised.call, command, now, standIns)
}

/** What holds this very approval back, everything that is locked, and who stands in for whom. */
interface Held {
  readonly lock: Lock | undefined
  readonly locks: readonly Lock[]
  readonly standIns: readonly StandIn[]
}

const NOTHING_HELD: Held = { lock: undefined, locks: [], standIns: [] }

/** A record has room for a bounded history, so that editing back and forth ends somewhere. */
function isFull({ decisions }: Approval, { requirements, edited }: Revised): boolean {
  return (
    decisions.length >= MAX_DECISIONS ||
    requirements.length > MAX_REQUIREMENTS ||
    edited.length > MAX_EDITED
  )
}

/** The same person saying the same thing about the same call: said once, stored once. */
function storedAnswer(approval: Approval, { by, verdict, seen, edit, answers }: Decide): boolean {
  const digest = edit?.digest ?? seen
  return approval.decisions.some(
    (one) =>
      one.verdict === verdict &&
      one.digest === digest &&
      one.answers === answers &&
      !one.void &&
      samePerson(one.by, by) &&
      !addsToYes(approval, one, by),
  )
}

/** The person without those who have said yes themselves: they have no place left to lend. */
export function withoutAnswered(
  approval: Pick<Approval, 'digest' | 'decisions'>,
  person: Person,
): Person {
  if (!person.for) return person
  const given = standingYeses(approval)
  const absent = person.for.filter((away) => !given.some(({ by }) => samePerson(by, away)))
  return standingFor(person, absent)
}

/** The person, standing in for those only whose places they could not fill in their own right. */
function withNeeded(question: Question, person: Person): Person {
  return person.for ? standingFor(person, neededFor(question, person)) : person
}

/** Whether a repeated approval would count for an approver who went away since. */
export function addsToYes(approval: Approval, { verdict, by }: Decision, now: Person): boolean {
  if (approval.status !== 'pending' || verdict !== 'approve') return false
  return neededFor(approval, now).some(
    (away) => !by.for?.some(({ standIn }) => standIn === away.standIn),
  )
}

/**
 * Stores nothing twice. But people added since may complete the quorum with the approvals already
 * given, and then the approver who repeats theirs must not be told to wait.
 */
function decideAgain(
  approval: Approval,
  command: Decide,
  now: number,
  standIns: readonly StandIn[],
): Outcome {
  const { by, verdict, voters = [] } = command
  const { status, digest, terms } = approval
  if (status !== 'pending' || verdict !== 'approve' || by.locked) return UNCHANGED
  const given = yeses(approval, [by, ...voters], standIns)
  if (!allMet(approval, given)) return UNCHANGED
  const useBy = now + terms.useBy
  return change({ status: 'approved', decidedAt: now, useBy }, [approvedDraft(by, digest, useBy)])
}

function approvedDraft(by: Person, digest: string, useBy: number): Draft {
  return { type: 'approved', ...byPerson(by), digest, facts: { useBy } }
}

function refuseStranger(
  approval: Approval,
  by: Person,
  verdict: Decide['verdict'],
): Outcome | undefined {
  const { id, call, status } = approval
  if (by.locked) return refuse('not_permitted', 'this person is locked and decides nothing')
  if (isEligible(approval, by)) return undefined
  if (verdict === 'deny') {
    if (isActingUser(by, call)) return undefined
    if (status === 'approved' && by.roles.includes('admin')) return undefined
  }
  return approval.level === 'review' && hasStake(by, call)
    ? refuse('self_approval', `approval ${id} needs a yes from other people`)
    : refuse('not_an_approver', `this person is not asked about approval ${id}`)
}

/** What the answer itself must bring: how sure we are of the person, and a reason. */
function refuseLacking({ level, terms }: Revised, command: Decide): Outcome | undefined {
  const { by, verdict, reason } = command
  // An answer given inside the agent's own client decides a `confirm` at most, yes or no.
  if (level === 'review' && by.assurance === 'elicitation') {
    return refuse('assurance_too_low', 'an answer inside the agent’s client cannot decide this')
  }
  if (verdict === 'approve' && !isSureEnough(by, terms)) {
    return refuse('assurance_too_low', `a yes here needs ${terms.minAssurance}`)
  }
  const required =
    terms.reason === 'required_always' || (terms.reason === 'required' && verdict === 'deny')
  return required && !hasReason(reason)
    ? refuse('reason_required', `a reason is required to ${verdict} this call`)
    : undefined
}

function hasReason(reason: string | undefined): boolean {
  return reason !== undefined && reason.trim() !== ''
}

function deny(approval: Approval, said: Decide, now: number): Outcome {
  const command = { ...said, by: withNeeded(approval, said.by) }
  const content = contentFor(approval, command)
  const decisions = withAnswer(approval.decisions, answerOf(command, command.seen, now, content))
  const event = {
    ...byPerson(command.by),
    ...forFacts(command.by),
    digest: approval.digest,
    ...keysOf(content),
  }
  if (approval.status === 'approved') {
    return change(
      { status: 'invalidated', reason: 'revoked', decisions },
      [{ type: 'invalidated', ...event, code: 'revoked' }],
      content,
    )
  }
  return change(
    { status: 'denied', decidedAt: now, decisions },
    [{ type: 'denied', ...event }],
    content,
  )
}

function approve(
  approval: Approval,
  revised: Revised,
  command: Decide,
  now: number,
  standIns: readonly StandIn[],
): Outcome {
  const { seen } = command
  const { digest, level, terms, requirements, edited, policy } = revised
  const { call } = approval
  const edits = digest !== approval.digest
  const content = contentFor(approval, command)
  const { decisions: earlier, voided: count } = edits
    ? { decisions: approval.decisions.map(voided), voided: 0 }
    : voidOtherAnswers(approval, command)
  // A requirement the edit brought in counts from when the question was asked, like the others.
  const due = edits ? dueSteps({ ...approval, requirements }, now) : []
  const escalated = [...approval.escalated, ...due]
  const question = { call, requirements, escalated }
  const by = withNeeded(question, command.by)
  const decisions = withAnswer(earlier, answerOf({ ...command, by }, digest, now, content))
  const event = { ...byPerson(by), ...forFacts(by), digest, ...keysOf(content) }
  const said: readonly Draft[] = [
    edits
      ? { type: 'edited', ...event, facts: { ...event.facts, from: seen, policy } }
      : { type: 'decided', ...event, ...voidedFacts(event.facts, count), code: 'approve' },
    ...due.map((one) => escalatedDraft(one, bySystem('clock'))),
  ]
  const changes = { digest, level, terms, requirements, edited, policy, decisions, escalated }
  const voters = yeses({ digest, decisions }, command.voters ?? [], standIns)
  if (!allMet(question, voters)) {
    return change(changes, said, content)
  }
  const useBy = now + terms.useBy
  return change(
    { ...changes, status: 'approved', decidedAt: now, useBy },
    [...said, approvedDraft(by, digest, useBy)],
    content,
  )
}

/** How many earlier approvals these answers made void, for the audit and for the notice. */
function voidedFacts(facts: Draft['facts'], count: number): Pick<Draft, 'facts'> {
  return count === 0 ? {} : { facts: { ...facts, voided: count } }
}

/** In whose place it was said, for the audit. */
function forFacts({ for: absent }: Person): Pick<Draft, 'facts'> {
  if (!absent) return {}
  const standIns = absent.map(({ standIn }) => standIn)
  return { facts: { for: absent.map(({ subject }) => subject), standIns } }
}

function answerOf(
  { by, verdict, seen, reason, answers }: Decide,
  digest: string,
  at: number,
  content: readonly { readonly key: string }[],
): Decision {
  const keys = content
    .filter(({ key }) => !/\/(arguments|question)$/.test(key))
    .map(({ key }) => key)
  return {
    by,
    verdict,
    digest,
    seen,
    at,
    reasoned: hasReason(reason),
    ...(answers === undefined ? {} : { answers }),
    ...(keys.length > 0 ? { content: keys } : {}),
  }
}

/** At most one answer per person and call: a changed mind takes the place of the first. */
function withAnswer(decisions: readonly Decision[], answer: Decision): readonly Decision[] {
  const others = decisions.filter(
    (one) => one.digest !== answer.digest || !samePerson(one.by, answer.by),
  )
  return [...others, answer]
}

function voided(decision: Decision): Decision {
  return { ...decision, void: true }
}

/** What a person wrote or changed, to be kept beside the record. */
export function contentFor(approval: Approval, command: Decide): Content[] {
  const { reason, payload, answer } = command
  const edit = command.edit?.digest === approval.digest ? undefined : command.edit
  return [
    ...contentOf(approval, 'reason', reason),
    ...contentOf(approval, 'payload', payload),
    ...contentOf(approval, 'answer', answer),
    ...contentOf(approval, 'arguments', edit?.arguments),
    ...contentOf(approval, 'question', edit && questionOf(edit)),
  ]
}

function questionOf({ message, missing, values, authored, view }: Edit) {
  return {
    message,
    missing,
    ...(values ? { values } : {}),
    ...(authored ? { authored } : {}),
    ...(view ? { view: { ...view } } : {}),
  }
}

/** A yes to a call with a form has to fill it in. That the form accepts it was checked by the gate. */
function refuseUnanswered(
  { id, call }: Approval,
  { verdict, payload, answers }: Decide,
): Outcome | undefined {
  if (verdict === 'deny' || call.form === undefined) return undefined
  if (payload !== undefined && answers !== undefined) return undefined
  return refuse('payload_required', `approval ${id} has a form that a yes must fill in`)
}

/**
 * Several approvers approve one set of answers. A yes with other answers starts the count anew, like an
 * edit of the call: the last of them must not decide alone what the others were never shown.
 */
function voidOtherAnswers(
  { call, decisions }: Approval,
  { by, answers }: Decide,
): { readonly decisions: readonly Decision[]; readonly voided: number } {
  if (call.form === undefined) return { decisions, voided: 0 }
  let voided = 0
  const kept = decisions.map((one) => {
    if (one.void || one.answers === answers) return one
    if (!samePerson(one.by, by)) voided += 1
    return { ...one, void: true as const }
  })
  return { decisions: kept, voided }
}
