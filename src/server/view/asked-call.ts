import type { ApprovalCard } from '../../api/approval.ts'
import type { WhyAsked } from '../../api/words/why-asked.ts'
import type { Call } from '../../base/call.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { Json } from '../../base/json/json.ts'
import type { Secrecy, SecretPath } from '../../base/secrets/mask.ts'
import {
  hiddenTexts,
  hiddenWhole,
  longestFirst,
  type View,
  viewNow,
} from '../../gate/content/arguments.ts'
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
  const before = asked && viewNow({ policy, schema, ...asked })
  const taken = asked && before ? hiddenTexts(asked.call.args, before.masked) : []
  return {
    text: canonicalJson(value),
    bytes: Buffer.byteLength(canonicalJson(now.call.args)),
    masked,
    paths: hiddenWhole(shown),
    // What people wrote before an edit may quote what the edit took out.
    hidden: longestFirst([...hiddenTexts(now.call.args, masked), ...taken]),
    asked: before && canonicalJson(before.value),
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
export function whyAsked(parts: WhyParts): Why {
  const { policy, call, secrecy, requirements, isSamePolicy } = parts
  const rules = call ? explainRules(policy, call, ANNOTATED, secrecy) : []
  const why = requirements.map(({ source, rule, level }): WhyAsked => {
    const found = rules.find((one) => one.source === source && one.rule === rule)
    return {
      source,
      rule,
      ...(found ? { words: found.words } : {}),
      ...(found?.place === undefined ? {} : { place: found.place }),
      asks: level,
      answer: found?.answer === 'unknown' ? 'unknown' : 'yes',
      values: found ? valuesOf(found) : [],
      ...(isSamePolicy && found ? {} : { stale: true as const }),
    }
  })
  const asked = rules.filter((one) =>
    requirements.some(({ source, rule }) => one.source === source && one.rule === rule),
  )
  return { why, reasons: reasonsOf(asked) }
}

interface Why {
  readonly why: readonly WhyAsked[]
  readonly reasons: ApprovalCard['reasons']
}

const MOST_REASONS = 9

/** Of all rules that asked, in their order: as the policy offers them now. */
function reasonsOf(rules: readonly ExplainedRule[]): ApprovalCard['reasons'] {
  const all = (kind: 'deny' | 'approve') =>
    [...new Set(rules.flatMap(({ reasons }) => reasons?.[kind] ?? []))].slice(0, MOST_REASONS)
  const [deny, approve] = [all('deny'), all('approve')]
  if (deny.length + approve.length === 0) return undefined
  return {
    ...(deny.length === 0 ? {} : { deny }),
    ...(approve.length === 0 ? {} : { approve }),
  }
}

function valuesOf({ values }: ExplainedRule): WhyAsked['values'] {
  return values.map(({ path, wanted, words, tests, saw, answer }) => ({
    path,
    wanted,
    words,
    tests,
    saw,
    answer: answer === 'yes' || answer === 'no' ? answer : 'unknown',
  }))
}
