import type { Outcome } from '../../gate/outcome.ts'
import { DENIED_BY_MODE } from '../../policy/mode.ts'
import { failureOf } from '../failure.ts'
import { REJECTED } from './confirmation.ts'

/** What the gate says where a mode denies everything: JSON, which is the response itself here. */
const DENIED = JSON.stringify(DENIED_BY_MODE)

/** What stands in the function response: the tool's result, or why there is none. */
export function responseOf(outcome: Outcome): unknown {
  switch (outcome.status) {
    case 'succeeded': {
      const { message, result } = outcome
      if (message === undefined) return result
      return result === undefined ? { message } : { message, result }
    }
    case 'failed':
      throw failureOf(outcome)
    case 'denied':
      return isBareNo(outcome) ? REJECTED : { ...REJECTED, message: outcome.message }
    default:
      return outcome.status === 'policy' && outcome.message === DENIED
        ? DENIED_BY_MODE
        : { error: outcome.message }
  }
}

/** Said in the conversation itself, and without a word more: then the ADK's own words say it all. */
function isBareNo({ approval, answer }: { approval?: Outcome['approval']; answer?: string }) {
  const last = approval?.decisions.at(-1)
  return last?.by.assurance === 'chat' && !last.reasoned && answer === undefined
}
