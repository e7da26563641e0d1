import { isCountersignError } from '../../base/errors.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import type { Json } from '../../base/json/json.ts'
import type { Approval, AskedCall, Escalated, Execution, StatusReason } from '../approval.ts'
import type { Claim, Finish, Holder, Lost, Renew, Resolve } from '../command.ts'
import type { Grant } from '../grants/grant.ts'
import { type Lock, lockedBecause } from '../locks/lock.ts'
import { isSureEnough, personId } from '../people/person.ts'
import { allMet, standingYeses, type Voter, yeses } from '../people/quorum.ts'
import {
  forbiddenChange,
  mergeRequirements,
  type PolicyAnswer,
  type Requirement,
} from '../people/requirement.ts'
import type { StandIn } from '../people/stand-in.ts'
import {
  byPerson,
  bySystem,
  change,
  contentOf,
  type Draft,
  factsOf,
  keysOf,
  type Outcome,
  refuse,
  refuseAndEnd,
  UNCHANGED,
} from '../transition.ts'
import { closed } from './closed.ts'

/** What is looked at again besides the command: read in the same transaction. */
interface Held {
  readonly lock?: Lock | undefined
  readonly grant?: Grant | undefined
  readonly standIns?: readonly StandIn[]
}

/**
 * Spend the yes, once, just before the call runs. Everything the yes rested on is looked at again;
 * what no longer holds ends the approval instead of running the call.
 */
export function claim(
  approval: Approval,
  command: Claim,
  now: number,
  { lock, grant, standIns = [] }: Held = {},
): Outcome {
  const { id, call, digest } = approval
  if (command.agent !== call.agent) {
    return refuse('not_the_asker', `approval ${id} belongs to another agent`)
  }
  if (approval.status !== 'approved' || approval.execution) {
    const { code, message } = closed(approval)
    return refuse(code, message)
  }
  if (command.digest !== approval.askedDigest) {
    return refuse('call_changed', `approval ${id} was given for another call`)
  }
  // A lock may be lifted tomorrow: it holds the yes back and does not end it.
  if (lock) return refuse('locked', lockedBecause(lock))
  if (command.definition !== call.definition) return invalid(approval, 'tool')
  if (!grantHolds(approval, grant, now)) return invalid(approval, 'revoked')
  const voters = validVotes(approval, command, standIns)
  if (!allMet(approval, voters)) return invalid(approval, 'voter')
  if (isUnused(approval, command.answer, now)) {
    return refuseAndEnd(
      'expired',
      `approval ${id} has expired (unused)`,
      { status: 'expired', reason: 'unused' },
      [{ type: 'expired', ...bySystem('gate'), code: 'unused' }],
    )
  }
  if (!policyHolds(approval, command, voters)) return invalid(approval, 'policy')
  const execution = running(command.holder, now)
  return change({ execution }, [claimedDraft(call, digest, execution, command.countersignature)])
}

export function claimedDraft(
  { agent }: AskedCall,
  digest: string,
  { claim: name, instance, startBy }: Execution,
  countersignature: string | undefined,
): Draft {
  const facts = factsOf({ claim: name, startBy, instance, countersignature })
  return { type: 'claimed', by: { agent }, digest, facts }
}

function invalid({ id }: Approval, reason: StatusReason): Outcome {
  return refuseAndEnd(
    'invalidated',
    `approval ${id} was invalidated (${reason})`,
    { status: 'invalidated', reason },
    [{ type: 'invalidated', ...bySystem('gate'), code: reason }],
  )
}

/** A yes by grant lives no longer than the grant. Its last use was this one: that is no end. */
function grantHolds(approval: Approval, grant: Grant | undefined, now: number): boolean {
  if (approval.grant === undefined) return true
  return grant?.id === approval.grant && grant.state !== 'revoked' && now < grant.endsAt
}

