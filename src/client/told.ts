import type { AgentApproval } from '../api/agent.ts'
import { ERRORS, type ErrorCode, isCountersignError } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import { type Blocked, blocked, isUnavailable, type Outcome } from '../gate/outcome.ts'

/** What the server said of a call that does not run, as an outcome. Its sentence stays its own. */
export function blockedWith(answer: {
  readonly code: string
  readonly modelMessage: string
  readonly answer?: string
}): Blocked {
  const { code, modelMessage } = answer
  return {
    status: 'blocked',
    ran: false,
    // A newer server may know codes that we do not.
    code: Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'not_permitted',
    modelMessage,
    ...(answer.answer === undefined ? {} : { answer: answer.answer }),
  }
}

/** A call that was claimed before, here or elsewhere. */
export function claimedBefore<R>(approval: AgentApproval): Outcome<R> {
  const { execution, modelMessage, result, noResult, payload } = approval
  const attached = payload === undefined ? {} : { payload: payload as Json }
  switch (execution) {
    case 'succeeded':
      return {
        status: 'succeeded',
        ran: true,
        result: result as R,
        ...attached,
        replayed: true,
        ...(noResult === undefined ? {} : { noResult }),
        ...(modelMessage === '' ? {} : { modelMessage }),
      }
    case 'failed':
      return {
        status: 'failed',
        ran: true,
        error: result,
        modelMessage,
        ...attached,
        replayed: true,
      }
    case 'unknown':
      return { status: 'unknown', ran: 'unknown', code: 'outcome_unknown', modelMessage }
    default:
      return { status: 'unknown', ran: 'unknown', code: 'already_claimed', modelMessage }
  }
}

/** The request failed: the call does not run. */
export function blockedBy(error: unknown, tool: string): Blocked {
  if (!isCountersignError(error)) return blocked('store_unavailable', { tool })
  const { code, message } = error
  if (isUnavailable(code)) return blocked(code, { tool })
  // The server has said it in a sentence for the model already.
  const said = error.details.isSentence === true ? { modelMessage: message } : {}
  return { ...blocked(code, { tool, reason: message }), ...said }
}
