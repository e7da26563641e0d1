import type { CallContext } from '../base/call.ts'
import type { Json } from '../base/json/json.ts'
import type { ValueRange } from '../base/message-parts.ts'
import type { AskedCall, StatusReason } from './approval.ts'
import type { Caps } from './commands/caps.ts'
import type { NewGrant } from './grants/grant-command.ts'
import type { Person } from './people/person.ts'
import type { Directory, PolicyAnswer, Requirement, Terms } from './people/requirement.ts'

/**
 * Everything that can happen to an approval. Commands are plain JSON, made by the gate from facts
 * it has authenticated; nothing in them comes straight from a request body.
 */
export type Command =
  | Request
  | Decide
  | Extend
  | Lift
  | Remind
  | Escalate
  | Reach
  | Expire
  | Withdraw
  | Invalidate
  | Claim
  | Renew
  | Finish
  | Lost
  | Resolve
  | Reveal
  | Question
  | Reply
  | Comment
  | Assign

export type CommandType = Command['type']

export interface Sent {
  /** Unique per attempt, so that a lost acknowledgement can be looked up instead of guessed. */
  readonly commandId: string
}

export interface Request extends Sent {
  readonly type: 'request'
  /** The new approval's name: random, 128 bits or more, never used before. */
  readonly id: string
  readonly tenant: string
  readonly call: AskedCall
  readonly digest: string
  readonly requirements: readonly Requirement[]
  readonly terms: Terms
  readonly policy: string
  /** Refused when the agent takes more of people's time than this already. */
  readonly caps?: Caps
  /** Who could answer, as far as is known now. */
  readonly directory: Directory
  readonly content: AskedContent
  /** A standing permission that covers the call: approved at once, without asking a person. */
  readonly grant?: GrantUse
}

/** What people are shown. */
export interface AskedContent {
  /** Canonical JSON text of the arguments: the bytes that were digested. */
  readonly arguments: string
  readonly message: string
  readonly missing: readonly string[]
  /** Where the message holds values from the call; absent: it is not known where. */
  readonly values?: readonly ValueRange[]
  /** The message is worded by the owner, who chose what it shows of the arguments. */
  readonly authored?: true
  /** Claimed by the agent, never checked. */
  readonly context?: CallContext
  /** JSON text of the form: what `call.form` is the digest of. */
  readonly form?: string
  /** JSON text of what the program said the call would do: what `call.preview` is the digest of. */
  readonly preview?: string
  /** Canonical JSON text. */
  readonly parentInput?: string
  readonly view?: View
  /** Canonical JSON text of what the tool says of itself: what `call.definition` is the digest of. */
  readonly definition?: string
  /** The span that asked, as W3C `traceparent`. */
  readonly trace?: string
}

/** The arguments as people may see them; absent where nothing in them is hidden. */
export interface View {
  /** Canonical JSON text, secrets replaced. */
  readonly arguments: string
  /** Where something was replaced. */
  readonly masked: readonly (readonly string[])[]
}

export interface GrantUse {
  readonly id: string
  /** Who made it, as they are now: it counts only while they could approve this very call. */
  readonly minter: Person
  /** The gate judged the arguments, and the grant's condition said yes. */
  readonly covered?: boolean
  /** What the call takes from the grant's budget. */
  readonly amount?: number
  /** Claimed at once by this one; absent: approved, and claimed later like any other yes. */
  readonly holder?: Holder
  /** As in a claim. */
  readonly countersignature?: string
}

/** The one who will run the call. */
export interface Holder {
  readonly claim: string
  readonly instance?: string
  /** Length of the lease in milliseconds, for a claimer without a heartbeat. */
  readonly lease?: number
}

export interface Decide extends Sent {
  readonly type: 'decide'
  readonly by: Person
  readonly verdict: 'approve' | 'deny'
  /** The digest the person was shown. */
  readonly seen: string
  readonly reason?: string
  /** For the tool, beside its arguments. With `approve` only. */
  readonly payload?: Json
  /** Digest of the payload, where it answers a form and the form accepts it. */
  readonly answers?: string
  /** For the model, instead of a result. With `deny` only. */
  readonly answer?: string
  readonly edit?: Edit
  /** Facts of earlier voters where they have changed since they voted. */
  readonly voters?: readonly Person[]
  /** A yes to calls like this one, too: made in the same act, or neither is. */
  readonly grant?: NewGrant
}

