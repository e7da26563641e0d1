/** What became of a call, in a word. Apart from the sentences, which a list does not need. */
import type { ApprovalRow } from '../../../../src/api/approval.ts'

export type OutcomeKind =
  | 'waiting'
  | 'approved'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'denied'
  | 'expired'
  | 'unused'
  | 'withdrawn'
  | 'invalidated'

export function outcomeKind({
  status,
  reason,
  execution,
}: Pick<ApprovalRow, 'status' | 'reason' | 'execution'>): OutcomeKind {
  if (status === 'pending') return 'waiting'
  if (status === 'approved') return execution ?? 'approved'
  if (status === 'expired') return reason === 'unused' ? 'unused' : 'expired'
  return status
}

export const OUTCOME_WORDS: Readonly<Record<OutcomeKind, string>> = {
  waiting: 'Waiting',
  approved: 'Approved',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  unknown: 'Unknown',
  denied: 'Denied',
  expired: 'Expired',
  unused: 'Never used',
  withdrawn: 'Withdrawn',
  invalidated: 'Invalidated',
}
