import type { Head } from './audit/audit-entry.ts'
import type { AuditLog, AuditLogOptions } from './audit/audit-log.ts'

/** What a database keeps so that others can be sure of what it says. */
export interface Vault {
  /** Names this database: random, made with it and made anew when it turns out to be a copy. */
  readonly database: string
  /** Public keys of all signers here. They stay, so that old signatures can be verified. */
  keys(): Promise<PublishedKey[]>
  /** Adds a key. Nothing happens when it is there already. */
  publish(key: { readonly kid: string; readonly jwk: string }): Promise<void>
  /**
   * Uses up a name that counts once. True for exactly one caller, whatever the process, and durable
   * before it resolves. Forgotten an hour after `exp`; what would be forgotten is never spent.
   */
  spend(jti: string, exp: number): Promise<boolean>
  /** The newest checkpoint of this tenant. */
  lastCheckpoint(): Promise<StoredCheckpoint | undefined>
  /** Ends of chains that no checkpoint covers yet; at most a thousand at a time. */
  moved(): Promise<Head[]>
  /** False when another process has taken its number: then look again, and sign another. */
  addCheckpoint(checkpoint: NewCheckpoint): Promise<boolean>
  /** Everything recorded, as one unchanging picture of this moment. To be closed. */
  log(options?: AuditLogOptions): Promise<AuditLog>
}

export interface PublishedKey {
  readonly kid: string
  /** A public JSON Web Key, as text. */
  readonly jwk: string
  readonly at: number
}

export interface StoredCheckpoint {
  /** 1, 2, 3… within a tenant. */
  readonly n: number
  readonly at: number
  readonly kid: string
  /** What was signed, with its signature: a compact JWS. */
  readonly jws: string
}

export interface NewCheckpoint extends StoredCheckpoint {
  /** The ends it covers, so that the next one need not name them again. */
  readonly heads: readonly Head[]
}

/** Private keys on this machine. They never enter a database. */
export interface KeyFolder {
  /** Every key that is kept here, as text. */
  list(): Promise<string[]>
  /** Keeps another. Never replaces one. */
  add(name: string, text: string): Promise<void>
}

/** Longer than any clock may be wrong: what is forgotten must not become valid again. */
export const SPENT_KEPT_MS = 60 * 60 * 1_000

export const HEADS_PER_CHECKPOINT = 1_000
