import { ERRORS, type ErrorCode, isCountersignError } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import { type Outcome, type Refused, refusal } from '../gate/outcome.ts'
import type { AgentApproval } from '../wire/agent.ts'

/** What the server said of a call that does not run, as an outcome. Its sentence stays its own. */
export function refusedWith(answer: {
  readonly code: string
  readonly message: string
  readonly answer?: string
}): Refused {
  const { code, message } = answer
  const known: ErrorCode = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'not_permitted'
  return {
    status: STATUS[known] ?? 'refused',
    ran: false,
    message,
    code: known,
    ...(answer.answer === undefined ? {} : { answer: answer.answer }),
  }
}

const STATUS: Partial<Readonly<Record<ErrorCode, Refused['status']>>> = {
  denied: 'denied',
  denied_by_policy: 'policy',
  expired: 'expired',
  withdrawn: 'withdrawn',
  invalidated: 'invalidated',
  not_started: 'not_started',
  quarantined: 'quarantined',
  locked: 'locked',
  too_many_pending: 'limited',
  no_eligible_approver: 'no_eligible_approver',
  key_reused: 'key_reused',
}

/** A call that was claimed before, here or elsewhere. */
export function undecidedWith<R>(approval: AgentApproval): Outcome<R> {
  const { execution, message, result, payload } = approval
  const attached = payload === undefined ? {} : { payload: payload as Json }
  switch (execution) {
    case 'succeeded':
      return {
        status: 'succeeded',
        ran: true,
        result: result as R,
        ...attached,
        replayed: true,
        ...(message === '' ? {} : { message }),
      }
    case 'failed':
      return { status: 'failed', ran: true, error: result, message, ...attached, replayed: true }
    case 'unknown':
      return { status: 'unknown', ran: 'unknown', message }
    default:
      return { status: 'running_elsewhere', ran: 'unknown', message }
  }
}

/** Whatever went wrong on the way: the call does not run. */
export function refusedBy(error: unknown, tool: string): Refused {
  if (!isCountersignError(error)) return refusal('unavailable', { tool })
  const { code, message } = error
  const { http } = ERRORS[code]
  if (code === 'token_unknown') return refusal('unavailable', { tool, code, as: 'unauthorized' })
  // A server without time said nothing about the call.
  const isUnasked = http === 503 || http === 401 || http === 500 || code === 'too_many_requests'
  if (isUnasked) return refusal('unavailable', { tool, code })
  // The server has said it in a sentence for the model already.
  if (error.details.isSentence === true) {
    const status = http === 400 || http === 413 ? 'invalid' : (STATUS[code] ?? 'refused')
    return { ...refusal(status, { tool, code }), message }
  }
  if (http === 400 || http === 413) return refusal('invalid', { tool, code, reason: message })
  return refusal(STATUS[code] ?? 'refused', { tool, code, reason: message })
}
