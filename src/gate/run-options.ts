import type { Approval } from '../approval/approval.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { CallDeclaration } from './declared/declarations.ts'

/** What a caller may say about one call, wherever approvals are stored. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** How long this caller waits: `'2m'`, or milliseconds. Then the question is withdrawn. */
  readonly waitFor?: string | number | undefined
  /** `false`: do not wait. A question stays open; the same call made again finds its answer. */
  readonly wait?: false | undefined
  readonly key?: string | undefined
  /** `digest`: the caller has no keys of its own, so equal calls of a run that are under way are one. */
  readonly join?: 'digest' | undefined
  /** Names calls of one turn, so that people see them together. */
  readonly batch?: string | undefined
  /** Proof from another gate that this call was approved there. What does not verify is ignored. */
  readonly countersignature?: string | undefined
  /** Aborted, the caller stops waiting for people and leaves the question open for a later call. */
  readonly detach?: AbortSignal | undefined
  /**
   * A caller that can reply: it is told `pending`, with the questions, as soon as a person asks
   * something back. Others wait on for the decision.
   */
  readonly returnQuestions?: boolean | undefined
  /** Told once there is something to wait for. */
  readonly onPending?: ((approval: Pick<Approval, 'id'>) => void) | undefined
  /** What the code that makes this call says of it. It counts for this call, and for no other. */
  readonly declared?: CallDeclaration | undefined
  /** JSON Schema of what an approver fills in; the tool reads the answers as `context.decision`. */
  readonly form?: JsonObject | undefined
}

/** The same for a gate with a store of its own, which has the whole record. */
export interface RunOptions extends Omit<CallOptions, 'onPending'> {
  /** Told once there is something to wait for. */
  readonly onPending?: ((approval: Approval) => void) | undefined
}

export interface ResumeOptions {
  readonly signal?: AbortSignal | undefined
  /** The digest as asked, where the caller has kept it: it must be that of the approval. */
  readonly digest?: string | undefined
}
