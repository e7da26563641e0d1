import type { Approval, ExecutionState, Status } from '../approval/approval.ts'
import type { Command, Request } from '../approval/command.ts'
import type { Grant } from '../approval/grants/grant.ts'
import type { GrantCommand } from '../approval/grants/grant-command.ts'
import type { Content, ContentKind } from '../approval/transition.ts'
import type { Risk } from '../base/call.ts'
import type { AuditEntry } from './audit/audit-entry.ts'
import type { Amendment } from './engine/amendment.ts'
import type { ToolCount } from './engine/counts.ts'
import type { ErasedPieces, Wanted } from './engine/erasable.ts'
import type { Grants } from './grants.ts'
import type { Observations } from './observations.ts'
import type { Outbox } from './outbox.ts'
import type { Records } from './records.ts'
import type { About } from './sql/feed-sql.ts'
import type { Statistics } from './statistics/statistics.ts'
import type { Vault } from './vault.ts'

/**
 * Where approvals live. A store owns the clock and keeps what the state machine says; it knows no
 * rules itself, so two stores cannot disagree about them.
 */
export interface Store {
  /** `memory`, `sqlite` or `postgres`. */
  readonly name: string
  readonly tenant: string
  /** Names this process: in claims, and as the writer of its chain of events. */
  readonly instance: string
  /** Set when this database turned out to be a copy or a restored backup. */
  readonly quarantine: Quarantine | undefined
  /**
   * Aborted once this turns out not to be the database that was opened any more: a backup was put
   * back, or a standby took over. Its reason is what every write is refused with from then on.
   */
  readonly lost: AbortSignal
  /** What an operator should know about how safe this database is. */
  readonly warnings: readonly string[]
  /** Where people decide about an approval kept here: an address, or the command that makes one. */
  inbox?(id: string): string
  /** Public keys, spent countersignatures and signed checkpoints. */
  readonly vault: Vault
  /** People, sessions, tokens and other small things a server keeps by name. */
  readonly records: Records
  /** Standing permissions. */
  readonly grants: Grants
  /** What people are still to be told. */
  readonly outbox: Outbox
  /** Calls that were let through while observing. */
  readonly observations: Observations
  /** Counters by day. */
  readonly statistics: Statistics

