import { RE2JS } from 're2js'
import type { Call, Condition, ConditionGroup, Json, Matcher, Operators } from './documents.ts'
import { pathSegments, valueAt } from './paths.ts'

/** Kleene's three answers. */
export type Answer = 'yes' | 'no' | 'unknown'

export function allOf(answers: Answer[]): Answer {
  if (answers.includes('no')) return 'no'
  if (answers.includes('unknown')) return 'unknown'
  return 'yes'
}

export function anyOf(answers: Answer[]): Answer {
  if (answers.includes('yes')) return 'yes'
  if (answers.includes('unknown')) return 'unknown'
  return 'no'
}

function yesIf(truth: boolean): Answer {
  return truth ? 'yes' : 'no'
}

/** One matcher against one value; a missing value is undefined. */
export function matcherAnswer(matcher: Matcher, value: Json | undefined): Answer {
  if (typeof matcher !== 'object') {
    if (typeof value !== typeof matcher) return 'unknown'
    return yesIf(value === matcher)
  }
  return allOf(operatorAnswers(matcher, value))
}

function operatorAnswers(operators: Operators, value: Json | undefined): Answer[] {
  const { gt, gte, lt, lte, ne, pattern } = operators
  const members = operators.in
  const strangers = operators.not_in
  const answers: Answer[] = []
  const number = typeof value === 'number' ? value : undefined

  if (gt !== undefined) answers.push(number === undefined ? 'unknown' : yesIf(number > gt))
  if (gte !== undefined) answers.push(number === undefined ? 'unknown' : yesIf(number >= gte))
  if (lt !== undefined) answers.push(number === undefined ? 'unknown' : yesIf(number < lt))
  if (lte !== undefined) answers.push(number === undefined ? 'unknown' : yesIf(number <= lte))
  if (ne !== undefined) {
    answers.push(typeof value === typeof ne ? yesIf(value !== ne) : 'unknown')
  }
  if (members !== undefined) {
    const comparable = members.some((member) => typeof member === typeof value)
    answers.push(comparable ? yesIf(members.some((member) => member === value)) : 'unknown')
  }
  if (strangers !== undefined) {
    const comparable = strangers.some((stranger) => typeof stranger === typeof value)
    answers.push(comparable ? yesIf(!strangers.some((member) => member === value)) : 'unknown')
  }
  if (pattern !== undefined) {
    const searchable = typeof value === 'string' && value.length <= 8192
    answers.push(searchable ? yesIf(patternFor(pattern).matcher(value).find()) : 'unknown')
  }
  return answers
}

const patterns = new Map<string, RE2JS>()

// Kept between calls only because compiling one costs more than everything else here together.
function patternFor(text: string): RE2JS {
  const known = patterns.get(text)
  if (known !== undefined) return known
  const compiled = RE2JS.compile(text)
  patterns.set(text, compiled)
  return compiled
}

/** The value a condition path names in this call. */
export function argumentAt(path: string, call: Call): Json | undefined {
  const segments = pathSegments(path)
  if (segments[0] === 'parent' && segments[1] === 'input') {
    return call.kind === 'agent' ? valueAt(call.parent?.input, segments.slice(2)) : undefined
  }
  return valueAt(call.args, segments)
}

export function groupAnswer(group: ConditionGroup, call: Call): Answer {
  const matchers = Object.entries(group.args_match ?? {})
  return allOf(matchers.map(([path, matcher]) => matcherAnswer(matcher, argumentAt(path, call))))
}

/** The answer, and what to add to the rule's name so that it says which group gave it. */
export function conditionAnswer(
  condition: Condition | undefined,
  call: Call,
): { answer: Answer; suffix: string } {
  if (condition === undefined) return { answer: 'yes', suffix: '' }
  if (!Array.isArray(condition)) {
    return { answer: groupAnswer(condition, call), suffix: '.condition' }
  }
  const answers = condition.map((group) => groupAnswer(group, call))
  const answer = anyOf(answers)
  return { answer, suffix: `.condition[${answers.indexOf(answer)}]` }
}
