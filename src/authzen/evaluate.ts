import {
  type AuthzenDecision,
  CLAIM_MEMBER,
  type DecisionContext,
  MESSAGE_MEMBER,
} from '../api/authzen/evaluation.ts'
import type { Approval } from '../approval/approval.ts'
import { CountersignError, type ErrorCode, isCountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import { isPlainObject } from '../base/json/json.ts'
import { digestCall } from '../gate/content/binding.ts'
import type { Gate } from '../gate/gate.ts'
import { internals } from '../gate/internals.ts'
import type { Store } from '../store/store.ts'
import type { DenialBinding } from './denial-binding.ts'
import { AUTHZEN_DOOR, iso } from './task.ts'
import { callOf, type Tuple } from './tuple.ts'

/** The decision point as one agent sees it. */
export interface DecisionPoint {
  /** Speaks for the agent, through the door of AuthZEN. */
  readonly gate: Gate
  readonly agent: string
  readonly store: Store
  readonly binding: DenialBinding
  /** Where this server is, without a slash at its end. */
  readonly home: string
  /** The approval of this name, if this agent asked for it. */
  readonly own: (id: string) => Promise<Approval | undefined>
}

/** Codes that answer a call. Every other one is a mistake in the request, or a failure. */
const DENIALS: readonly ErrorCode[] = [
  'denied',
  'denied_by_policy',
  'denied_by_mode',
  'locked',
  'quarantined',
  'not_permitted',
]

/** What the policy says of a call. Asks no person, and leaves nothing behind. */
export async function evaluateTuple(point: DecisionPoint, tuple: Tuple): Promise<AuthzenDecision> {
  const judged = await point.gate[internals].judged(callOf(tuple), { isParsed: true })
  if (judged === undefined) return requestable(point, tuple)
  if (judged.status === 'allowed') return { decision: true }
  if (judged.status !== 'blocked') return denial('approval_required', STANDS)
  const { code, modelMessage } = judged
  if (DENIALS.includes(code)) return denial(code, modelMessage)
  throw new CountersignError(code, modelMessage, { details: { isSentence: true } })
}

const STANDS = 'The call was asked about before, and what people decide stands. It did not run.'

async function requestable(
  { agent, binding, home }: DecisionPoint,
  tuple: Tuple,
): Promise<AuthzenDecision> {
  const { evaluationId, evaluatedAt, expiresAt } = await binding.issue(agent, tuple)
  return denial(
    'approval_required',
    `The call to ${tuple.action.name} needs the approval of a person, who has not been asked yet. It did not run.`,
    {
      evaluation_id: evaluationId,
      evaluated_at: iso(evaluatedAt),
      access_request: {
        endpoint: `${home}/access/v1/requests`,
        expires_at: iso(expiresAt),
        display: {
          title: 'Ask a person',
          description: 'This call needs the approval of a person.',
        },
      },
    },
  )
}

function denial(reason: string, says: string, more: DecisionContext = {}): AuthzenDecision {
  return { decision: false, context: { reason, [MESSAGE_MEMBER]: says, ...more } }
}

/**
 * With an approval: it is used up, at once and once, by exactly the call that people approved. What
 * does not apply is refused, also where the call would be allowed without it.
 */
export async function reevaluateTuple(
  point: DecisionPoint,
  tuple: Tuple,
  reference: unknown,
): Promise<AuthzenDecision> {
  const approval = await presented(point, reference)
  if (!approval) return refused('approval_unverifiable', 'This is no approval of this agent.')
  // Edits end with the yes: from then on its digest is the call that runs.
  if (approval.status === 'pending') {
    return denial('approval_pending', 'No person has approved the call yet. It did not run.', RETRY)
  }
  if (!(await isInScope(point, approval, tuple))) {
    const now = await evaluateTuple(point, tuple)
    return again(now, 'out_of_scope', 'The approval is for another call.')
  }
  try {
    return await claimed(point, approval)
  } catch (error) {
    const code = isCountersignError(error) ? error.code : undefined
    if (code === 'denied') return refused('approval_denied', 'A person denied the call.')
    if (code && POLICY_HOLDS.includes(code)) {
      return refused('policy_denied', 'The call is held back for now.')
    }
    if (code && APPROVAL_ENDED.includes(code)) return ended(point, tuple)
    throw error
  }
}

/** The approval may have been used before, so this says nothing of the call. */
const RAN_NOTHING = 'This attempt ran nothing.'
const RETRY = { next_action: 'retry', retry_after: 5 } as const
/** The approval stays as it is: it may be good again later. */
const POLICY_HOLDS: readonly ErrorCode[] = ['denied_by_policy', 'locked', 'quarantined']
const APPROVAL_ENDED: readonly ErrorCode[] = [
  'already_claimed',
  'already_finished',
  'call_changed',
  'content_gone',
  'expired',
  'invalidated',
  'policy_changed',
  'withdrawn',
]

function refused(reason: string, says: string): AuthzenDecision {
  return denial(reason, `${says} ${RAN_NOTHING}`, { next_action: 'none' })
}

/** A claim also ends an approval that the policy no longer accepts, and then that is the reason. */
async function ended(point: DecisionPoint, tuple: Tuple): Promise<AuthzenDecision> {
  const now = await evaluateTuple(point, tuple)
  if (!now.decision && now.context?.reason !== 'approval_required') {
    return refused('policy_denied', 'The call is denied or locked by now.')
  }
  return again(now, 'approval_expired', 'The approval was used or has ended.')
}

/** A new request may help, if the call can be requested at all. */
function again({ context = {} }: AuthzenDecision, reason: string, says: string): AuthzenDecision {
  const { evaluation_id, evaluated_at, access_request } = context
  if (!access_request || !evaluation_id || !evaluated_at) return refused(reason, says)
  return denial(reason, `${says} ${RAN_NOTHING}`, {
    ...{ evaluation_id, evaluated_at, access_request },
    next_action: 'request',
  })
}

/** Resolved here and nowhere else: what the caller says of an approval must be what is recorded. */
async function presented(
  { own }: DecisionPoint,
  reference: unknown,
): Promise<Approval | undefined> {
  if (!isPlainObject(reference) || typeof reference.id !== 'string') return undefined
  // None is ever handed out, so this one comes from elsewhere.
  if (reference.state !== undefined) return undefined
  const approval = await own(reference.id)
  if (!approval || approval.call.door !== AUTHZEN_DOOR) return undefined
  const { approved_until: until, approved_at: at } = reference
  const { useBy, decidedAt } = approval
  const isSame = (said: unknown, kept: number | undefined) =>
    said === undefined || (kept !== undefined && said === iso(kept))
  return isSame(until, useBy) && isSame(at, decidedAt) ? approval : undefined
}

/** Whether this is the call that people approved, with the arguments they left it with. */
async function isInScope(
  { store }: DecisionPoint,
  { call, digest }: Approval,
  tuple: Tuple,
): Promise<boolean> {
  const { tool, args } = callOf(tuple)
  if (call.tool !== tool || call.kind !== 'tool' || call.server !== undefined) return false
  return (await digestCall(store.tenant, call, canonicalJson(args))) === digest
}

async function claimed(
  { gate, home }: DecisionPoint,
  { id, askedDigest, digest, useBy }: Approval,
): Promise<AuthzenDecision> {
  const spent = await gate[internals].claim(id, askedDigest)
  if (spent.digest !== digest) {
    throw new CountersignError('internal', `approval ${id} was claimed for another call`)
  }
  const { claim, lease, startWithin, idempotencyKey, decision } = spent
  const at = `${home}/v1/approvals/${encodeURIComponent(id)}`
  return {
    decision: true,
    context: {
      ...(useBy === undefined ? {} : { approval: { id, approved_until: iso(useBy) } }),
      [CLAIM_MEMBER]: {
        ...{ id, claim, lease, startWithin, idempotencyKey },
        ...(decision === undefined ? {} : { decision }),
        renew: `${at}/renew`,
        result: `${at}/result`,
      },
    },
  }
}
