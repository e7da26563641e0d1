import type { Approval } from '../approval/approval.ts'
import type { ErrorCode } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { type Said, type Sentence, sentence } from './sentences.ts'

/**
 * What became of a call. A closed union: a caller that forgets a case does not compile. `ran` is
 * the question that matters most, and says `unknown` where nobody knows.
 */
export type Outcome<R = unknown> = Succeeded<R> | Failed | Refused | Undecided

export interface Succeeded<R = unknown> {
  readonly status: 'succeeded'
  readonly ran: true
  readonly result: R
  readonly approval?: Approval
  /** What an approver attached to their yes. */
  readonly payload?: Json
  /** Present when a person changed the arguments. */
  readonly edited?: Edited
  /** The call had run before; this is its stored result. */
  readonly replayed?: true
  /** Why `result` is missing although the call succeeded. */
  readonly noResult?: NoResult
  /** What the model should know besides the result. */
  readonly message?: string
  /** The outcome could not be written down yet. The record says `unknown` until it is. */
  readonly unrecorded?: true
}

export type NoResult = 'dropped' | 'too_large' | 'invalid' | 'erased'

/** The tool ran and threw, or a person wrote down that it failed. */
export interface Failed {
  readonly status: 'failed'
  readonly ran: true
  /** What the tool threw; for a replayed outcome, what was stored of it. */
  readonly error: unknown
  readonly message: string
  readonly approval?: Approval
  /** What an approver attached to their yes. */
  readonly payload?: Json
  readonly edited?: Edited
  readonly replayed?: true
  readonly unrecorded?: true
}

/** It did not run, and nothing will run it later by itself. */
export interface Refused {
  readonly status:
    | 'denied'
    | 'policy'
    | 'expired'
    | 'withdrawn'
    | 'invalidated'
    | 'not_started'
    | 'quarantined'
    | 'locked'
    | 'limited'
    | 'no_eligible_approver'
    | 'key_reused'
    | 'invalid'
    | 'refused'
    | 'unavailable'
  readonly ran: false
  readonly message: string
  readonly code: ErrorCode
  readonly approval?: Approval
  /** A person's words for the model, given with a denial. */
  readonly answer?: string
}

/** It is not over: it waits, runs elsewhere, or nobody knows how it ended. */
export interface Undecided {
  readonly status: 'pending' | 'running_elsewhere' | 'unknown'
  readonly ran: false | 'unknown'
  readonly message: string
  readonly approval?: Approval
}

export interface Edited {
  /** Dotted paths of everything that was changed. */
  readonly paths: readonly string[]
  /** The arguments the call ran with, secrets hidden. */
  readonly args: JsonObject
  readonly message: string
}

type RefusedStatus = Refused['status']

/** Which sentence goes with which refusal, and the code a program branches on. */
const REFUSALS: Readonly<Record<RefusedStatus, { sentence: Sentence; code: ErrorCode }>> = {
  denied: { sentence: 'denied', code: 'denied' },
  policy: { sentence: 'policy', code: 'denied_by_policy' },
  expired: { sentence: 'undecided', code: 'expired' },
  withdrawn: { sentence: 'withdrawn', code: 'withdrawn' },
  invalidated: { sentence: 'invalidated', code: 'invalidated' },
  not_started: { sentence: 'not_started', code: 'not_started' },
  quarantined: { sentence: 'quarantined', code: 'quarantined' },
  locked: { sentence: 'locked', code: 'locked' },
  limited: { sentence: 'limited', code: 'too_many_pending' },
  no_eligible_approver: { sentence: 'nobody', code: 'no_eligible_approver' },
  key_reused: { sentence: 'key_reused', code: 'key_reused' },
  invalid: { sentence: 'invalid', code: 'invalid_call' },
  refused: { sentence: 'refused', code: 'not_permitted' },
  unavailable: { sentence: 'unavailable', code: 'store_unavailable' },
}

export interface RefusedDetails extends Said {
  /** Another sentence than the usual one for this status. */
  readonly as?: Sentence
  readonly code?: ErrorCode
  readonly approval?: Approval | undefined
}

export function refusal(status: RefusedStatus, details: RefusedDetails): Refused {
  const { as, code, approval, answer } = details
  const usual = REFUSALS[status]
  const id = approval?.id
  return {
    status,
    ran: false,
    message: sentence(as ?? usual.sentence, { ...details, id }),
    code: code ?? usual.code,
    ...(approval ? { approval } : {}),
    ...(answer === undefined ? {} : { answer }),
  }
}

export function undecided(
  status: Undecided['status'],
  approval: Approval,
  reason?: string,
): Undecided {
  const { id, call } = approval
  return {
    status,
    ran: status === 'pending' ? false : 'unknown',
    message: sentence(status, { tool: call.tool, id, reason }),
    approval,
  }
}
