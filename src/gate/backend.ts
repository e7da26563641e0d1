import type { Approval, ExecutionState, Status } from '../approval/approval.ts'
import type { Call } from '../base/call.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import type { Mode } from '../policy/evaluate/mode.ts'
import type { Snapshot } from './content/arguments.ts'
import type { CallDeclaration } from './declared/declarations.ts'
import type { Listeners } from './listeners.ts'
import type { Blocked, Edited, Outcome } from './outcome.ts'
import type { Announce, Waiting } from './pipeline/waiting.ts'
import type { ProbePoint } from './probe.ts'
import type { Countersign } from './proof/countersigned.ts'
import type { RunOptions } from './run-options.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import type { NamedTool, ToolDefinition } from './tool.ts'

/** An approval that was asked for, as far as the pipeline looks at it. */
export interface Question {
  readonly id: string
  readonly tool: string
  readonly status: Status
  /** Present once a caller has claimed it. */
  readonly execution?: ExecutionState | undefined
  /** A person asked the asker something, and waits for the reply. */
  readonly isAskedBack?: boolean | undefined
  /** The whole record. A server keeps it to itself. */
  readonly approval?: Approval | undefined
}

/** A call that was read once and judged. Each backend adds what it asks with. */
export interface JudgedCall {
  readonly call: Call
  readonly bytes: Snapshot
  readonly definition: ToolDefinition | undefined
  /** It needs no approval. */
  readonly isAllowed: boolean
  /** How long the policy lets a caller wait. */
  readonly waitFor?: number | undefined
  /** Code declares that its result is not to be kept. */
  readonly drop?: boolean | undefined
}

/** A call that was read, and not judged or not allowed. */
export type ReadCall = Pick<JudgedCall, 'call' | 'bytes' | 'definition'>

/** Refused before any approval was asked for; without `read` where it could not even be read. */
export interface Refused {
  readonly refused: Blocked
  readonly read?: ReadCall | undefined
}

/** A spent approval, and everything its call runs with. */
export interface Claim<Q extends Question = Question> {
  readonly question: Q
  /** Names the claim when it is renewed and finished. */
  readonly name: string
  readonly args: JsonObject
  /** What an approver attached to their yes. */
  readonly payload: Json | undefined
  /** What people changed. */
  readonly edited: Edited | undefined
  /** Makes the proof for the next gate. */
  readonly countersign: Countersign | undefined
  /** The rules say that the result is not to be kept. */
  readonly drop: boolean
  /** Texts that must not appear in what is told about a failure. */
  secrets(): readonly string[]
  /**
   * Whether the tool may still be started: asked last of all. `at: 'any time'` for what the claim
   * itself used; then only the call must be the one that was claimed.
   */
  mayStart(at?: 'any time'): boolean
  /** Milliseconds until it must be renewed; absent where nothing has to be. */
  readonly lease?: number
}

/** How a claimed call ended, for the record. */
export type Ended =
  | { readonly outcome: 'succeeded'; readonly result: unknown; readonly drop: boolean }
  | { readonly outcome: 'failed'; readonly result: JsonObject }
  | { readonly outcome: 'unknown' }

export type Asked<Q extends Question> =
  /** `claimed`: a grant let it through; there is no decision to wait for. */
  | { readonly question: Q; readonly claimed?: Claim<Q> | undefined }
  /** No approval is needed after all. */
  | { readonly allowed: JsonObject }
  | { readonly refused: Blocked }

export interface Asking {
  readonly tool: NamedTool
  readonly options: PipelineOptions
}

export type PipelineOptions = Omit<RunOptions, 'onPending'> & {
  readonly onPending?: ((question: Question) => void) | undefined
}

/** How long a caller waits. */
export interface Patience {
  readonly signal: AbortSignal | undefined
  /** When it ends, on the clock of `performance.now()`; with the question itself unless set. */
  readonly until: number | undefined
}

/** Why a caller stopped waiting before there was an answer. */
export type Stopped = 'aborted' | 'lapsed'

export interface Waited<Q extends Question> {
  /** As it was when waiting ended. */
  readonly question: Q
  readonly stopped?: Stopped | undefined
}

/** Where approvals are stored: in a database of this process, or on a server. */
export interface Backend<J extends JudgedCall, Q extends Question> {
  /**
   * What was asked before about exactly this call and decides what becomes of it now: for a call
   * that is refused, only one that has run.
   */
  find(judged: J | Refused): Promise<Q | Blocked | undefined>
  /** One durable question for this call, or the one that exists. Never throws. */
  ask(judged: J, asking: Asking): Promise<Asked<Q>>
  /** The question as it is now. */
  look(question: Q): Promise<Q>
  /** Parks until it is as `isOver` wants it, or the patience ends. */
  wait(question: Q, isOver: (now: Question) => boolean, patience: Patience): Promise<Waited<Q>>
  /** Atomically consumes the approval. At most one caller ever succeeds; throws the refusal. */
  claim(question: Q, definition: ToolDefinition | undefined): Promise<Claim<Q>>
  renew(claim: Claim<Q>): Promise<unknown>
  /** Writes down how it ended. `isWritten` is false where that has to be tried again later. */
  finish(
    claim: Claim<Q>,
    ended: Ended,
  ): Promise<{ readonly question: Q; readonly isWritten: boolean }>
  /** The question afterwards, also when another command was faster; undefined where it is unknown. */
  withdraw(question: Q): Promise<Q | undefined>
  /** What became of it, for a caller that does not run it. */
  outcomeOf(question: Q): Promise<Outcome>
}

export interface GivenCall {
  readonly call: Call
  readonly key: string | undefined
  readonly tool: Pick<NamedTool, 'definition'>
  /** `digest`: the caller has no keys of its own, so none is made up for it. */
  readonly join?: 'digest' | undefined
  /** What the code that makes this call says of it, and of no other. */
  readonly declared: CallDeclaration | undefined
}

/** Everything one call passes through, for one caller. */
export interface Pipeline<J extends JudgedCall, Q extends Question> {
  readonly backend: Backend<J, Q>
  /** Never throws for a call that is refused. */
  judge(given: GivenCall): Promise<J | Refused>
  readonly mode: Mode
  /** How long a caller waits unless it says otherwise. */
  readonly waitFor: number | undefined
  readonly waiting: Waiting
  readonly announce: Announce
  readonly listeners: Listeners
  readonly telemetry: Telemetry | undefined
  /** For tests: called between two durable steps. */
  probe(point: ProbePoint, question: Question): void | Promise<void>
}