  /**
   * Runs one command. Resolves when its effect is durable. A refusal is thrown as
   * `CountersignError` with the code of the state machine; what it recorded is durable as well.
   */
  apply(id: string, command: Command): Promise<Applied>
  /**
   * Runs a request, unless its tool was denied in its run or has a live grant of its agent, and no
   * approval has its key: then nothing is written, and `before` says what to look at. Saves that
   * read where it finds nothing, which is mostly. A store may leave it out, or always say so.
   */
  ask?(request: Request): Promise<Applied | undefined>
  /**
   * Changes records together with the event that says so. False when an expectation did not hold:
   * then nothing was written. A lock set this way holds for every claim that is not written yet.
   */
  amend(amendment: Amendment): Promise<boolean>
  get(id: string): Promise<Approval | undefined>
  /** Those of them that are there, in no particular order. At most 1,000 at once. */
  getMany(ids: readonly string[]): Promise<Approval[]>
  find(identity: Identity): Promise<Approval | undefined>
  /** Everything that a call about to be asked has to know of, read at one moment. */
  before(call: AskedCallName): Promise<Before>
  /** Asked without a key: the approval that the same call of the same run joins now. */
  findByDigest(call: { agent: string; run: string; digest: string }): Promise<Approval | undefined>
  /**
   * One page of a list. With filters that no index holds, a page may be short, and empty, and still
   * have a next one: only so many rows are looked through at once, however long the history is.
   */
  list(filter: Filter, page?: PageRequest): Promise<Page>
  /**
   * Brings the index of `text` and the statistics further up to date, for a short while. False once
   * there is nothing left to do. Searches find the same without it, only later. A store may leave it
   * out.
   */
  index?(): Promise<boolean>
  /** How often each tool was asked about since then, the most asked first. */
  counts(since: number): Promise<ToolCount[]>
  /** Everything recorded about one approval, oldest first. */
  events(id: string): Promise<AuditEntry[]>
  /** Everything recorded since a cursor, or what is `about` something. `start` and `end` are cursors too. */
  eventsSince(cursor: string, limit?: number, about?: About): Promise<Feed>
  /** Everything recorded before a cursor, newest first; before `end` is everything. */
  eventsBefore(cursor: string, limit?: number, about?: About): Promise<Feed>
  /** What was last recorded as put into force: `policy.loaded` or `policy.applied`. */
  newestPolicyEvent(): Promise<AuditEntry | undefined>
  /**
   * Calls back whenever something may have changed, also in another process. Returns the way out.
   * `ids` are approvals that changed, where that is known before `eventsSince` tells of them.
   */
  subscribe(changed: (ids: readonly string[]) => void): () => void
  /** Calls back whenever records were amended, also in another process. Returns the way out. */
  onAmended(amended: () => void): () => void
  /** The approval once its revision is newer than the given one, whichever process changed it. */
  waitFor(id: string, revision: number, signal?: AbortSignal): Promise<Approval>
  /**
   * What this process wrote last of an approval, while no other is known to have changed it: saves
   * a read before a command, which looks again under its lock. A store may leave it out.
   */
  recent?(id: string): Recent | undefined
  /** What the sweeper should look at: a clock ran out, or the process that claimed is silent. */
  due(limit?: number): Promise<Due[]>
  /**
   * Arguments, reasons, results and the like, except what was erased or is past its time. With
   * `kinds`, only those are read: one result can weigh a megabyte.
   */
  content(id: string, kinds?: readonly ContentKind[]): Promise<Content[]>
  /** The same for a page of approvals, read at once. Those without content are not in it. */
  contentOf(
    ids: readonly string[],
    kinds: readonly ContentKind[],
  ): Promise<ReadonlyMap<string, readonly Content[]>>
  /**
   * Erases content of approvals that were over before `before`, and results past their time. What is
   * pending, approved, running or of unknown outcome keeps its own, however old, and so does what a legal hold
   * names. Returns how many. In pieces: `signal` ends it between two of them.
   */
  erase(before: number, signal?: AbortSignal): Promise<number>
  /**
   * Erases the pieces of content that `isWanted` names, however young. What is pending, approved, running or of
   * unknown outcome keeps its own, and so does what a hold keeps. In pieces, as `erase` is.
   */
  eraseThose(isWanted: Wanted, signal?: AbortSignal): Promise<ErasedPieces>
  /** Processes that write here, newest first. */
  instances(): Promise<Instance[]>
  /** Connections to the database, where there is a pool of them. A store may leave it out. */
  connections?(): Connections
  /** Writes something of no meaning, durably. Throws when nothing can be written now. */
  assertWritable(): Promise<void>
  /** The store's clock, for display. What decides is read under the lock. */
  now(): Promise<number>
  close(): Promise<void>
}

/** Everything a store answers without changing anything. */
export type StoreReads = Pick<
  Store,
  | 'get'
  | 'getMany'
  | 'find'
  | 'before'
  | 'findByDigest'
  | 'list'
  | 'counts'
  | 'events'
  | 'eventsSince'
  | 'eventsBefore'
  | 'newestPolicyEvent'
  | 'due'
  | 'content'
  | 'contentOf'
  | 'instances'
>

export interface Applied {
  readonly approval: Approval
  /** The request found an approval that was there already, perhaps under another id. */
  readonly joined: boolean
  /** What was recorded; empty when nothing changed. */
  readonly events: readonly AuditEntry[]
}

export interface Recent {
  readonly approval: Approval
  /** All there is of it at this revision; absent where that is not known. */
  readonly content?: readonly Content[] | undefined
}

