import type { Call } from '../base/call.ts'
import { MASK, maskPaths } from '../base/mask.ts'
import type { Clause, Finding } from './condition.ts'
import { secretPaths } from './declared.ts'
import { verdictFrom } from './evaluate.ts'
import { judge, type Looked } from './judge.ts'
import { showMatcher } from './matcher.ts'
import { ANNOTATED, type SettledMode } from './mode.ts'
import { liesUnder, readPath } from './path.ts'
import type { Policy } from './policy.ts'
import { type Verdict, WORDS } from './verdict.ts'

/** A verdict together with every rule that was looked at and the values it saw. */
export interface Explanation {
  readonly verdict: Verdict
  readonly risk: string | undefined
  readonly rules: readonly ExplainedRule[]
  /** Governance rules that do not concern this call. */
  readonly unmatched: number
}

export interface ExplainedRule {
  readonly source: string
  readonly rule: string
  /** `countersign.yaml:12:5`, where the rule stands in a file. */
  readonly place: string | undefined
  readonly answer: string
  /** The verdict this rule asks for; `allow` when it does not object. */
  readonly asks: string
  readonly why: string | undefined
  readonly values: readonly ExplainedValue[]
}

export interface ExplainedValue {
  /** Which of several condition groups; they are ORed. */
  readonly group: number
  readonly path: string
  readonly wanted: string
  readonly saw: string
  readonly answer: string
}

export function explain(policy: Policy, call: Call, mode: SettledMode = ANNOTATED): Explanation {
  const judgement = judge(policy, call, mode)
  return {
    verdict: verdictFrom(policy, call, judgement),
    risk: judgement.risk,
    rules: judgement.looked.map((looked) => explainRule(looked, policy, call)),
    unmatched: judgement.unmatched,
  }
}

function explainRule(looked: Looked, policy: Policy, call: Call): ExplainedRule {
  const { source, rule, place, answer, level, why, findings } = looked
  return {
    source,
    rule,
    place: place && place.line > 0 ? `${place.file}:${place.line}:${place.column}` : undefined,
    answer,
    asks: WORDS[level] ?? 'deny',
    why,
    values: findings.flatMap((group, index) =>
      group.map((finding) => explainValue(finding, index, policy, call)),
    ),
  }
}

function explainValue(
  { clause, value, answer }: Finding,
  group: number,
  policy: Policy,
  call: Call,
): ExplainedValue {
  return {
    group,
    path: clause.path.text,
    wanted: showMatcher(clause.matcher),
    saw: show(clause.root === 'args' ? visible(clause, value, policy, call) : value),
    answer,
  }
}

/** The value without its secrets: hidden whole, or with the hidden parts replaced. */
function visible(clause: Clause, value: unknown, policy: Policy, call: Call): unknown {
  const secrets = secretPaths(policy, call)
  if (value === undefined || secrets.length === 0) return value
  if (secrets.some((secret) => liesUnder(clause.path, secret))) return MASK
  return readPath(maskPaths(call.args, secrets), clause.keys)
}

const LONGEST = 200

function show(value: unknown): string {
  if (value === undefined) return 'missing'
  try {
    const text = JSON.stringify(value) ?? String(value)
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
  } catch {
    return `a ${typeof value} that cannot be shown`
  }
}
