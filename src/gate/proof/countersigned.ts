import type { Approval } from '../../approval/approval.ts'
import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Allow, Asks } from '../../policy/evaluate/verdict.ts'
import type { Store } from '../../store/store.ts'
import { type CallerIdentity, personName } from '../identity.ts'
import { type Hop, mintCountersignature } from './countersignature.ts'
import {
  audienceOf,
  checkCountersignature,
  spendCountersignature,
  uncovered,
} from './countersignature-check.ts'
import type { CountersignatureProblem } from './countersignature-verify.ts'
import type { Signer } from './keys.ts'

/** How a gate proves to others that a call was approved, and whose proofs it believes. */
export interface CountersignOptions {
  /** Signs for tools that call on to another gate. Without it, none is offered. */
  readonly signer?: Signer | undefined
  /** Name of this gate towards others. Gates on one database share one unless set. */
  readonly audience?: string | undefined
  /** Keys of other installations to believe, as JSON Web Keys. Those of the own store always are. */
  readonly trust?: readonly unknown[] | undefined
  /** Told why a countersignature counted as absent. For a log. */
  readonly onAbsent?: ((problem: CountersignatureProblem | 'uncovered') => void) | undefined
}

/** What of a gate makes and checks countersignatures. */
interface Proving {
  readonly store: Store
  readonly countersign: CountersignOptions
}

/** A call as it was read, with what the policy here says of it. */
interface JudgedCall {
  readonly call: Call
  readonly bytes: { readonly args: JsonObject }
  readonly verdict: Allow | Asks
}

/** Makes the one countersignature of a claimed call, for one hop. */
export type Countersign = (hop: Partial<Hop>) => Promise<string>

export function countersignOnce(
  { store, countersign }: Proving,
  claimed: { readonly approval: Approval; readonly text: string; readonly jti: string },
): Countersign | undefined {
  const { signer } = countersign
  if (signer === undefined) return undefined
  let isUsed = false
  return async (hop) => {
    // Two gates with a store each would both accept the same name once.
    if (isUsed) throw oneHopOnly()
    isUsed = true
    return mintCountersignature({
      signer,
      ...claimed,
      hop: { ...hop, audience: hop.audience ?? audienceOf(store) },
    })
  }
}

export function oneHopOnly(): CountersignError {
  return new CountersignError('usage', 'a call is countersigned for one hop only')
}

/**
 * Whether people have already said yes to exactly this call at another gate. The policy here was
 * asked first and has its say: what it demands must be among what was met. True uses it up.
 */
export async function isCountersigned(
  { store, countersign }: Proving,
  caller: Pick<CallerIdentity, 'principal'>,
  { call, bytes, verdict }: JudgedCall,
  token: string,
): Promise<boolean> {
  if (verdict.verdict === 'allow') return false
  const { audience = audienceOf(store), trust, onAbsent = () => {} } = countersign
  const { kind, server, tool } = call
  const principal = caller.principal ?? personName(call.principal)
  const seen = { kind, server, tool, principal, args: bytes.args }
  try {
    const checked = await checkCountersignature(token, { store, call: seen, audience, trust })
    if (!checked.ok) onAbsent(checked.problem)
    else if ((await uncovered(checked.claims, verdict)).length > 0) onAbsent('uncovered')
    else if (await spendCountersignature(store, checked.claims)) return true
    else onAbsent('spent')
  } catch {
    // An unavailable store vouches for nothing; the next request to it will report the error.
  }
  return false
}
