import type { WhyAsked } from '../../api/approval.ts'
import type { Call } from '../../base/call.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { Json } from '../../base/json/json.ts'
import type { Secrecy, SecretPath } from '../../base/secrets/mask.ts'
import { hiddenTexts, hiddenWhole, type View, viewNow } from '../../gate/content/arguments.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import type { Policy } from '../../policy/policy.ts'
import { type ExplainedRule, explainRules } from '../../policy/tooling/explain.ts'

/** Arguments as a person may see them. */
export interface MaskedArguments {
  /** Canonical JSON of the bound bytes, secrets replaced; empty when they are no longer kept. */
  readonly text: string
  /** Bytes before masking. */
  readonly bytes: number
  readonly masked: readonly (readonly string[])[]
  /** As the agent asked, where an approver edited them. */
  readonly asked: string | undefined
  /** What was hidden whole, to hide it in what rules saw as well. */
  readonly paths: readonly SecretPath[]
  /** The secrets themselves, for taking them out of what is shown beside. Never shown. */
  readonly hidden: readonly string[]
}

/** One version of the arguments, and how they were shown when it was asked about. */
export interface Version {
  readonly call: Call
  readonly view: View | undefined
}

export interface Bound {
  readonly policy: Policy
  readonly schema: Json | undefined
  /** What would run; undefined when it was erased. */
  readonly now: Version | undefined
  /** What the agent asked for, where it was edited. */
  readonly asked: Version | undefined
}

export function maskedArguments({ policy, schema, now, asked }: Bound): MaskedArguments {
  if (now === undefined)
    return { text: '', bytes: 0, masked: [], asked: undefined, hidden: [], paths: [] }
  const shown = viewNow({ policy, schema, ...now })
  const { value, masked } = shown
  return {
    text: canonicalJson(value),
    bytes: Buffer.byteLength(canonicalJson(now.call.args)),
    masked,
    paths: hiddenWhole(shown),
    hidden: hiddenTexts(now.call.args, masked),
    asked: asked && canonicalJson(viewNow({ policy, schema, ...asked }).value),
  }
}

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
  const rules = call ? explainRules(policy, call, ANNOTATED, secrecy) : []
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
  return values.map(({ path, wanted, words, saw, answer }) => ({
    path,
    wanted,
    words,
    saw,
    answer: answer === 'yes' || answer === 'no' ? answer : 'unknown',
  }))
}
