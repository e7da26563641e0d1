import type { PolicyAnswer } from '../approval/requirement.ts'
import { sha256 } from '../base/digest.ts'
import type { Policy } from '../policy/policy.ts'
import type { Verdict } from '../policy/verdict.ts'

/** A verdict in the words of the approval, with the name of the policy that gave it. */
export function policyAnswer(verdict: Verdict, policy: string): PolicyAnswer {
  return verdict.verdict === 'confirm' || verdict.verdict === 'approve'
    ? { verdict: verdict.verdict, requirements: verdict.requirements, terms: verdict.terms, policy }
    : { verdict: verdict.verdict, requirements: [], policy }
}

const names = new WeakMap<Policy, Promise<string>>()

/** Names a policy by what it says, so that a record tells which rules were in force. */
export function policyName(policy: Policy): Promise<string> {
  const known = names.get(policy)
  if (known !== undefined) return known
  const { owner, governance, code, called, switches, groups } = policy
  const { warnings: _warnings, tests: _tests, ...rules } = owner
  const name = sha256(
    JSON.stringify(
      [rules, governance, code, switches, groups, ...(called ? [called] : [])],
      plainly,
    ),
  )
  names.set(policy, name)
  return name
}

/** Maps as their entries; where a rule stands in its file is not what it says. */
function plainly(key: string, value: unknown): unknown {
  if (key === 'place' || key === 'file') return undefined
  return value instanceof Map ? [...value] : value
}
