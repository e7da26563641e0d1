import type { Blocked, Outcome } from '../../gate/outcome.ts'
import { DENIED_BY_MODE } from '../../policy/evaluate/mode.ts'
import { failureOf } from '../failure.ts'
import { REJECTED } from './confirmation.ts'

/** What stands in the function response: the tool's result, or why there is none. */
export function responseOf(outcome: Outcome): unknown {
  switch (outcome.status) {
    case 'succeeded': {
      const { modelMessage: message, result } = outcome
      if (message === undefined) return result
      return result === undefined ? { message } : { message, result }
    }
    case 'failed':
      throw failureOf(outcome)
    case 'blocked':
      return refusalOf(outcome)
    default:
      return { error: outcome.modelMessage }
  }
}

function refusalOf(outcome: Blocked): object {
  switch (outcome.code) {
    case 'denied':
      return isBareNo(outcome) ? REJECTED : { ...REJECTED, message: outcome.modelMessage }
    case 'denied_by_mode':
      // The sentence of this mode is JSON: here it is the response itself.
      return DENIED_BY_MODE
    default:
      return { error: outcome.modelMessage }
  }
}

/** Said in the conversation itself, and without a word more: then the ADK's own words say it all. */
function isBareNo({ approval, answer }: Blocked): boolean {
  const last = approval?.decisions.at(-1)
  return last?.by.assurance === 'chat' && !last.reasoned && answer === undefined
}
