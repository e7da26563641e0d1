import * as v from 'valibot'
import { about, flag, type Infer, list, object, oneOf, optional, text, whole } from '../schema.ts'

/*
 * OpenID AuthZEN Authorization API 1.0. Its receivers ignore members they do not know, so these
 * objects are open, other than those of our own routes.
 */

const properties = optional(
  about(v.record(v.string(), v.unknown(), 'is not an object'), 'Part of what is approved.'),
)
const name = text({ min: 1, max: 1_024 })

export const AuthzenSubject = v.looseObject(
  { type: name, id: about(name, 'The agent of the token that asks.'), properties },
  'is missing or not an object',
)
export const AuthzenAction = v.looseObject(
  { name: about(name, 'The tool.'), properties },
  'is missing or not an object',
)
export const AuthzenResource = v.looseObject(
  {
    type: about(name, '`tool` for a tool whose arguments are the properties.'),
    id: name,
    properties: optional(
      about(v.record(v.string(), v.unknown(), 'is not an object'), 'Arguments of the tool.'),
    ),
  },
  'is missing or not an object',
)
const context = optional(
  about(
    v.record(v.string(), v.unknown(), 'is not an object'),
    'Part of what is approved, besides `time`. `approval`: the approval to use up.',
  ),
)

/** `POST /access/v1/evaluation`. */
export const EvaluationBody = v.looseObject(
  { subject: AuthzenSubject, action: AuthzenAction, resource: AuthzenResource, context },
  'is not an object',
)
export type EvaluationBody = Infer<typeof EvaluationBody>

const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const

/** More in one request would be one way around the limit of requests. */
export const MOST_EVALUATIONS = 100

/** `POST /access/v1/evaluations`. Each evaluation is read with the defaults beside it. */
export const EvaluationsBody = v.looseObject(
  {
    subject: optional(AuthzenSubject),
    action: optional(AuthzenAction),
    resource: optional(AuthzenResource),
    context,
    evaluations: optional(
      about(
        list(v.record(v.string(), v.unknown(), 'is not an object'), { max: MOST_EVALUATIONS }),
        'Each as in a single evaluation; what it leaves out is taken from beside the list.',
      ),
    ),
    options: optional(
      v.looseObject({ evaluations_semantic: optional(oneOf(...SEMANTICS)) }, 'is not an object'),
    ),
  },
  'is not an object',
)
export type EvaluationsBody = Infer<typeof EvaluationsBody>

/** What the holder of a claim needs to report how the call went. */
export const AuthzenClaim = object({
  id: about(v.string(), 'Of the approval.'),
  claim: v.string(),
  lease: about(whole(), 'Milliseconds until it must be renewed.'),
  startWithin: about(whole(), 'Milliseconds within which the call must be started, or not at all.'),
  idempotencyKey: v.string(),
  decision: optional(about(v.unknown(), 'What an approver attached for the tool.')),
  renew: about(v.string(), 'Where the claim is renewed.'),
  result: about(v.string(), 'Where the outcome is reported.'),
})
export type AuthzenClaim = Infer<typeof AuthzenClaim>

/** Members of our own: the profile wants names that are registered, or URIs. */
export const CLAIM_MEMBER = 'urn:countersign:claim'
export const MESSAGE_MEMBER = 'urn:countersign:message'

const DecisionContext = object({
  reason: optional(about(v.string(), 'A code.')),
  [MESSAGE_MEMBER]: optional(about(v.string(), 'The sentence for the model.')),
  evaluation_id: optional(v.string()),
  evaluated_at: optional(v.string()),
  access_request: optional(
    object({
      endpoint: v.string(),
      expires_at: v.string(),
      display: object({ title: v.string(), description: v.string() }),
    }),
  ),
  next_action: optional(v.picklist(['request', 'retry', 'none'])),
  retry_after: optional(whole()),
  approval: optional(object({ id: v.string(), approved_until: v.string() })),
  error: optional(object({ status: whole(), message: v.string() })),
  [CLAIM_MEMBER]: optional(AuthzenClaim),
})

/** The answer to one evaluation. */
export const AuthzenDecision = object({ decision: flag, context: optional(DecisionContext) })
export type AuthzenDecision = Infer<typeof AuthzenDecision>
export type DecisionContext = NonNullable<AuthzenDecision['context']>

export const AuthzenDecisions = v.union([
  object({ evaluations: v.array(AuthzenDecision) }),
  AuthzenDecision,
])

/** `GET /.well-known/authzen-configuration`. */
export const AuthzenMetadata = object({
  policy_decision_point: v.string(),
  access_evaluation_endpoint: v.string(),
  access_evaluations_endpoint: v.string(),
  access_request_endpoint: v.string(),
  capabilities: v.array(v.string()),
})
export type AuthzenMetadata = Infer<typeof AuthzenMetadata>
