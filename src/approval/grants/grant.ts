import type { CallKind } from '../../base/call.ts'
import type { ErrorCode } from '../../base/errors.ts'
import { addDecimal, isAmount, isAtMost } from '../../base/json/decimal.ts'
import type { Json } from '../../base/json/json.ts'
import type { AskedCall } from '../approval.ts'
import type { Request } from '../command.ts'
import { type Person, type PersonId, type PersonName, samePerson } from '../people/person.ts'

export const GRANT_STATES = ['live', 'used_up', 'revoked', 'expired'] as const
export type GrantState = (typeof GRANT_STATES)[number]

/**
 * A standing permission: one person's yes to calls like this one, with a limit to everything.
 * What it covers never changes; only its uses, and its end, are ever written again.
 */
export interface Grant {
  readonly id: string
  readonly tenant: string
  readonly revision: number
  readonly state: GrantState
  /** Who made it, with the facts of that moment. */
  readonly by: Person
  /** Why, in their words. */
  readonly reason?: string
  /** The approval it was made from; absent: made by hand. */
  readonly from?: string
  readonly scope: GrantScope
  readonly limits: GrantLimits
  /** How often it was used. */
  readonly uses: number
  /** What was spent of its budget, as decimal text. */
  readonly spent: string
  readonly mintedAt: number
  /** Mandatory: from this moment it covers nothing. */
  readonly endsAt: number
  readonly changedAt: number
  /** Who revoked it; absent for the system. */
  readonly endedBy?: PersonId
  /** It is over, and what it covered and why is no longer kept. */
  readonly erased?: true
  /** The command that made it, so that one sent twice makes one grant. */
  readonly command: string
}

/** Whose calls of what. A member that is absent leaves that open. */
export interface GrantScope {
  readonly kind: CallKind
  readonly tool: string
  /** Absent: a tool of no server, and nothing else. */
  readonly server?: string
  readonly agent: string
  readonly run?: string
  readonly door?: string
  /** Digest of the tool's definition: a tool that changed is another tool. */
  readonly definition?: string
  /** `null`: calls without an acting user. */
  readonly principal?: PersonName | null
}

export interface GrantLimits {
  /**
   * Exactly the call with this digest; else whatever meets `condition`. One of the two is there,
   * unless it was erased.
   */
  readonly digest?: string
  /** In the words of policy files: one map with `args_match`, or a list of them. */
  readonly condition?: Json
  /** How often it may be used. */
  readonly uses: number
  readonly budget?: Budget
}

/** The sum of one argument over all uses. */
export interface Budget {
  /** As written: a dotted path. */
  readonly path: string
  readonly keys: readonly string[]
  readonly most: number
}

export const MAX_GRANT_MS = 30 * 86_400_000
export const MAX_GRANT_USES = 10_000

export interface GrantRefusal {
  readonly code: ErrorCode
  readonly message: string
}

/** Whether calls like this one are what the grant is about; its arguments are left to the limits. */
export function inScope(
  { scope, tenant }: Pick<Grant, 'scope' | 'tenant'>,
  call: AskedCall,
  callTenant: string,
): boolean {
  return (
    tenant === callTenant &&
    scope.kind === call.kind &&
    scope.tool === call.tool &&
    scope.server === call.server &&
    scope.agent === call.agent &&
    (scope.run === undefined || scope.run === call.run) &&
    (scope.door === undefined || scope.door === call.door) &&
    (scope.definition === undefined || scope.definition === call.definition) &&
    (scope.principal === undefined || isSameName(scope.principal, call.principal))
  )
}

function isSameName(name: PersonName | null, other: PersonName | undefined): boolean {
  if (name === null || other === undefined) return name === null && other === undefined
  return name.issuer === other.issuer && name.subject === other.subject
}

/** Why a use cannot be taken from it now; undefined when it can. */
export function refuseUse(grant: Grant, request: Request, now: number): GrantRefusal | undefined {
  const { id, limits, uses, spent } = grant
  const use = request.grant
  const fits =
    use?.id === id &&
    inScope(grant, request.call, request.tenant) &&
    samePerson(grant.by, use.minter) &&
    (limits.digest === undefined || limits.digest === request.digest) &&
    // What the arguments must be was judged by the gate, which alone knows how.
    (limits.condition === undefined || use.covered === true)
  if (!fits) return { code: 'grant_not_enough', message: `grant ${id} does not cover this call` }
  if (isOver(grant, now)) return ended(grant)
  if (uses >= limits.uses) return { code: 'grant_ended', message: `grant ${id} is used up` }
  if (!limits.budget) return undefined
  return isAmount(use.amount) && isAtMost(addDecimal(spent, use.amount), limits.budget.most)
    ? undefined
    : { code: 'grant_ended', message: `the budget of grant ${id} does not cover this call` }
}

/** Revoked, used up, or past its end, whether or not that was written down yet. */
export function isOver({ state, endsAt }: Grant, now: number): boolean {
  return state !== 'live' || now >= endsAt
}

export function ended({ id, state }: Grant): GrantRefusal {
  const why = state === 'live' ? 'expired' : state.replace('_', ' ')
  return { code: 'grant_ended', message: `grant ${id} is ${why}` }
}
