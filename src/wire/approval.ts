import type { GrantWishBody } from './grant.ts'
import type { WireLocked } from './locks.ts'

/*
 * The JSON that crosses HTTP, shared by the server, the client and the inbox. Times are
 * milliseconds since 1970 on the server's clock. Arguments in it are masked: what a person must
 * not see by default was replaced before anything left the core.
 */

export type Status = 'pending' | 'approved' | 'denied' | 'expired' | 'withdrawn' | 'invalidated'
export type ExecutionState = 'running' | 'succeeded' | 'failed' | 'unknown'
export type RiskLevel = 'L0' | 'L1' | 'L2' | 'L3' | 'L4' | 'L5'
export type Assurance = 'elicitation' | 'chat' | 'signed-in' | 'passkey'

/** One line of the list. */
export interface ApprovalRow {
  readonly id: string
  readonly revision: number
  readonly status: Status
  readonly reason?: string
  readonly execution?: ExecutionState
  readonly level: 'confirm' | 'review'
  readonly kind: 'tool' | 'agent' | 'skill'
  readonly tool: string
  readonly server?: string
  readonly door: string
  readonly risk?: RiskLevel
  /** Its risk is not rated, but guessed from its name, its arguments or its server. */
  readonly riskGuessed?: true
  /** The agent as people know it. */
  readonly agent: string
  /** The person the agent works for. */
  readonly principal?: string
  /** The question, rendered from masked arguments: at most 500 characters in a list, with `…`. */
  readonly message: string
  readonly digest: string
  readonly run?: string
  readonly batch?: string
  readonly askedAt: number
  readonly decideBy: number
  readonly decidedAt?: number
  /** `2 of 3`: places filled, over all requirements. */
  readonly met: { readonly have: number; readonly need: number }
  /** Whether the reader may decide this one, and if not, why: a sentence. */
  readonly mine:
    | {
        readonly may: true
        /** Who is away and whose places the reader would fill. */
        readonly for?: readonly WirePerson[]
      }
    | { readonly may: false; readonly why: string }
  /** What it is about is locked: it stays as it is, while its clock goes on. */
  readonly locked?: WireLocked
  /** The rule that lost its people: the remaining approvers cannot give the yes it asks for. */
  readonly unreachable?: string
  /** What is missing for it, as a clause: `finance needs 2, only bo@example.com is left`. */
  readonly unreachableWhy?: string
}

/** Everything a person is shown before deciding. */
export interface ApprovalCard extends ApprovalRow {
  readonly askedDigest: string
  readonly useBy?: number
  readonly terms: WireTerms
  readonly missing: readonly string[]
  /** Canonical JSON text of the arguments that will run, masked. */
  readonly arguments: string
  /** Bytes of the arguments as bound, before masking. */
  readonly bytes: number
  /** Paths whose values are masked, as lists of keys. */
  readonly masked: readonly (readonly string[])[]
  /** Set when an approver edited the call: the arguments as the agent asked, masked. */
  readonly askedArguments?: string
  readonly edited: readonly (readonly string[])[]
  /** JSON Schema of the tool's arguments, where the gate knows it. */
  readonly schema?: unknown
  readonly why: readonly WhyAsked[]
  readonly requirements: readonly WireRequirement[]
  readonly decisions: readonly WireDecision[]
  /** Said by the agent; never checked. */
  readonly claimed?: { readonly says?: string; readonly links?: readonly string[] }
  readonly run?: string
  readonly key?: string
  readonly outcome?: WireOutcome
  /** The denial was lifted: the same call asks again. */
  readonly lifted?: true
  /** What the reader may do now. */
  readonly can: readonly (
    | 'approve'
    | 'deny'
    | 'edit'
    | 'extend'
    | 'lift'
    | 'withdraw'
    | 'resolve'
    | 'reveal'
    | 'grant'
  )[]
}

export interface WireTerms {
  readonly minAssurance: Assurance
  readonly reason: 'optional' | 'required' | 'required_always'
  readonly edit: boolean | readonly string[]
  readonly grants: boolean
  /** How long a yes may be used, in milliseconds. */
  readonly useBy: number
}

/** One rule that asked, with the values it saw. */
export interface WhyAsked {
  readonly source: string
  readonly rule: string
  readonly place?: string
  readonly asks: 'confirm' | 'review'
  readonly answer: 'yes' | 'unknown'
  readonly values: readonly {
    readonly path: string
    readonly wanted: string
    readonly saw: string
    readonly answer: 'yes' | 'no' | 'unknown'
  }[]
  /** The policy has changed since: the values are what it would see now, or missing. */
  readonly stale?: true
}

