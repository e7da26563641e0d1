import type { Context } from 'hono'
import type { Actor } from '../../approval/transition.ts'
import { type CountersignError, isCountersignError } from '../../base/errors.ts'
import type { Attempt } from '../evidence/refused-attempts.ts'
import { isRecorded } from '../evidence/refused-attempts.ts'
import type { Caller } from '../identity/caller.ts'

/** Stands for callers that proved nothing. */
export const GATE: Actor = { system: 'gate' }

/** Refusals of the state machine: they name an approval that is there. */
const OF_APPROVALS: ReadonlySet<string> = new Set([
  'self_approval',
  'not_an_approver',
  'not_the_asker',
  'assurance_too_low',
  'edit_not_allowed',
  'edit_denied',
  'not_the_claimer',
])

export function aboutApproval({ code }: CountersignError, id: string | undefined) {
  return id !== undefined && OF_APPROVALS.has(code) ? { approval: id } : {}
}

/** What a refused request is on record as; undefined where the refusal is none of rights. */
export function attemptOf(
  error: unknown,
  caller: Caller,
  { name, path }: { readonly name: string; readonly path: string },
  c: Context,
): Attempt | undefined {
  if (!isCountersignError(error) || !isRecorded(error.code)) return undefined
  const { code } = error
  // Without a credential every address could be tried in turn: the code alone tells them apart.
  if (caller.kind === 'anonymous') return { code, by: GATE, at: 'a request without a sign-in' }
  const id = path.startsWith('/v1/approvals/:id') ? c.req.param('id') : undefined
  return { code, by: actorOf(caller), at: name, ...aboutApproval(error, id) }
}

function actorOf(caller: Exclude<Caller, { kind: 'anonymous' }>): Actor {
  if (caller.kind === 'agent') return { agent: caller.token.agent }
  const { issuer, subject } = caller.person
  return { person: { issuer, subject } }
}
