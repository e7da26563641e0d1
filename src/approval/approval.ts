import type { CallKind, Risk } from '../base/call.ts'
import type { AskLevel, Requirement, Terms } from '../base/oversight.ts'
import type { Person, PersonId, PersonName } from './people/person.ts'
import type { Assigned, Remark } from './talk.ts'

export const STATUSES = [
  'pending',
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
] as const
export type Status = (typeof STATUSES)[number]

/** Why, where a status has several causes: the first two with `expired`, the rest `invalidated`. */
export const STATUS_REASONS = [
  'undecided',
  'unused',
  'policy',
  'tool',
  'voter',
  'restored',
  'edit_refused',
  'revoked',
] as const
export type StatusReason = (typeof STATUS_REASONS)[number]

export const EXECUTION_STATES = ['running', 'succeeded', 'failed', 'unknown'] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

/**
 * The durable record of asking. Plain JSON: every time is milliseconds since 1970 on the store's
 * clock. It holds no arguments, reasons or results; those are `Content`, kept beside it so that
 * they can be erased.
 */
export interface Approval {
  readonly id: string
  readonly tenant: string
  /** Starts at 1 and grows by exactly one with each change. */
  readonly revision: number
  readonly status: Status
  readonly reason?: StatusReason
  /** Absent until the approval is claimed. */
  readonly execution?: Execution
  readonly call: AskedCall
  /** The call that will run: the one asked for, or its latest edit. */
  readonly digest: string
  /** The call as the agent asked for it. The claim presents this one. */
  readonly askedDigest: string
  /** Everything people changed by editing, as paths into the arguments. */
  readonly edited: readonly (readonly string[])[]
  /** The stricter of all requirements. */
  readonly level: AskLevel
  readonly requirements: readonly Requirement[]
  readonly terms: Terms
  /** Names the policy that asked. */
  readonly policy: string
  readonly decisions: readonly Decision[]
  readonly escalated: readonly Escalated[]
  readonly reminders: number
  readonly askedAt: number
  /** Moment at which the question dies unanswered. */
  readonly decideBy: number
  readonly remindedAt?: number
  /** When it stopped being pending. */
  readonly decidedAt?: number
  /** Moment at which an unused yes dies. Set when approved. */
  readonly useBy?: number
  /** When the last change was made. */
  readonly changedAt: number
  /** The standing permission that stood in for a person. */
  readonly grant?: string
  /** A person lifted the denial: an equal call asks again. */
  readonly lifted?: { readonly at: number; readonly by: PersonId }
  /** Set when, as far as is known, no eligible approver was left. */
  readonly unreachable?: Unreachable
  /** What people and the asker said to each other, the first first. */
  readonly talk?: readonly Remark[]
  /** The person it was assigned to. */
  readonly assigned?: Assigned
}

/** A requirement that the remaining people cannot meet. */
export interface Unreachable {
  readonly rule: string
  /** What is missing, as a clause: `finance needs 2, only bo@example.com is left`. */
  readonly says: string
  readonly at: number
  /** It can be met again. */
  readonly over?: true
}

/** The call that approval is asked for: everything that names it, except its arguments. */
export interface AskedCall {
  readonly kind: CallKind
  /** The entry point it came through. */
  readonly door: string
  readonly server?: string
  readonly tool: string
  /** Digest of the tool's definition as it was shown. */
  readonly definition: string
  /** The authenticated agent, by the name that is unique in this tenant. */
  readonly agent: string
  readonly alias?: string
  /** The acting user: the person the agent works for. */
  readonly principal?: PersonName
  /** The person whose credential asked, where that is not the acting user. */
  readonly requester?: PersonName
  readonly run?: string
  readonly key?: string
  /** Shared by the calls of one turn, so that people see them together. */
  readonly batch?: string
  /** As the policy, or the caller, rates it. Rules go by this. */
  readonly risk?: Risk
  /** As guessed from what the tool's server says alone. Rules do not go by this. */
  readonly looks?: Risk
  /** Digest of the form that a yes has to fill in. */
  readonly form?: string
  /** Digest of the preview that people are shown. Not part of the call's own digest. */
  readonly preview?: string
}

/** One person's answer. At most one per person and digest. */
export interface Decision {
  /** Facts as they were when the person decided. */
  readonly by: Person
  readonly verdict: 'approve' | 'deny'
  /** What the yes or no is about; for an edit, the call after it. */
  readonly digest: string
  /** What the person was shown. Differs from `digest` for an edit. */
  readonly seen: string
  readonly at: number
  /** Whether a reason was given; the reason itself is content. */
  readonly reasoned: boolean
  /** Digest of the answers to the form. */
  readonly answers?: string
  /** An edit, or other answers to the form, made it void. It is kept, and counts for nothing. */
  readonly void?: true
  /** Keys of the reason, payload and answer that came with it. */
  readonly content?: readonly string[]
  /** Given in advance, by this grant; `by` holds the facts of the moment it was made. */
  readonly grant?: string
}

/** Step `step` of requirement `requirement` was taken: more people may answer. */
export interface Escalated {
  readonly requirement: number
  readonly step: number
  readonly at: number
  /** Who was ahead of the clock; absent: its time had come. */
  readonly by?: PersonId
}

/** What became of the call after its approval was claimed. There is one claim, ever. */
export interface Execution {
  readonly state: ExecutionState
  readonly claim: string
  readonly claimedAt: number
  /** A claimer that has not started by then must not start. */
  readonly startBy: number
  /** The process that claimed; its heartbeat says whether it lives. */
  readonly instance?: string
  /** For claims over HTTP: silent after this moment means lost. */
  readonly leaseUntil?: number
  readonly lostAt?: number
  readonly endedAt?: number
  /** The end arrived after the claim was already given up as lost. */
  readonly late?: true
  /** A person wrote down what happened. */
  readonly resolvedBy?: PersonId
  /** Key of the stored result, or why there is none. */
  readonly result?: string
  readonly noResult?: 'dropped' | 'too_large' | 'invalid'
}
