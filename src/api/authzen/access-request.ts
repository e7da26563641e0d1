import * as v from 'valibot'
import { about, type Infer, object, optional, text } from '../schema.ts'
import { EvaluationBody } from './evaluation.ts'

/*
 * OpenID AuthZEN Access Request and Approval Profile, draft 1: what is submitted after a denial that
 * can be requested, and the task that comes of it.
 */

const anything = v.record(v.string(), v.unknown(), 'is not an object')
const label = text({ max: 1_024 })

const Denial = v.looseObject(
  {
    evaluation_id: optional(about(text({ max: 8_192 }), 'As the denied evaluation answered it.')),
    expires_at: about(label, 'As the denied evaluation answered it.'),
    binding_token: optional(about(v.unknown(), 'Refused: none is ever issued here.')),
  },
  'is missing or not an object',
)

/** `POST /access/v1/requests`. */
export const AccessRequestBody = v.looseObject(
  {
    ...EvaluationBody.entries,
    denial: Denial,
    items: optional(about(v.unknown(), 'Refused: one request is about one call.')),
    callback: optional(about(v.unknown(), 'Refused: no callback addresses are known here.')),
    requested_access: optional(about(anything, 'Not read: the policy says how long a yes lasts.')),
    client: optional(
      v.looseObject(
        {
          actor: optional(
            v.looseObject({ id: label, act: optional(v.unknown()) }, 'is not an object'),
          ),
          source: optional(
            v.looseObject(
              {
                session_id: optional(about(label, 'Names the run, for people.')),
                external_url: optional(about(label, 'Shown as claimed by the agent.')),
              },
              'is not an object',
            ),
          ),
        },
        'is not an object',
      ),
    ),
  },
  'is not an object',
)
export type AccessRequestBody = Infer<typeof AccessRequestBody>

export const TASK_STATUSES = [
  'pending',
  'approved',
  'denied',
  'expired',
  'cancelled',
  'failed',
] as const

export const EDITED_MEMBER = 'urn:countersign:edited'

export const AccessTask = object({
  task: object({
    id: v.string(),
    status: v.picklist(TASK_STATUSES),
    status_endpoint: v.string(),
    expires_at: optional(v.string()),
    links: optional(object({ cancel: v.string() })),
    display: object({ title: v.string(), description: v.string() }),
  }),
  result: optional(
    object({
      mode: v.literal('reevaluate'),
      approval: object({
        id: v.string(),
        approved_at: optional(v.string()),
        approved_until: v.string(),
      }),
      [EDITED_MEMBER]: optional(
        about(anything, 'What people approved instead: only these arguments are in scope.'),
      ),
    }),
  ),
})
export type AccessTask = Infer<typeof AccessTask>
export type TaskStatus = (typeof TASK_STATUSES)[number]
