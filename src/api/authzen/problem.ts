import * as v from 'valibot'
import { type Infer, object, optional, whole } from '../schema.ts'

/** What the Access Request and Approval Profile refuses with, and the status of each. */
export const PROBLEMS = {
  not_requestable: 400,
  expired_denial: 410,
  invalid_denial_binding: 400,
  duplicate_request: 409,
  unknown_task: 404,
  invalid_task_state: 409,
} as const

export type ProblemName = keyof typeof PROBLEMS

const PREFIX = 'urn:openid:authzen:access-request:error:'

export const PROBLEM_TYPE = 'application/problem+json'

/** RFC 9457. */
export const Problem = object({
  type: v.string(),
  title: v.string(),
  status: whole({ min: 400, max: 599 }),
  detail: optional(v.string()),
})
export type Problem = Infer<typeof Problem>

const TITLES: Readonly<Record<ProblemName, string>> = {
  not_requestable: 'Access is not requestable',
  expired_denial: 'The requestable denial has expired',
  invalid_denial_binding: 'The request does not match a denied evaluation',
  duplicate_request: 'The Idempotency-Key names another request',
  unknown_task: 'There is no such task',
  invalid_task_state: 'The task has ended already',
}

export function problemOf(name: ProblemName, detail: string): Problem {
  return { type: `${PREFIX}${name}`, title: TITLES[name], status: PROBLEMS[name], detail }
}
