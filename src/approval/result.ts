import { isCountersignError } from '../base/errors.ts'
import { canonicalJson, freshParse } from '../base/json/canonical.ts'
import type { Json } from '../base/json/json.ts'
import type { Execution } from './approval.ts'
import type { Finish } from './command.ts'

const RESULT_LIMITS = { depth: 64, bytes: 262_144 }

/**
 * The result as it may be kept. A result that is too large or not JSON is left out; the outcome is
 * recorded all the same, because forgetting that a call ran would be worse.
 */
export function resultOf({ result, drop }: Finish): {
  readonly value?: Json
  readonly noResult?: Execution['noResult']
} {
  if (drop) return { noResult: 'dropped' }
  if (result === undefined) return {}
  try {
    return { value: freshParse(canonicalJson(result, RESULT_LIMITS)) }
  } catch (error) {
    return { noResult: isCountersignError(error, 'too_large') ? 'too_large' : 'invalid' }
  }
}
