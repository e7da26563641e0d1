import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { MASK, type Masked, mask, type Secrecy } from '../../base/secrets/mask.ts'
import type { ReasonPresets } from '../document.ts'
import type { Clause, Finding } from '../evaluate/condition.ts'
import { shownArguments } from '../evaluate/declared.ts'
import { verdictFrom } from '../evaluate/evaluate.ts'
import { judge, type Looked } from '../evaluate/judge.ts'
import { showMatcher } from '../evaluate/matcher.ts'
import { ANNOTATED, type SettledMode } from '../evaluate/mode.ts'
import { readPath } from '../evaluate/path.ts'
import { type Verdict, WORDS } from '../evaluate/verdict.ts'
import type { Policy } from '../policy.ts'
import { lookedWords } from '../words/looked-words.ts'
import { matcherWords, type PlainTest, plainTest } from '../words/matcher-words.ts'

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
  /** The rule for people: `asks when amount is over 10,000`. */
  readonly words: string
  /** `countersign.yaml:12:5`, where the rule stands in a file. */
  readonly place: string | undefined
  readonly answer: string
  /** The verdict this rule asks for; `allow` when it does not object. */
  readonly asks: string
  readonly why: string | undefined
  readonly values: readonly ExplainedValue[]
  /** Reasons that the owner offers to those who decide. */
  readonly reasons?: ReasonPresets
}

export interface ExplainedValue {
  /** Which of several condition groups; they are ORed. */
  readonly group: number
  readonly path: string
  readonly wanted: string
  /** The same for people: `is over 10,000`. */
  readonly words: string
  /** The same without words. */
  readonly tests: readonly PlainTest[]
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
    rules: [...rulesOf(judgement.looked, policy, call, secrecy), ...unasked(policy)],
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
  const words = 'asks because this decision point could not be asked'
  return [
    ...rulesOf(judge(policy, call, mode).looked, policy, call, secrecy),
    // One that is a reason for a question failed: otherwise it denies, or has nothing against the call.
    ...unasked(policy).map((one) => ({ ...one, answer: 'unknown', words })),
  ]
}

/** Explaining asks nothing over the network. */
function unasked({ pdps }: Policy): readonly ExplainedRule[] {
  return pdps.map(({ rule, place }) => ({
    source: 'pdp',
    rule,
    place: `${place.file}:${place.line}:${place.column}`,
    answer: 'no',
    asks: 'allow',
    words: 'is asked about every call, and can only tighten',
    why: 'not asked here: when the call is made, this decision point can deny it',
    values: [],
  }))
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
  return looked.map((one) => explainRule(one, policy, shown))
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

function explainRule(looked: Looked, policy: Policy, shown: Shown): ExplainedRule {
  const { source, rule, place, answer, level, why, findings, ask, worded } = looked
  // Words of a remote agent are not put into people's mouths.
  const reasons = worded === 'agent' ? undefined : ask?.reasons
  return {
    source,
    rule,
    words: lookedWords(looked, policy),
    place: place && place.line > 0 ? `${place.file}:${place.line}:${place.column}` : undefined,
    answer,
    asks: WORDS[level] ?? 'deny',
    why,
    values: findings.flatMap((group, index) =>
      group.map((finding) => explainValue(finding, index, shown)),
    ),
    ...(reasons === undefined ? {} : { reasons }),
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
    tests: clause.matcher.map(plainTest),
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
