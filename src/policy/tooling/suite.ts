import { isCountersignError } from '../../base/errors.ts'
import { readCall } from '../call.ts'
import type { PolicyTest } from '../document.ts'
import { evaluate } from '../evaluate/evaluate.ts'
import type { Policy } from '../policy.ts'
import { type Explanation, explain } from './explain.ts'

/** What became of one test that stands in a policy file. */
export type TestOutcome =
  | { readonly passed: true; readonly test: PolicyTest }
  | {
      readonly passed: false
      readonly test: PolicyTest
      /** One line for each expectation that was not met. */
      readonly problems: readonly string[]
      /** Absent when the call itself was refused. */
      readonly explanation?: Explanation
    }

/** Run the tests of the given files against the policy they make together. */
export function runTests(policy: Policy, tests: readonly PolicyTest[]): TestOutcome[] {
  return tests.map((test) => runTest(policy, test))
}

function runTest(policy: Policy, test: PolicyTest): TestOutcome {
  try {
    const call = readCall(test.call)
    const { verdict, message, missing } = evaluate(policy, call)
    const problems: string[] = []
    if (verdict !== test.expect) problems.push(`expected ${test.expect}, got ${verdict}`)
    if (test.message !== undefined && test.message !== message) {
      problems.push(
        `expected the message ${JSON.stringify(test.message)}, got ${JSON.stringify(message)}`,
      )
    }
    if (test.missing && JSON.stringify(test.missing) !== JSON.stringify(missing)) {
      problems.push(
        `expected missing ${JSON.stringify(test.missing)}, got ${JSON.stringify(missing)}`,
      )
    }
    if (problems.length === 0) return { passed: true, test }
    return { passed: false, test, problems, explanation: explain(policy, call) }
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return { passed: false, test, problems: [`the call is refused: ${error.message}`] }
  }
}
