import type { Approval, AskedCall, Escalated, Execution, StatusReason } from '../approval.ts'
import type { Claim } from '../command.ts'
import type { Grant } from '../grants/grant.ts'
import { type Lock, lockedBecause } from '../locks/lock.ts'
import {
  bySystem,
  change,
  type Draft,
  factsOf,
  type Outcome,
  refuse,
  refuseAndEnd,
} from '../outcome.ts'
import { allMet } from '../people/eligibility.ts'
import { forbiddenChange, mergeRequirements } from '../people/merge.ts'
import type { PolicyAnswer, Requirement } from '../people/requirement.ts'
import type { Voter } from '../people/seat-assignment.ts'
import type { StandIn } from '../people/stand-in.ts'
import { closed } from './closed.ts'
import { isSureEnough, standingYeses, yeses } from './decide.ts'
import { running } from './execution.ts'

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
