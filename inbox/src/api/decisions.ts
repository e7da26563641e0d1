/** Sends decisions. Never optimistic: the page says what the server recorded, and nothing before. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApprovalCard, DecisionBody } from '../../../src/api/approval.ts'
import type { ApprovalState } from '../../../src/api/approval-acts.ts'
import { approvalKeys } from './approvals.ts'
import { call } from './client.ts'
import { answered, lastStatus } from './live-events.ts'

export type Decision = Omit<DecisionBody, 'digest'>
type Decided = Pick<ApprovalCard, 'id' | 'digest' | 'terms'>

/** Sends a decision about exactly what the card showed, signed by a passkey where a yes needs one. */
export async function sendDecision(
  { id, digest, terms }: Decided,
  body: Decision,
): Promise<ApprovalState> {
  const isSigned = terms.minAssurance === 'passkey' && body.verdict === 'approve'
  // Loaded when it is needed: most people never meet one.
  const { signDecision } = isSigned ? await import('./webauthn.ts') : {}
  // The very same goes to the authenticator and to the server: whatever is added is refused.
  const decision = { ...body, digest }
  const passkey = await signDecision?.(id, decision)
  const sent = { ...decision, ...(passkey === undefined ? {} : { passkey }) }
  const now = await call('POST /v1/approvals/:id/decisions', { params: { id }, body: sent })
  // What it came to is the server's to say: the first yes of several approves nothing.
  lastStatus.set(id, now.status)
  answered.set(id, now)
  return now
}

export function useSendDecision(card: Decided) {
  const client = useQueryClient()
  const { id } = card
  return useMutation({
    mutationFn: (body: Decision) => sendDecision(card, body),
    onSettled: () =>
      Promise.all(
        [approvalKeys.card(id), approvalKeys.pending, approvalKeys.events(id)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  })
}
