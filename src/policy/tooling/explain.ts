import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { MASK, type Masked, mask, type Secrecy } from '../../base/secrets/mask.ts'
import type { Clause, Finding } from '../evaluate/condition.ts'
import { shownArguments } from '../evaluate/declared.ts'
import { verdictFrom } from '../evaluate/evaluate.ts'
import { judge, type Looked } from '../evaluate/judge.ts'
import { showMatcher } from '../evaluate/matcher.ts'
import { matcherWords } from '../evaluate/matcher-words.ts'
import { ANNOTATED, type SettledMode } from '../evaluate/mode.ts'
import { readPath } from '../evaluate/path.ts'
import { type Verdict, WORDS } from '../evaluate/verdict.ts'
import type { Policy } from '../policy.ts'

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
  /** The same for people: `is over 1000`. */
  readonly words: string
  readonly saw: string
  readonly answer: string
}

/** Nothing in it shows a secret. `secrecy`: what is known of them besides the policy. */
export function explain(
  policy: Policy,
  call: Call,
  mode: SettledMode = ANNOTATED,
  secrecy?: Secrecy,
): Explanation {
  const judgement = judge(policy, call, mode)
  return {
    verdict: verdictFrom(policy, call, judgement, secrecy),
    risk: judgement.risk,
    rules: rulesOf(judgement.looked, policy, call, secrecy),
    unmatched: judgement.unmatched,
  }
}

/** The rules of an explanation alone, for a call whose verdict is known. */
export function explainRules(
  policy: Policy,
  call: Call,
  mode: SettledMode,
  secrecy: Secrecy,
): readonly ExplainedRule[] {
  return rulesOf(judge(policy, call, mode).looked, policy, call, secrecy)
}

function rulesOf(
  looked: readonly Looked[],
  policy: Policy,
  call: Call,
  secrecy: Secrecy | undefined,
): readonly ExplainedRule[] {
  const shown: Shown = {
    args: orNothing(() => shownArguments(policy, call, secrecy)),
    parent: orNothing(() => mask(call.parent?.input)),
  }
  return looked.map((one) => explainRule(one, shown))
}

/** What cannot be read cannot be masked, so all of it is. */
function orNothing(read: () => Masked<JsonObject | undefined>): Masked<JsonObject | undefined> {
  try {
    return read()
  } catch {
    return { value: undefined, masked: [[]] }
  }
}

type Shown = Readonly<Record<Clause['root'], Masked<JsonObject | undefined>>>

function explainRule(looked: Looked, shown: Shown): ExplainedRule {
  const { source, rule, place, answer, level, why, findings } = looked
  return {
    source,
    rule,
    place: place && place.line > 0 ? `${place.file}:${place.line}:${place.column}` : undefined,
    answer,
    asks: WORDS[level] ?? 'deny',
    why,
    values: findings.flatMap((group, index) =>
      group.map((finding) => explainValue(finding, index, shown)),
    ),
  }
}

function explainValue(
  { clause, value, answer }: Finding,
  group: number,
  shown: Shown,
): ExplainedValue {
  return {
    group,
    path: clause.path.text,
    wanted: showMatcher(clause.matcher),
    words: matcherWords(clause.matcher),
    saw: show(value === undefined ? undefined : visible(clause, shown[clause.root])),
    answer,
  }
}

/** The value without its secrets: hidden whole, or with the hidden parts replaced. */
function visible({ keys }: Clause, { value, masked }: Masked<JsonObject | undefined>): unknown {
  const isInside = masked.some(
    (hidden) => hidden.length < keys.length && hidden.every((key, index) => keys[index] === key),
  )
  return isInside ? MASK : readPath(value, keys)
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
