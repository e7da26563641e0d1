import { ASSURANCES } from '../../approval/people/person.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { isPlainObject } from '../../base/json/json.ts'
import {
  argumentsDigest,
  type Countersignature,
  LONGEST_LIFE,
  principalOf,
} from './countersignature.ts'
import { openSigned, type PublicKey, readPublicKey, type SignatureProblem } from './keys.ts'

/** The call in front of the verifier, in its own words. */
export interface CountersignedCall {
  readonly kind?: 'tool' | 'agent' | 'skill' | undefined
  readonly server?: string | undefined
  readonly tool: string
  readonly args: unknown
  /** The acting user, as authenticated here. */
  readonly principal?: { readonly issuer?: string; readonly subject: string } | undefined
}

export interface VerifyOptions {
  /** The only keys that count, as JSON Web Keys. */
  readonly keys: readonly unknown[]
  readonly call: CountersignedCall
  /** Who verifies: the countersignature must be meant for it. */
  readonly audience: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Why a countersignature counts as absent. For the log; the caller of the call is not told. */
export type CountersignatureProblem =
  | SignatureProblem
  | 'too_long_lived'
  | 'not_yet_valid'
  | 'expired'
  | 'other_audience'
  | 'other_server'
  | 'other_tool'
  | 'other_arguments'
  | 'other_principal'
  | 'spent'

export type Verified =
  | { readonly ok: true; readonly claims: Countersignature; readonly kid: string }
  | { readonly ok: false; readonly problem: CountersignatureProblem }

/** How far two clocks may be apart, in seconds. */
const SKEW = 30
const LONGEST_TOKEN = 65_536

/**
 * Whether this token says that exactly this call was approved. Needs no store and no network, so
 * anyone can ask. It does not know whether the token was used before: see `spend` of a store.
 */
export async function verifyCountersignature(
  token: unknown,
  { keys, call, audience, now }: VerifyOptions,
): Promise<Verified> {
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN) return absent('malformed')
  const opened = await openSigned(token, 'countersignature+jwt', await usable(keys))
  if (!opened.ok) return opened
  const claims: unknown = opened.payload
  if (!isCountersignature(claims)) return absent('malformed')
  const problem =
    timeProblem(claims, now / 1_000) ??
    (claims.aud === audience ? undefined : 'other_audience') ??
    (await callProblem(claims, call))
  return problem === undefined ? { ok: true, claims, kid: opened.kid } : absent(problem)
}

function absent(problem: CountersignatureProblem): Verified {
  return { ok: false, problem }
}

async function usable(keys: readonly unknown[]): Promise<PublicKey[]> {
  const read = await Promise.all(keys.map(readPublicKey))
  return read.filter((key) => key !== undefined)
}

function timeProblem({ iat, exp }: Countersignature, now: number) {
  if (exp <= iat || exp - iat > LONGEST_LIFE) return 'too_long_lived'
  if (iat > now + SKEW) return 'not_yet_valid'
  // Written so that a clock that says nothing (NaN) says expired.
  return now < exp + SKEW ? undefined : 'expired'
}

async function callProblem(
  claims: Countersignature,
  call: CountersignedCall,
): Promise<CountersignatureProblem | undefined> {
  if (claims.server !== (call.server ?? null)) return 'other_server'
  if (claims.tool !== call.tool || claims.kind !== (call.kind ?? 'tool')) return 'other_tool'
  if (claims.args !== (await digestOrNothing(call.args))) return 'other_arguments'
  const same = canonicalJson(claims.principal) === canonicalJson(principalOf(call.principal))
  return same ? undefined : 'other_principal'
}

async function digestOrNothing(args: unknown): Promise<string | undefined> {
  try {
    return await argumentsDigest(args)
  } catch {
    // Arguments that have no canonical form were never approved.
    return undefined
  }
}

const MEMBERS = 13

function isCountersignature(value: unknown): value is Countersignature {
  if (!isPlainObject(value) || Object.keys(value).length !== MEMBERS) return false
  const { iss, jti, aud, approval, kind, server, tool, args, level, principal, iat, exp } = value
  return (
    [iss, jti, aud, approval, tool].every((text) => typeof text === 'string' && text !== '') &&
    (server === null || typeof server === 'string') &&
    (kind === 'tool' || kind === 'agent' || kind === 'skill') &&
    (level === 'confirm' || level === 'review') &&
    typeof args === 'string' &&
    /^[0-9a-f]{64}$/.test(args) &&
    [iat, exp].every((time) => Number.isSafeInteger(time)) &&
    isPrincipal(principal) &&
    isMet(value.met)
  )
}

function isPrincipal(value: unknown): boolean {
  if (value === null) return true
  if (!isPlainObject(value) || typeof value.subject !== 'string') return false
  return value.issuer === undefined || typeof value.issuer === 'string'
}

function isMet(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    Array.isArray(value.requirements) &&
    value.requirements.every((one) => typeof one === 'string') &&
    ASSURANCES.some((one) => one === value.assurance) &&
    typeof value.reasoned === 'boolean' &&
    typeof value.grant === 'boolean'
  )
}