/** New arguments, already checked against the tool's schema and judged by the policy. */
export interface Edit {
  readonly digest: string
  /** Canonical JSON text of the new arguments. */
  readonly arguments: string
  /** Where the new arguments differ from those the person was shown. */
  readonly changed: readonly (readonly string[])[]
  readonly answer: PolicyAnswer
  /** The question for the new arguments. */
  readonly message: string
  readonly missing: readonly string[]
  readonly values?: readonly ValueRange[]
  readonly authored?: true
  readonly view?: View
}

export interface Extend extends Sent {
  readonly type: 'extend'
  readonly by: Person
  readonly until: number
}

/** Lifts a denial, so that an equal call of the run asks again. The denial itself stands. */
export interface Lift extends Sent {
  readonly type: 'lift'
  readonly by: Person
}

/** By the sweeper when it is due; by a person whenever they like, within reason. */
export interface Remind extends Sent {
  readonly type: 'remind'
  readonly by?: Person
}

/** By the sweeper: every step that is due. By a person: the next step, early. */
export interface Escalate extends Sent {
  readonly type: 'escalate'
  readonly by?: Person
}

/** Sent by the check on people: can the question still be answered? */
export interface Reach extends Sent {
  readonly type: 'reach'
  /** Who could answer, as far as is known now. */
  readonly directory: Directory
}

export interface Expire extends Sent {
  readonly type: 'expire'
}

export interface Withdraw extends Sent {
  readonly type: 'withdraw'
  readonly by: { readonly agent: string } | { readonly person: Person }
}

export interface Invalidate extends Sent {
  readonly type: 'invalidate'
  readonly reason: Exclude<StatusReason, 'undecided' | 'unused' | 'revoked'>
  /** An admin; absent: the gate. */
  readonly by?: Person
}

export interface Claim extends Sent {
  readonly type: 'claim'
  readonly agent: string
  /** The call as it was asked for. */
  readonly digest: string
  readonly holder: Holder
  /** Digest of the tool's definition as it is now. */
  readonly definition: string
  /** What the policy says now of the call that would run. */
  readonly answer: PolicyAnswer
  /** Facts of every person who approved, as they are now. A missing person no longer counts. */
  readonly voters: readonly Person[]
  /** Names the countersignature that may be made for this call; recorded with the claim. */
  readonly countersignature?: string
  /** The grant that gave the yes, which must not have ended since. */
  readonly grant?: string
}

/** A claimer without a heartbeat says that it still lives. */
export interface Renew extends Sent {
  readonly type: 'renew'
  readonly claim: string
  readonly lease: number
}

export interface Finish extends Sent {
  readonly type: 'finish'
  readonly claim: string
  readonly outcome: 'succeeded' | 'failed'
  readonly result?: Json
  /** The policy says that results of this tool are not kept. */
  readonly drop?: boolean
}

export interface Lost extends Sent {
  readonly type: 'lost'
  /** The holder of this claim says so itself: it lost sight of what it had started. */
  readonly claim?: string
  /** Last heartbeat of the instance that claimed; absent for leases and forgotten instances. */
  readonly lastSeen?: number
}

export interface Resolve extends Sent {
  readonly type: 'resolve'
  readonly by: Person
  readonly outcome: 'succeeded' | 'failed'
  readonly reason?: string
}

/** A person reveals one masked value. */
export interface Reveal extends Sent {
  readonly type: 'reveal'
  readonly by: Person
  /** The digest the person was shown. */
  readonly seen: string
  /** Where the value lies, key by key. */
  readonly path: readonly string[]
}

/** An approver asks the asker something before deciding. */
export interface Question extends Sent {
  readonly type: 'question'
  readonly by: Person
  /** Without secrets. */
  readonly text: string
  /** A later deadline, within the bounds of `extend`. */
  readonly until?: number
}

/** The asker replies to what was asked. */
export interface Reply extends Sent {
  readonly type: 'reply'
  readonly by: Withdraw['by']
  /** Without secrets. */
  readonly text: string
}

export interface Comment extends Sent {
  readonly type: 'comment'
  readonly by: Person
  /** Without secrets. */
  readonly text: string
}

/** Says who is to answer; without `to`, that it is no longer one person. */
export interface Assign extends Sent {
  readonly type: 'assign'
  readonly by: Person
  /** With the facts of this moment: it must be a person whose yes would count. */
  readonly to?: Person
}
