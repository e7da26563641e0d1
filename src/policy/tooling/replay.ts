import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { readCall } from '../call.ts'
import { evaluate } from '../evaluate/evaluate.ts'
import type { Verdict } from '../evaluate/verdict.ts'
import type { Policy } from '../policy.ts'

/** One line of `policy replay`. Names and order are a contract with other programs. */
export type Replayed =
  | ({ readonly index: number } & Pick<Verdict, 'verdict' | 'message' | 'missing' | 'reasons'>)
  | { readonly index: number; readonly error: { readonly code: string; readonly message: string } }

/** Evaluate one line of a recording. `parse` reads strict JSON and throws our own errors. */
export function replayLine(
  policy: Policy,
  index: number,
  line: string,
  parse: (text: string) => unknown,
): Replayed {
  try {
    const { verdict, message, missing, reasons } = evaluate(policy, readCall(parse(line)))
    return { index, verdict, message, missing, reasons }
  } catch (error) {
    const known = isCountersignError(error)
      ? error
      : new CountersignError('internal', 'this line could not be evaluated', { cause: error })
    return { index, error: { code: known.code, message: known.message } }
  }
}
