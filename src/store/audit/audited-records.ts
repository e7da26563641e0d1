import { MODEL_SERVER_RECORD } from '../records/chat-records.ts'
import { HOLD_RECORD } from '../records/hold-record.ts'
import { INVITE_RECORD } from '../records/invite-record.ts'
import { LINK_RECORD } from '../records/link-record.ts'
import { LOCK_RECORD } from '../records/lock-record.ts'
import { PROPOSAL_RECORD } from '../records/proposal-record.ts'
import { STAND_IN_RECORD } from '../records/stand-in-record.ts'
import {
  STUDIO_SECRET_RECORD,
  STUDIO_TOOL_RECORD,
  STUDIO_VERSION_RECORD,
} from '../records/studio-records.ts'
import { SWITCH_RECORD } from '../records/switch-record.ts'

export const TOKEN_RECORD = 'token'
export const PERSON_RECORD = 'person'
export const PASSKEY_RECORD = 'passkey'
export const POLICY_RECORD = 'policy'
/** By the digest of the whole text: what was in force once stays readable, as evidence. */
export const POLICY_TEXT_RECORD = 'policy-text'
/** By the name of a key whose signatures count no more. */
export const KEY_REVOCATION_RECORD = 'key-revocation'

/**
 * Kinds that change by amendments alone. The event of each amendment names the hash of such a
 * record before and after, so `audit verify` can compare every row with what was recorded.
 */
export const AUDITED_KINDS: readonly string[] = [
  LOCK_RECORD,
  HOLD_RECORD,
  STAND_IN_RECORD,
  SWITCH_RECORD,
  TOKEN_RECORD,
  PERSON_RECORD,
  INVITE_RECORD,
  PASSKEY_RECORD,
  POLICY_RECORD,
  POLICY_TEXT_RECORD,
  STUDIO_TOOL_RECORD,
  STUDIO_VERSION_RECORD,
  STUDIO_SECRET_RECORD,
  MODEL_SERVER_RECORD,
  LINK_RECORD,
  PROPOSAL_RECORD,
  KEY_REVOCATION_RECORD,
]

/** What an event says of one record that it changed. */
export interface RecordState {
  readonly kind: string
  readonly id: string
  /** Hash of the row that was found; absent: there was none. */
  readonly was?: string
  /** Hash of the row that was left; absent: it was removed. */
  readonly now?: string
  /** From then on it may be cleared away without another event. */
  readonly expiresAt?: number
}

export interface RecordColumns {
  readonly kind: string
  readonly id: string
  readonly revision: number
  readonly at: number
  readonly expiresAt: number | null
  /** JSON text. */
  readonly value: string
}

/** The text whose hash stands for a row: all of its columns. */
export function recordStateText(row: RecordColumns): string {
  const { kind, id, revision, at, expiresAt, value } = row
  return JSON.stringify(['countersign.record.v1', kind, id, revision, at, expiresAt, value])
}
