import type { WirePerson } from './approval.ts'

/** As in an exported file: who wrote it, its place in that chain, and what happened. */
export interface WireAuditEntry {
  readonly writer: string
  readonly seq: number
  readonly prev: string
  readonly hash: string
  readonly event: WireAuditEvent
  readonly refused?: string
}

/** Ids, codes and digests. What people wrote is sealed and not in it. */
export interface WireAuditEvent {
  readonly type: string
  readonly tenant: string
  readonly at: number
  readonly approval?: string
  readonly grant?: string
  readonly by?: WireActor
  readonly status?: string
  readonly execution?: string
  readonly code?: string
  readonly digest?: string
  readonly assurance?: string
  readonly facts?: {
    readonly [name: string]: string | number | boolean | readonly string[]
  }
}

export type WireActor =
  | { readonly person: { readonly issuer: string; readonly subject: string } }
  | { readonly agent: string }
  | { readonly system: string }

/** `GET /v1/audit`. */
export interface AuditPage {
  readonly entries: readonly WireAuditEntry[]
  /** Where the next page begins; at the end, where what comes later will be. */
  readonly next: string
  /** Nothing came after this when the page was made. */
  readonly end: boolean
  /** Calls that the entries are about, as far as they are known, by the approval's id. */
  readonly calls: { readonly [approval: string]: WireAuditCall }
  /** Those who did it, as far as they are known. */
  readonly people: readonly WirePerson[]
}

export interface WireAuditCall {
  readonly tool: string
  readonly server?: string
  readonly agent: string
}

/** `GET /v1/audit/chain`, and `POST` to have it checked now. */
export interface ChainState {
  /** The last check by this server; absent when there was none since it started. */
  readonly report?: ChainReport
  readonly now: number
}

export interface ChainReport {
  readonly ok: boolean
  readonly entries: number
  readonly writers: number
  readonly checkpoints: number
  /** Entries that no signed checkpoint covers yet. */
  readonly uncovered: number
  readonly checkpointAt?: number
  readonly signedBy: readonly string[]
  readonly checkedAt: number
  readonly tookMs: number
  /** The first thing that is wrong, and what to do about it. */
  readonly problem?: {
    readonly code: string
    readonly place: string
    readonly message: string
    readonly hint: string
  }
}