/** (agent, run, key) names one call within a tenant. */
export interface Identity {
  readonly agent: string
  readonly run: string
  readonly key: string
}

/** A call that is about to be asked, as it is recognised by what was asked and granted before. */
export interface AskedCallName {
  readonly agent: string
  readonly tool: string
  readonly server?: string | undefined
  /** Without one, nothing was asked or denied before. */
  readonly run?: string | undefined
  readonly key?: string | undefined
  readonly digest: string
}

export interface Before {
  /** Asked under the same key of the same run. */
  readonly approval: Approval | undefined
  /** Denials of this tool in the run: those with the same digest first, then the newest. */
  readonly denied: readonly Approval[]
  /** Grants that could cover it: the ones that end first come first. */
  readonly grants: readonly Grant[]
}

/** Denials of one tool in one run that are looked through. */
export const MAX_DENIED = 100

export interface Filter {
  readonly status?: readonly Status[]
  /** `none`: not claimed. */
  readonly execution?: readonly (ExecutionState | 'none')[]
  readonly agent?: string
  readonly run?: string
  readonly tool?: string
  readonly server?: string
  /** The digest as asked. */
  readonly digest?: string
  /** As people are shown it; what nothing rates or guesses counts as `UNRATED`. */
  readonly risk?: readonly Risk[]
  /** Asked at this moment or later. */
  readonly since?: number
  /** Asked at this moment or earlier. */
  readonly until?: number
  /** Their answer is on it, whichever it was: an address, or the subject where none is known. */
  readonly person?: string
  /**
   * Each word of it begins a word of the tool, server, agent, user, run, deciders or question, or all
   * of it begins the id or the digest. Case and accents do not count. What was erased is not found.
   */
  readonly text?: string
}

export type Order = 'oldest' | 'newest' | 'risk' | 'deadline'

export interface PageRequest {
  readonly order?: Order
  /** At most 500. */
  readonly limit?: number
  /** `next` of the page before, in the same order. */
  readonly after?: string
}

export interface Page {
  readonly approvals: readonly Approval[]
  /** Absent on the last page. */
  readonly next?: string
}

export interface Feed {
  readonly entries: readonly AuditEntry[]
  /** Where to go on. */
  readonly cursor: string
}

export interface Due {
  readonly approval: Approval
  /** Last heartbeat of the process that claimed; absent when unknown or when it has a lease. */
  readonly lastSeen?: number
}

export interface Instance {
  readonly id: string
  readonly startedAt: number
  readonly lastSeen: number
  readonly stoppedAt?: number
}

export interface Connections {
  readonly used: number
  readonly idle: number
  /** Callers that wait for one. */
  readonly waiting: number
}

export interface Quarantine {
  /**
   * `copied`: the database is not where it was. `restored`: events that were written are gone.
   * `promoted`: a standby took over, or a backup was replayed; what came last may be gone.
   */
  readonly reason: 'copied' | 'restored' | 'promoted' | 'head_missing' | 'head_unreadable'
  readonly at: number
}

/** Everything a store writes by. */
export type AnyCommand = Command | GrantCommand

export const HEARTBEAT_MS = 5_000
/** How long the result of a call is kept. */
export const RESULT_MS = 24 * 60 * 60 * 1_000
export const BATCH_LIMIT = 64

/**
 * Moments inside a transaction of ours, for tests of what a crash leaves behind. `locked`: the
 * rows are ours, nothing is written. `changed`: the approvals are written, their events are not.
 * `recorded`: everything is written, nothing is committed. Neither is a moment of its own on a
 * server. `committing`: all of it is on its way to a server, with the commit. `committed`: it is
 * durable, and no caller was told.
 */
export type StorePoint = 'locked' | 'changed' | 'recorded' | 'committing' | 'committed'

/** Synchronous: nothing may be awaited while a lock is held. */
export type StoreProbe = (point: StorePoint, commands: readonly AnyCommand[]) => void
