import type { columnsOf, grantColumnsOf } from '../sql/row-columns.ts'
import type { Head } from './audit-entry.ts'
import type { RecordColumns } from './audited-records.ts'

/**
 * Everything recorded in a database, at one moment, for verifying and exporting. Nothing in it is
 * trusted: it is what the rows say, and any writer of the database may have written them.
 */
export interface AuditLog {
  readonly database: string
  keys(): AsyncIterable<LoggedKey>
  /** By tenant, then by number; with `above`, only those after these numbers of their tenants. */
  checkpoints(above?: ReadonlyMap<string, number>): AsyncIterable<LoggedCheckpoint>
  /** In the order in which they were written. May be asked for more than once. */
  entries(): AsyncIterable<LoggedEntry>
  /** Approvals, grants, what names them, and audited records as they stand now. Absent in memory. */
  rows?(): AsyncIterable<LoggedRow>
  /** The same of these approvals and grants alone, and of all audited records. */
  rowsOf?(named: readonly NamedRows[]): AsyncIterable<LoggedRow>
  close(): Promise<void>
}

/** Rows of one tenant, by their ids. */
export interface NamedRows {
  readonly tenant: string
  readonly approvals: readonly string[]
  readonly grants: readonly string[]
}

export interface AuditLogOptions {
  /** Of one tenant only. */
  readonly tenant?: string | undefined
  /** From the first entry that was made at this time or later. Chains then begin in the middle. */
  readonly since?: number | undefined
  /**
   * Only these entries, as far as they are there, and what came after them in their chains. Chains
   * that are not among them are whole.
   */
  readonly after?: readonly Head[] | undefined
  /** Arguments, reasons and results too, as far as they were not erased. */
  readonly content?: boolean | undefined
}

/** What a row says. Not trusted. */
export type LoggedRow = LoggedApproval | LoggedGrant | LoggedRecord | LoggedStray

/** Cells as they stand in the database: of any type. */
type Cells<Names extends string> = { readonly [Name in Names]: unknown }

interface LoggedBody {
  readonly tenant: string
  readonly seal: string
  readonly body: string
}

export interface LoggedApproval extends LoggedBody {
  readonly of: 'approval'
  /** What repeats something of the body, and by which approvals are found. */
  readonly columns: ReturnType<typeof columnsOf>
  /** Rows of other tables that name this approval. */
  readonly votes: readonly Cells<'issuer' | 'subject' | 'digest' | 'verdict' | 'at'>[]
  readonly claims: readonly Cells<'claim' | 'instance' | 'at'>[]
  readonly uses: readonly Cells<'grant' | 'n' | 'at'>[]
  /** Entries that name this approval. Absent where rows were asked for by their ids. */
  readonly entries?: readonly LoggedTelling[]
}

/** What an entry says of an approval. */
export type LoggedTelling = Cells<
  'command' | 'index' | 'revision' | 'writer' | 'seq' | 'hash' | 'state' | 'position'
>

export interface LoggedGrant extends LoggedBody {
  readonly of: 'grant'
  readonly columns: ReturnType<typeof grantColumnsOf>
  /** What each use took from the budget. */
  readonly taken: readonly (number | null)[]
}

/** A vote, a claim or a use that names an approval which is not there. */
export interface LoggedStray {
  readonly of: 'stray'
  readonly tenant: string
  readonly place: string
}

export interface LoggedRecord extends RecordColumns {
  readonly of: 'record'
  readonly tenant: string
}

export interface LoggedKey {
  readonly tenant: string
  readonly kid: string
  readonly jwk: string
}

export interface LoggedCheckpoint {
  readonly tenant: string
  readonly n: number
  readonly jws: string
}

export interface LoggedEntry {
  readonly hash: string
  /** The text that was hashed. */
  readonly body: string
  /** What the other columns say; each repeats something of the body. */
  readonly columns: EntryColumns
  readonly content: readonly LoggedContent[]
}

export interface EntryColumns {
  readonly tenant: string
  readonly writer: string
  readonly seq: number
  readonly prev: string
  readonly approval: string | null
  readonly revision: number | null
  readonly type: string
  readonly at: number
  readonly command: string | null
  readonly index: number | null
}

/** Something erasable that an entry seals, with the salt that makes the seal. */
export interface LoggedContent {
  readonly key: string
  readonly salt: string
  /** JSON text. */
  readonly value: string
}

/** The approval or lock that content belongs to: the first part of its key. */
export function ownerOf(key: string): string {
  return key.split('/')[0] ?? ''
}

/** Keys of what an entry sealed; none when it cannot be read, which others will complain of. */
export function sealedKeys(body: string): string[] {
  if (!body.includes('"seals"')) return []
  try {
    const { seals } = JSON.parse(body) as { seals?: unknown }
    return typeof seals === 'object' && seals !== null ? Object.keys(seals) : []
  } catch {
    return []
  }
}
