/** What became of a call, in a word. Apart from the sentences, which a list does not need. */

import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { type Message, msg } from '../language/t.ts'

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

export const OUTCOME_WORDS: Readonly<Record<OutcomeKind, Message>> = {
  waiting: msg('Waiting'),
  approved: msg('Approved'),
  running: msg('Running'),
  succeeded: msg('Succeeded'),
  failed: msg('Failed'),
  unknown: msg('Unknown'),
  denied: msg('Denied'),
  expired: msg('Expired'),
  unused: msg('Never used'),
  withdrawn: msg('Withdrawn'),
  invalidated: msg('Invalidated'),
}
