import type { ProblemName } from '../api/authzen/problem.ts'
import type { Approval } from '../approval/approval.ts'
import { CountersignError } from '../base/errors.ts'
import { digestOf } from '../base/json/digest.ts'
import { isPlainObject, type JsonObject } from '../base/json/json.ts'
import type { Checked } from '../gate/pipeline/check.ts'
import type { DecisionPoint } from './evaluate.ts'
import { callOf, readContext, readTuple, type Tuple } from './tuple.ts'

/** What an enforcement point submits after a denial. */
export interface Submission {
  readonly tuple: Tuple
  readonly evaluationId: unknown
  /** Why it cannot be taken as it is. */
  readonly problem?: readonly [ProblemName, string]
  /** The name that the submitter gives itself. */
  readonly actor?: string | undefined
  readonly session?: string | undefined
  /** `context.business_justification`. */
  readonly says?: unknown
  readonly link?: string | undefined
}

const ONE_CALL = 'one request is about one call: submit each item by itself'
const NO_CALLBACK = 'callbacks are not sent: look at the status endpoint, or subscribe a webhook'
const NO_TOKEN = 'no binding_token is issued here: send the evaluation_id'

export function readSubmission(value: unknown): Submission {
  if (!isPlainObject(value)) throw invalid('the body is not an object')
  if (value.items !== undefined) return refusal('not_requestable', ONE_CALL)
  const tuple = readTuple(value)
  const { denial, callback } = value
  if (!isPlainObject(denial)) throw invalid('denial is missing or not an object')
  if (typeof denial.expires_at !== 'string') throw invalid('denial.expires_at is missing')
  if (callback !== undefined) return refusal('not_requestable', NO_CALLBACK)
  if (denial.binding_token !== undefined) return refusal('invalid_denial_binding', NO_TOKEN)
  const { business_justification: says } = readContext(value, 'context')
  const { actor, source } = isPlainObject(value.client) ? value.client : {}
  const { session_id: session, external_url: link } = isPlainObject(source) ? source : {}
  return {
    tuple,
    evaluationId: denial.evaluation_id,
    ...(actor === undefined ? {} : { actor: actorOf(actor) }),
    ...text('session', session, 'client.source.session_id'),
    says,
    ...text('link', link, 'client.source.external_url'),
  }
}

function refusal(name: ProblemName, says: string): Submission {
  const nothing = { type: 'none', id: 'none' }
  const tuple = { subject: nothing, action: { name: 'none' }, resource: nothing, context: {} }
  return { tuple, evaluationId: undefined, problem: [name, says] }
}

/** A chain of actors proves nothing here, so one with links is refused. */
function actorOf(actor: unknown): string {
  const { id, act } = isPlainObject(actor) ? actor : {}
  return typeof id === 'string' && act === undefined ? id : ''
}

/** Refused and not left out: people would decide without what they were meant to read. */
function text<N extends string>(
  name: N,
  value: unknown,
  place: string,
): { readonly [name in N]?: string } {
  if (value === undefined || value === '') return {}
  if (typeof value !== 'string' || value.length > 1_024) {
    throw invalid(`${place} is not a text of at most 1024 characters`)
  }
  return { [name]: value } as { readonly [name in N]: string }
}

function invalid(says: string): CountersignError {
  return new CountersignError('invalid_value', says)
}

export type Submitted =
  | { readonly approval: Approval }
  | { readonly problem: readonly [ProblemName, string] }

/** Asks a person about a call that was denied so far. The same request again finds the same task. */
export async function submitRequest(
  point: DecisionPoint,
  submission: Submission,
  idempotencyKey: string | undefined,
): Promise<Submitted> {
  const { agent, binding, gate } = point
  const { problem, tuple: submitted, evaluationId, session, says, link } = submission
  if (problem) return { problem }
  const bound = await binding.verify(agent, evaluationId, submitted)
  if ('problem' in bound) return { problem: [bound.problem, BINDING[bound.problem]] }
  const { tuple, name } = bound
  // Each request is a run of its own: a no ends its task, and says nothing of later requests.
  const key = idempotencyKey === undefined ? `denial:${name}` : `key:${idempotencyKey}`
  const context = {
    // Where it was evaluated, it is among the arguments.
    ...(Object.hasOwn(tuple.context, 'business_justification')
      ? {}
      : text('says', says, 'context.business_justification')),
    ...(link === undefined ? {} : { links: [link] }),
  } satisfies JsonObject
  const call = {
    ...callOf(tuple),
    run: `authzen:${key}`,
    key,
    ...(Object.keys(context).length > 0 ? { context } : {}),
  }
  const batch = session === undefined ? undefined : await digestOf('batch', { agent, session })
  return answerOf(await gate.check(call, { isParsed: true, ...(batch ? { batch } : {}) }))
}

const BINDING = {
  invalid_denial_binding: 'evaluate the call again, and submit exactly what was evaluated',
  expired_denial: 'evaluate the call again',
} as const

function answerOf(checked: Checked): Submitted {
  if (checked.status === 'allowed') {
    return { problem: ['not_requestable', 'the call is allowed: evaluate it again'] }
  }
  const { approval } = checked
  if (checked.status !== 'blocked') {
    if (approval) return { approval }
    throw new CountersignError('internal', 'a question without an approval')
  }
  const { code, modelMessage } = checked
  if (code === 'key_reused') {
    return { problem: ['duplicate_request', 'the key was sent before, with another call'] }
  }
  if (approval) return { approval }
  if (NOT_REQUESTABLE.includes(code)) return { problem: ['not_requestable', modelMessage] }
  throw new CountersignError(code, modelMessage, { details: { isSentence: true } })
}

const NOT_REQUESTABLE: readonly string[] = [
  'denied',
  'denied_by_policy',
  'denied_by_mode',
  'locked',
  'quarantined',
  'no_eligible_approver',
  'not_permitted',
]
