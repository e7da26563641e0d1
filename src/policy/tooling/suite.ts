import type { Call, Risk } from '../../base/call.ts'
import { isCountersignError } from '../../base/errors.ts'
import { readCall } from '../call.ts'
import type { PolicyTest } from '../document.ts'
import { evaluate } from '../evaluate/evaluate.ts'
import { notifyRuleFor } from '../evaluate/notify-rule.ts'
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

function toldProblems(
  policy: Policy,
  call: Call,
  { group, by, atOnce }: NonNullable<PolicyTest['told']>,
): string[] {
  const { tool, server } = call
  // As the gate rates it: a call that claims to be harmless is not believed.
  const risk = explain(policy, call).risk as Risk | undefined
  const groups = group === undefined ? [] : [group]
  const rule = notifyRuleFor(policy.owner.notify, { tool, server, risk, groups })
  const [channels, now] = [rule?.channels ?? [], rule?.atOnce ?? false]
  return [
    ...(by && JSON.stringify(by) !== JSON.stringify(channels)
      ? [`expected to be told by ${JSON.stringify(by)}, got ${JSON.stringify(channels)}`]
      : []),
    ...(atOnce !== undefined && atOnce !== now ? [`expected at_once ${atOnce}, got ${now}`] : []),
  ]
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
    if (test.told) problems.push(...toldProblems(policy, call, test.told))
    if (problems.length === 0) return { passed: true, test }
    return { passed: false, test, problems, explanation: explain(policy, call) }
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return { passed: false, test, problems: [`the call is refused: ${error.message}`] }
  }
}
