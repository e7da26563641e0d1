import type { ReplayedCall } from '../../gate/admin/policy-replay.ts'
import type { RecordedCall } from '../../gate/admin/recorded-calls.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Policy } from '../../policy/policy.ts'
import type { RuleSubject } from '../../policy/rules/rule-wish.ts'
import type { TestWish } from '../../policy/rules/write-rule.ts'

const MOST = 4
const LONGEST = 2_000
/** Letters, digits and what a keyboard types: a policy file refuses what an editor hides. */
const PLAIN = /^[\p{L}\p{N}\x20-\x7e]*$/u

/**
 * Tests for the file: the call itself, and examples of the same tool that get different verdicts.
 * A call with a hidden value is left out: the file would hold its mask, and the test would lie.
 */
export function testsFrom(
  policy: Policy,
  { tool, server }: RuleSubject,
  recorded: RecordedCall,
  examples: readonly ReplayedCall[],
): TestWish[] {
  const same = examples.filter(({ recorded: { approval } }) => {
    return approval.call.tool === tool && approval.call.server === server
  })
  const candidates = [recorded, ...same.map((one) => one.recorded)].filter(isPlain)
  const seen = new Set<string>()
  return candidates
    .map((one) => testFrom(policy, one))
    .filter(({ expect, call }, nth) => {
      const key = nth === 0 ? JSON.stringify(call) : expect
      const isNew = !seen.has(key) && !(nth > 0 && seen.has(JSON.stringify(call)))
      seen.add(key)
      seen.add(expect)
      return isNew
    })
    .slice(0, MOST)
}

function isPlain({ call, masked }: RecordedCall): boolean {
  const text = JSON.stringify(call.args)
  return masked.length === 0 && text.length <= LONGEST && PLAIN.test(text)
}

/** The verdict of the files alone: that is what `policy test` asks. */
function testFrom(policy: Policy, { call, approval }: RecordedCall): TestWish {
  const { kind, tool, server, risk } = call
  const tested = {
    ...(kind === undefined || kind === 'tool' ? {} : { kind }),
    tool,
    ...(server === undefined ? {} : { server }),
    ...(risk === undefined ? {} : { risk }),
    args: call.args,
  }
  const { verdict } = evaluate(policy, { ...tested, args: call.args })
  return { name: `${tool}, from approval ${approval.id}`, call: tested, expect: verdict }
}
