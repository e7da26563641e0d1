import { PasskeyWish } from '../../api/passkeys.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { Signing } from '../identity/passkeys.ts'

const DECISION = PasskeyWish.entries

/** What a passkey signs: everything the decision says, so that nothing can be added to it later. */
export async function signingOf(approval: string, decision: PasskeyWish): Promise<Signing> {
  // Each by its name, so that a part that is left out differs from one that is null.
  const parts = Object.keys(DECISION).flatMap((name) => {
    const value = decision[name as keyof PasskeyWish]
    return value === undefined ? [] : [[name, value]]
  })
  return { approval, decision: await sha256(canonicalJson(parts)) }
}
