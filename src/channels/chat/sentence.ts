import { CountersignError, isCountersignError } from '../../base/errors.ts'

const LONGEST = 600

/** The gate's own sentence. What any other error says may hold anything. */
export function sentenceOf(error: unknown, unanswered: string): string {
  if (!isCountersignError(error) || error.code === 'internal') return unanswered
  const { message, hint } = error
  const says = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  const ended = /[.!?…]$/.test(says) ? says : `${says}.`
  return `${ended}${hint === undefined ? '' : ` ${hint}`}`.slice(0, LONGEST)
}

/** An answer that names another call, another account, or no answer at all. */
export function unfitting(): CountersignError {
  return new CountersignError('invalid_value', 'This answer does not fit the call. Look again.')
}
