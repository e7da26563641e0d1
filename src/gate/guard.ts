import type { Outcome } from './outcome.ts'

/**
 * What a guarded tool gives back: the tool's result, or the sentence for the model. Where people
 * changed the arguments the model must know, so the result comes with that sentence as text.
 */
export function resultOrSentence<R>(outcome: Outcome<R>): R | string {
  switch (outcome.status) {
    case 'succeeded':
      return outcome.message === undefined ? outcome.result : noted(outcome.message, outcome.result)
    case 'failed':
      throw outcome.error
    default:
      return outcome.message
  }
}

function noted(message: string, result: unknown): string {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return text === undefined ? message : `${message}\n${text}`
}
