import { canonicalJson } from '../../base/json/canonical.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { PasskeyWish } from '../../wire/passkeys.ts'
import { anyJson, digest, object, oneOf, optional, text } from '../http/shape.ts'
import type { Signing } from '../identity/passkeys.ts'
import { GRANT_WISH } from './grants.ts'

export const REASON = optional(text({ max: 4_000 }))

/** One person's answer: what a decision holds, and what a passkey signs of it, which is all of it. */
export const DECISION = {
  verdict: oneOf('approve', 'deny'),
  digest: digest('what the person was shown'),
  reason: REASON,
  answer: optional(text({ max: 16_384, description: 'for the model; with deny only' })),
  edit: optional(object({ arguments: anyJson })),
  payload: optional(anyJson),
  grant: optional(GRANT_WISH),
} as const

/** What a passkey signs: everything the decision says, so that nothing can be added to it later. */
export async function signingOf(
  approval: string,
  decision: { readonly [part in keyof PasskeyWish]?: unknown },
): Promise<Signing> {
  // Each by its name, so that a part that is left out differs from one that is null.
  const parts = Object.keys(DECISION).flatMap((name) => {
    const value = decision[name as keyof typeof DECISION]
    return value === undefined ? [] : [[name, value]]
  })
  return { approval, decision: await sha256(canonicalJson(parts)) }
}
