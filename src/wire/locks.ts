import type { WirePerson } from './approval.ts'

/*
 * Locks, as people and agents see them over HTTP.
 */

/** What is held back; exactly one of these. A tool without a server is that tool everywhere. */
export type WireLockTarget =
  | { readonly everything: true }
  | { readonly agent: string }
  | { readonly server: string; readonly tool?: string }
  | { readonly tool: string }
  | { readonly person: { readonly issuer: string; readonly subject: string } }
  | { readonly approval: string }

export interface WireLock {
  readonly id: string
  readonly target: WireLockTarget
  /** The target in words: `tool pay of server bank`. */
  readonly words: string
  readonly by: WirePerson
  readonly reason: string
  readonly at: number
  /** Ends by itself then. */
  readonly until?: number
}

/** `GET /v1/locks`, for people. */
export interface LockList {
  readonly locks: readonly WireLock[]
  readonly now: number
  /** What the reader may do. */
  readonly can: readonly ('set' | 'set_person' | 'lift')[]
}

/** `POST /v1/locks`. */
export interface LockBody {
  readonly target: WireLockTarget
  readonly reason: string
  readonly until?: number
}

/** Why an approval stands still: part of its row and its card. */
export interface WireLocked {
  readonly id: string
  readonly words: string
  readonly reason: string
  readonly by: { readonly issuer: string; readonly subject: string }
  readonly at: number
  readonly until?: number
}

/** `GET /v1/locks`, for agents: what can hold back their calls, and nothing of people. */
export interface AgentLocks {
  readonly locks: readonly AgentLock[]
  readonly now: number
  /** The name of the policy in force: clients that know another one fetch it before going on. */
  readonly policy?: string
}

export interface AgentLock {
  readonly id: string
  readonly target: Exclude<
    WireLockTarget,
    { readonly person: unknown } | { readonly approval: unknown }
  >
  readonly reason: string
  readonly at: number
  readonly until?: number
}
