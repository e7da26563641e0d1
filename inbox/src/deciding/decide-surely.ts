import type { ApprovalCard, DecisionBody } from '../../../src/api/approval.ts'
import { decide } from '../api.ts'

/** Sends a decision, signed by a passkey where a yes needs one. */
export async function decideSurely(
  { id, digest, terms }: Pick<ApprovalCard, 'id' | 'digest' | 'terms'>,
  body: Omit<DecisionBody, 'digest'>,
): Promise<void> {
  const isSigned = terms.minAssurance === 'passkey' && body.verdict === 'approve'
  // Loaded when it is needed: most people never meet one.
  const { signDecision } = isSigned ? await import('../passkey.ts') : {}
  // The very same goes to the authenticator and to the server: whatever is added is refused.
  const decision = { ...body, digest }
  const passkey = await signDecision?.(id, decision)
  await decide(id, { ...decision, ...(passkey === undefined ? {} : { passkey }) })
}
