import type { Approval } from '../approval/approval.ts'
import { ERRORS, type ErrorCode, isCountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { isStoreFailure } from './background/background.ts'
import type { AskedBack } from './content/asked-back.ts'
import { type Said, type Sentence, sentence } from './sentences.ts'

/**
 * What became of a call. A closed union: a caller that forgets a case does not compile. `ran` is
 * the question that matters most, and says `unknown` where nothing can tell.
 */
export type Outcome<R = unknown> = Succeeded<R> | Failed | Blocked | Pending | Unknown

export interface Succeeded<R = unknown> {
  readonly status: 'succeeded'
  readonly ran: true
  readonly result: R
  /** Names the approval it rests on, wherever that is stored. */
  readonly approvalId?: string
  readonly approval?: Approval
  /** What an approver attached to their yes. */
  readonly payload?: Json
  /** Present when a person changed the arguments. */
  readonly edited?: Edited
  /** The call had run before; this is its stored result. */
  readonly replayed?: true
  /** Why `result` is missing although the call succeeded. */
  readonly noResult?: NoResult
  /** What the model should read besides the result. */
  readonly modelMessage?: string
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
  readonly modelMessage: string
  readonly approvalId?: string
  readonly approval?: Approval
  /** What an approver attached to their yes. */
  readonly payload?: Json
  readonly edited?: Edited
  readonly replayed?: true
  readonly unrecorded?: true
}

/** It did not run, and nothing will run it later by itself. `code` says why. */
export interface Blocked {
  readonly status: 'blocked'
  readonly ran: false
  readonly code: ErrorCode
  readonly modelMessage: string
  readonly approvalId?: string
  readonly approval?: Approval
  /** A person's words for the model, given with a denial. */
  readonly answer?: string
  /** Why a person denied it, in their own words. */
  readonly reason?: string
}

/** It waits for a person. The same call made again, or `resume`, finds the answer. */
export interface Pending {
  readonly status: 'pending'
  readonly ran: false
  readonly modelMessage: string
  /** What `resume` takes. */
  readonly approvalId?: string
  readonly approval?: Approval
  /** What people ask before they decide, in their own words: `answer` replies to all of it. */
  readonly questions?: readonly AskedBack[]
}

/** It was started, here or elsewhere, and how it ended is not known here. */
export interface Unknown {
  readonly status: 'unknown'
  readonly ran: 'unknown'
  /** `already_claimed`: it still runs elsewhere. */
  readonly code: 'already_claimed' | 'outcome_unknown'
  readonly modelMessage: string
  readonly approvalId?: string
  readonly approval?: Approval
}

export interface Edited {
  /** Dotted paths of everything that was changed. */
  readonly paths: readonly string[]
  /** The arguments the call ran with, secrets hidden. */
  readonly args: JsonObject
  readonly modelMessage: string
}

/** The sentence that goes with a code, where it is not the one for all refusals of its kind. */
const SENTENCES: Partial<Readonly<Record<ErrorCode, Sentence>>> = {
  denied: 'denied',
  denied_by_policy: 'policy',
  denied_by_mode: 'mode',
  expired: 'undecided',
  withdrawn: 'withdrawn',
  invalidated: 'invalidated',
  not_started: 'not_started',
  quarantined: 'quarantined',
  locked: 'locked',
  too_many_pending: 'limited',
  no_eligible_approver: 'no_approver',
  key_reused: 'key_reused',
  token_unknown: 'unauthorized',
  // A server without time said nothing about the call.
  too_many_requests: 'unavailable',
}

function sentenceOf(code: ErrorCode): Sentence {
  const own = SENTENCES[code]
  if (own) return own
  const { http } = ERRORS[code]
  if (http === 400 || http === 413) return 'invalid'
  return http === 401 || http >= 500 ? 'unavailable' : 'refused'
}

/** Whether a code says that the call could not be checked, rather than what the check found. */
export function isUnavailable(code: ErrorCode): boolean {
  const name = sentenceOf(code)
  return name === 'unavailable' || name === 'unauthorized'
}

export interface BlockedDetails extends Said {
  /** Another sentence than the usual one for this code. */
  readonly as?: Sentence
  readonly approval?: Approval | undefined
}

export function blocked(code: ErrorCode, details: BlockedDetails): Blocked {
  const { as = sentenceOf(code), approval, answer, reason } = details
  return {
    status: 'blocked',
    ran: false,
    // A write of ours that may or may not have happened is not a call that may have run.
    code: code === 'outcome_unknown' ? 'store_unavailable' : code,
    modelMessage: sentence(as, { ...details, id: approval?.id }),
    ...(approval ? { approvalId: approval.id, approval } : {}),
    ...(answer === undefined ? {} : { answer }),
    ...(reason === undefined || code !== 'denied' ? {} : { reason }),
  }
}

/**
 * A store or a server that fails and one that refuses are told apart; neither lets the call run.
 * A server has often put its refusal into a sentence for the model already.
 */
export function refusedBy(error: unknown, tool: string, approval?: Approval): Blocked {
  if (!isCountersignError(error)) return blocked('store_unavailable', { tool, approval })
  const { code, message, details } = error
  if (isStoreFailure(error)) return blocked(code, { tool, approval, as: 'unavailable' })
  const said = details.isSentence === true && !isUnavailable(code) ? { modelMessage: message } : {}
  return { ...blocked(code, { tool, reason: message, approval }), ...said }
}

/** Which approval an outcome is about; the record itself only where it is in this process. */
export interface About {
  readonly id: string
  readonly tool: string
  readonly approval?: Approval | undefined
}

export function pending(
  { id, tool, approval }: About,
  questions: readonly AskedBack[] = [],
): Pending {
  const known = approval ? { approval } : {}
  const waiting = { status: 'pending', ran: false, approvalId: id, ...known } as const
  if (questions.length === 0) return { ...waiting, modelMessage: sentence('pending', { tool, id }) }
  const texts = questions.map(({ text }) => text)
  const modelMessage = sentence('asked_back', { tool, id, questions: texts })
  return { ...waiting, modelMessage, questions }
}

export function unknown(code: Unknown['code'], { id, tool, approval }: About): Unknown {
  const name = code === 'already_claimed' ? 'running_elsewhere' : 'unknown'
  const modelMessage = sentence(name, { tool, id })
  const known = approval ? { approval } : {}
  return { status: 'unknown', ran: 'unknown', code, modelMessage, approvalId: id, ...known }
}
