import type { Content } from '../../approval/transition.ts'
import type { Json } from '../../base/json/json.ts'
import type { AdminEvent, AdminEventType } from '../audit/audit-entry.ts'

/**
 * A change of records that belongs into the audit: locks, people, tokens. The records and the event
 * that says so are written together, or neither is.
 */
export interface Amendment {
  /** Unique per attempt, so that a lost acknowledgement can be looked up instead of guessed. */
  readonly commandId: string
  readonly event: AdminDraft
  readonly changes: readonly RecordChange[]
  /** What people wrote. Sealed in the event, kept beside it, erasable. */
  readonly content?: readonly Content[]
}

export type AdminDraft = Pick<AdminEvent, 'by' | 'assurance' | 'facts'> & {
  readonly type: AdminEventType
}

export interface RecordChange {
  readonly kind: string
  readonly id: string
  /** Absent: the record is removed. */
  readonly value?: Json
  /** Otherwise nothing is written at all. */
  readonly expect?: number | 'absent' | 'present'
  readonly expiresAt?: number | undefined
}
