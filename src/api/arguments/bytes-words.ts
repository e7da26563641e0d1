import type { ApprovalRow } from '../approval.ts'

/** What became of the bytes that a card shows. Every surface heads its arguments with these words. */
export function bytesWords({
  status,
  execution,
}: Pick<ApprovalRow, 'status' | 'execution'>): string {
  return `from the exact bytes that ${execution === undefined ? ENDS[status] : STATES[execution]}`
}

const STATES = {
  running: 'are running',
  succeeded: 'ran',
  failed: 'ran',
  unknown: 'were started',
} as const

const ENDS = {
  pending: 'will run',
  approved: 'were approved',
  denied: 'were asked about',
  expired: 'were asked about',
  withdrawn: 'were asked about',
  invalidated: 'were asked about',
} as const
