import type { ErrorCode } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import type { Approval, ExecutionState, Status } from './approval.ts'
import type { Assurance, PersonId } from './people/person.ts'

/**
 * What one command did. A refusal can carry a change as well: a claim that finds its policy
 * tightened is refused and ends the approval, a late answer is refused and recorded. So the store
 * writes `approval` whenever its revision moved, and `events` always.
 */
export type Transition = Accepted | Refused

export interface Accepted {
  readonly ok: true
  /** The approval as it is now; the very same object when nothing changed. */
  readonly approval: Approval
  readonly events: readonly Event[]
  readonly content: readonly Content[]
}

export interface Refused {
  readonly ok: false
  readonly code: ErrorCode
  readonly message: string
  /** Present when the clock or the command changed the approval although it was refused. */
  readonly approval?: Approval
  readonly events: readonly Event[]
}

export const EVENT_TYPES = [
  'requested',
  'decided',
  'approved',
  'denied',
  'edited',
  'extended',
  'lifted',
  'reminded',
  'escalated',
  'unreachable',
  'reachable',
  'expired',
  'withdrawn',
  'invalidated',
  'claimed',
  'renewed',
  'finished',
  'lost',
  'resolved',
  'revealed',
  'late',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * One line of the audit. Ids, codes and digests only: what a person wrote or an agent sent is
 * named in `content` by key, and the store seals it there with a salted hash.
 */
export interface Event {
  readonly type: EventType
  readonly tenant: string
  readonly approval: string
  /** Of the approval after this step. A late answer changes nothing and repeats it. */
  readonly revision: number
  /** Several events can come of one command; (command, index) is unique. */
  readonly command: string
  readonly index: number
  readonly at: number
  readonly status: Status
  readonly execution?: ExecutionState
  readonly by: Actor
  readonly assurance?: Assurance
  readonly digest?: string
  /** Status reason, refusal code or outcome: why, in one word. */
  readonly code?: string
  /** Further ids and numbers, by type. */
  readonly facts?: { readonly [name: string]: string | number | boolean | readonly string[] }
  /** Keys of content written in the same transaction. */
  readonly content?: readonly string[]
}

export type Actor =
  | { readonly person: PersonId }
  | { readonly agent: string }
  | { readonly system: 'gate' | 'clock' | 'sweeper' | 'operator' }

/** A person who can open the database from a terminal of its machine. */
export const OPERATOR: Actor = { system: 'operator' }

export type ContentKind =
  | 'arguments'
  | 'question'
  | 'definition'
  | 'reason'
  | 'payload'
  | 'answer'
  | 'result'
  | 'note'

/** Something that can be erased without touching the approval or its events. */
export interface Content {
  /** Unique within the tenant: `<approval>/<revision>/<kind>`. */
  readonly key: string
  readonly kind: ContentKind
  /** `arguments` is canonical JSON text as a string: the digested bytes themselves. */
  readonly value: Json
}