/** The yeses of people who are still known, as they were then and as they are now. */
function validVotes(
  approval: Approval,
  { voters }: Claim,
  standIns: readonly StandIn[],
): readonly Voter[] {
  return yeses(approval, voters, standIns)
    .filter(({ today }) => today !== undefined)
    .map(({ lent, ...voter }) => {
      const known = lent?.filter(({ today }) => today !== undefined)
      return known ? { ...voter, lent: known } : voter
    })
}

/**
 * Whether the yes would be enough under the policy of today. A policy that asks for less changes
 * nothing; one that asks for more must find it in the answers already given.
 */
function policyHolds(approval: Approval, command: Claim, voters: readonly Voter[]): boolean {
  const { answer } = command
  if (answer.verdict === 'allow') return true
  if (answer.verdict === 'deny' || !answer.terms) return false
  const { requirements, terms } = answer
  const live = standingYeses(approval)
  const sure = live.every(({ by }) => isSureEnough(by, terms))
  const reasoned = terms.reason !== 'required_always' || live.every((one) => one.reasoned)
  const inBand =
    answer.verdict === 'review' && live.some(({ by }) => by.assurance === 'elicitation')
  if (!sure || !reasoned || inBand || forbiddenChange(terms.edit, approval.edited)) return false
  // What was demanded before is met already; only what is new today is left to look at.
  const added = mergeRequirements(approval.requirements, requirements).slice(
    approval.requirements.length,
  )
  const question = { call: approval.call, requirements: added, escalated: takenBy(approval, added) }
  return added.length === 0 || allMet(question, voters)
}

/** Steps that would have been taken by the time people decided. */
function takenBy(
  { decidedAt, askedAt }: Approval,
  requirements: readonly Requirement[],
): Escalated[] {
  const age = (decidedAt ?? askedAt) - askedAt
  return requirements.flatMap(({ escalate }, requirement) =>
    escalate.flatMap(({ after }, step) =>
      after <= age ? [{ requirement, step, at: askedAt + after }] : [],
    ),
  )
}

/** A shorter life for a yes counts at once. */
function isUnused({ decidedAt }: Approval, { terms }: PolicyAnswer, now: number): boolean {
  return terms !== undefined && decidedAt !== undefined && now >= decidedAt + terms.useBy
}

/** A claimer that has not started this long after its claim must not start. */
export const START_WITHIN = 10_000

/** A process that was silent for longer than this is taken for dead. */
export const SILENCE = 30_000

export function running({ claim, instance, lease }: Holder, now: number): Execution {
  return {
    state: 'running',
    claim,
    claimedAt: now,
    startBy: now + START_WITHIN,
    ...(instance === undefined ? {} : { instance }),
    ...(lease === undefined ? {} : { leaseUntil: now + lease }),
  }
}

/** The last question before the tool starts: still mine, still running, still in time. */
export function mayStart({ execution }: Approval, claim: string, now: number): boolean {
  return execution?.state === 'running' && execution.claim === claim && now < execution.startBy
}

export function renew(
  { call, execution }: Approval,
  { claim, lease }: Renew,
  now: number,
): Outcome {
  if (execution?.state !== 'running') return refuse('not_running', 'nothing is running')
  if (execution.claim !== claim)
    return refuse('not_the_claimer', 'another claim holds this approval')
  if (execution.leaseUntil === undefined) {
    return refuse('not_due', 'this claim lives by its heartbeat and has no lease')
  }
  const leaseUntil = Math.max(execution.leaseUntil, now + lease)
  if (leaseUntil === execution.leaseUntil) return UNCHANGED
  return change({ execution: { ...execution, leaseUntil } }, [
    { type: 'renewed', by: { agent: call.agent }, facts: { claim, leaseUntil } },
  ])
}

