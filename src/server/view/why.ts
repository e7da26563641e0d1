import type { WhyAsked } from '../../api/approval.ts'
import type { Call } from '../../base/call.ts'
import type { Secrecy } from '../../base/secrets/mask.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import type { Policy } from '../../policy/policy.ts'
import { type ExplainedRule, explain } from '../../policy/tooling/explain.ts'

export interface AskedBy {
  readonly source: string
  readonly rule: string
  readonly level: 'confirm' | 'review'
}

export interface WhyParts {
  readonly policy: Policy
  /** The call as it would run now. */
  readonly call: Call | undefined
  readonly secrecy: Secrecy
  /** Every rule that asked, as the approval remembers them. */
  readonly requirements: readonly AskedBy[]
  /** Whether the policy that asked is the one in force. */
  readonly isSamePolicy: boolean
}

/**
 * Which rules asked, and what they saw. The rules are those of the record; the values come from
 * looking at the stored call again, which gives the same as long as the policy is the same. Where
 * it is not, the entry says so.
 */
export function whyAsked(parts: WhyParts): WhyAsked[] {
  const { policy, call, secrecy, requirements, isSamePolicy } = parts
  const rules = call ? explain(policy, call, ANNOTATED, secrecy).rules : []
  return requirements.map(({ source, rule, level }) => {
    const found = rules.find((one) => one.source === source && one.rule === rule)
    return {
      source,
      rule,
      ...(found?.place === undefined ? {} : { place: found.place }),
      asks: level,
      answer: found?.answer === 'unknown' ? 'unknown' : 'yes',
      values: found ? valuesOf(found) : [],
      ...(isSamePolicy && found ? {} : { stale: true as const }),
    }
  })
}

function valuesOf({ values }: ExplainedRule): WhyAsked['values'] {
  return values.map(({ path, wanted, saw, answer }) => ({
    path,
    wanted,
    saw,
    answer: answer === 'yes' || answer === 'no' ? answer : 'unknown',
  }))
}