export interface WireRequirement {
  readonly source: string
  readonly rule: string
  readonly level: 'confirm' | 'review'
  /** Asked from the start, in words: `group finance`, `anyone with the approver role`, `ana@example.com`. */
  readonly approvers: readonly string[]
  /** Added since by escalation, the first first. */
  readonly added: readonly WireAdded[]
  readonly quorum: readonly { readonly group: string; readonly n: number; readonly have: number }[]
  readonly met: boolean
}

/** A person who may answer because others did not. */
export interface WireAdded {
  /** In words, as in `approvers`. */
  readonly who: string
  readonly at: number
  /** How old the rule lets the question become before, in milliseconds. */
  readonly after: number
  /** The group of the quorum whose places they may fill; absent: any place of the rule. */
  readonly for?: string
  /** Who added them before their time; absent: the clock did. */
  readonly by?: WirePerson
  /** What added them, as a clause: `after 4 h without an answer, by rule tools.pay.approval`. */
  readonly why: string
}

export interface WirePerson {
  readonly issuer: string
  readonly subject: string
  readonly name?: string
  readonly email?: string
}

export interface WireDecision {
  readonly by: WirePerson
  /** Said in the place of these, who were away. */
  readonly for?: readonly WirePerson[]
  readonly verdict: 'approve' | 'deny'
  readonly at: number
  readonly digest: string
  readonly assurance: Assurance
  readonly reason?: string
  readonly answer?: string
  /** An edit made it void. */
  readonly void?: true
  /** Given in advance by this grant; `by` made it. */
  readonly grant?: string
}

export interface WireOutcome {
  readonly state: ExecutionState
  readonly claimedAt: number
  readonly endedAt?: number
  readonly result?: unknown
  readonly noResult?: string
  readonly resolvedBy?: WirePerson
}

/** `GET /v1/approvals`. */
export interface ApprovalPage {
  readonly approvals: readonly ApprovalRow[]
  readonly next?: string
  /** Of everything pending, on the first page of a list that may hold some of it. */
  readonly counts?: { readonly mine: number; readonly others: number }
  readonly now: number
}

/** `POST /v1/approvals/:id/decisions`. */
export interface DecisionBody {
  readonly verdict: 'approve' | 'deny'
  /** The digest the person was shown. */
  readonly digest: string
  readonly reason?: string
  readonly answer?: string
  /** New arguments, whole; with `approve` only. */
  readonly edit?: { readonly arguments: unknown }
  readonly payload?: unknown
  /** A yes to calls like this one, too; with `approve` only. Made in the same act, or neither is. */
  readonly grant?: GrantWishBody
  /** What a passkey signed, after `POST …/passkey`; with `approve` only. */
  readonly passkey?: unknown
}

/** One entry of an approval's history. `GET /v1/approvals/:id/events`. */
export interface WireEvent {
  readonly type: string
  readonly at: number
  readonly by: string
  /** In whose place they did it. */
  readonly for?: readonly string[]
  readonly status: Status
  readonly code?: string
  readonly assurance?: Assurance
  readonly writer: string
  readonly seq: number
  readonly hash: string
}

/** `GET /v1/events` (SSE): a hint to look again, never content. */
export interface Hint {
  readonly id: string
  readonly revision: number
  readonly status: Status
}

/** `GET /v1/me`. */
export interface Me {
  readonly person: WirePerson
  readonly roles: readonly ('viewer' | 'approver' | 'admin')[]
  readonly assurance: Assurance
  readonly tenant: string
  readonly version: string
  /** The owner's rules are recorded and not enforced: people should see that everywhere. */
  readonly observing?: true
}

export interface WireError {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly hint?: string
    /** Which argument is wrong, key by key, where it is one. */
    readonly at?: readonly string[]
    /** The message is a whole sentence for the model. */
    readonly sentence?: true
    /** With `edit_completed`. */
    readonly completed?: WireCompleted
  }
}

/** An edit with what the tool's schema adds to it. It counts once it is sent in place of the first. */
export interface WireCompleted {
  readonly arguments: unknown
  /** Where it differs from what was sent, key by key. */
  readonly added: readonly (readonly string[])[]
  /** Of the call that would run. */
  readonly digest: string
}