/** The end, told by the one who ran it; from `unknown` it counts, and is marked late. */
export function finish(approval: Approval, command: Finish, now: number): Outcome {
  const { call, execution } = approval
  const { claim, outcome } = command
  if (!execution) return refuse('not_running', 'nothing was claimed')
  if (execution.claim !== claim)
    return refuse('not_the_claimer', 'another claim holds this approval')
  const by = { agent: call.agent }
  if (execution.state === 'succeeded' || execution.state === 'failed') {
    if (execution.state === outcome && !execution.resolvedBy) return UNCHANGED
    return refuse('already_finished', `this call is already written down as ${execution.state}`, [
      { type: 'late', by, code: 'already_finished', facts: { claim, outcome } },
    ])
  }
  const { noResult, value } = resultOf(command)
  const content = contentOf(approval, 'result', value)
  const [stored] = content
  const late = execution.state === 'unknown'
  const ended: Execution = {
    ...execution,
    state: outcome,
    endedAt: now,
    ...(late ? { late: true } : {}),
    ...(stored ? { result: stored.key } : {}),
    ...(noResult ? { noResult } : {}),
  }
  const facts = { claim, late, ...(noResult ? { noResult } : {}) }
  return change(
    { execution: ended },
    [{ type: 'finished', by, code: outcome, facts, ...keysOf(content) }],
    content,
  )
}

/** The outcome of the call is unknown. It is never started again automatically. */
export function lost(
  { call, execution }: Approval,
  { claim: said, lastSeen }: Lost,
  now: number,
): Outcome {
  if (said !== undefined && execution && execution.claim !== said)
    return refuse('not_the_claimer', 'another claim holds this approval')
  if (execution?.state === 'unknown') return UNCHANGED
  if (execution?.state !== 'running') return refuse('not_running', 'nothing is running')
  const { claimedAt, leaseUntil, claim } = execution
  const unknown: Execution = { ...execution, state: 'unknown', lostAt: now }
  if (said !== undefined) {
    const by = { agent: call.agent }
    return change({ execution: unknown }, [{ type: 'lost', by, facts: { claim } }])
  }
  const seen = Math.max(claimedAt, lastSeen ?? claimedAt)
  const silent = leaseUntil === undefined ? now - seen > SILENCE : now > leaseUntil
  if (!silent) return refuse('not_due', 'the one who claimed this approval is still alive')
  return change({ execution: unknown }, [
    { type: 'lost', ...bySystem('sweeper'), facts: { claim } },
  ])
}

/** A person writes down what happened. There is no way back to running. */
export function resolve(approval: Approval, command: Resolve, now: number): Outcome {
  const { execution } = approval
  const { by, outcome, reason } = command
  if (by.locked || !by.roles.some((role) => role === 'admin' || role === 'approver')) {
    return refuse('not_permitted', 'only an approver or an admin writes down what happened')
  }
  if (execution?.state === outcome && execution.resolvedBy) return UNCHANGED
  if (execution?.state !== 'unknown') {
    return refuse(
      execution && execution.state !== 'running' ? 'already_finished' : 'not_due',
      'only a call with an unknown outcome can be resolved',
    )
  }
  const content = contentOf(approval, 'note', reason)
  return change(
    { execution: { ...execution, state: outcome, endedAt: now, resolvedBy: personId(by) } },
    [
      {
        type: 'resolved',
        ...byPerson(by),
        code: outcome,
        facts: { claim: execution.claim },
        ...keysOf(content),
      },
    ],
    content,
  )
}

const RESULT_LIMITS = { depth: 64, bytes: 262_144 }

/**
 * The result as it may be kept. A result that is too large or not JSON is left out; the outcome is
 * recorded all the same, because forgetting that a call ran would be worse.
 */
export function resultOf({ result, drop }: Finish): {
  readonly value?: Json
  readonly noResult?: Execution['noResult']
} {
  if (drop) return { noResult: 'dropped' }
  if (result === undefined) return {}
  try {
    return { value: freshParse(canonicalJson(result, RESULT_LIMITS)) }
  } catch (error) {
    return { noResult: isCountersignError(error, 'too_large') ? 'too_large' : 'invalid' }
  }
}
