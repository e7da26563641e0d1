import type { Outcome } from '../gate/outcome.ts'
import { failureOf } from './failure.ts'

/**
 * What a tool gives the model where the SDK has one place for both: the result, or the sentence.
 * Where people changed the arguments the result comes with that sentence, as text.
 */
export function resultOrSentence<R>(outcome: Outcome<R>): R | string {
  switch (outcome.status) {
    case 'succeeded': {
      const { modelMessage, result } = outcome
      return modelMessage === undefined ? result : noted(modelMessage, result)
    }
    case 'failed':
      throw failureOf(outcome)
    default:
      return outcome.modelMessage
  }
}

function noted(message: string, result: unknown): string {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return text === undefined ? message : `${message}\n${text}`
}
