import type { Scalar } from '../../base/json/json.ts'
import { globMatches } from '../evaluate/glob.ts'
import type { Test } from '../evaluate/matcher.ts'
import { MAX_PATTERN_INPUT, type Pattern } from '../pattern/pattern.ts'

/**
 * One test of a value, asked only whether it is definitely `no`. The operation is a small number
 * and says what the operand is, so that one function without indirect calls serves all policies
 * and a probe stays small; that is most of the speed.
 */
export interface Probe {
  readonly op: number
  readonly operand: number | string | readonly string[] | MixedList | Pattern
}

/** Long lists, and lists that are not all text. */
interface MixedList {
  /** The types that occur; values of others are unknown. */
  readonly types: string
  readonly values: ReadonlySet<unknown>
}

// Named for the values that make it `no`.
const OTHER_TEXT = 1
const SAME_TEXT = 2
const IS_TRUE = 3
const IS_FALSE = 4
const AT_MOST = 5
const LESS = 6
const TEXT_NOT_LISTED = 7
const TEXT_LISTED = 8
const NOT_MATCHING = 9
const AT_LEAST = 10
const MORE = 11
const OTHER_NUMBER = 12
const SAME_NUMBER = 13
const NOT_LISTED = 14
const LISTED = 15
const OTHER_NAME = 16

/** The common ones. The engine does not take a constant that is exported for one, so those are not. */
export const OPS = {
  OTHER_TEXT,
  SAME_TEXT,
  IS_TRUE,
  IS_FALSE,
  AT_MOST,
  LESS,
  TEXT_NOT_LISTED,
  TEXT_LISTED,
  NOT_MATCHING,
} as const

/** True when `testValue` answers `no`; so never for a value that cannot be tested. */
export function saysNo({ op, operand }: Probe, value: unknown): boolean {
  switch (op) {
    case OTHER_TEXT:
      return typeof value === 'string' && value !== (operand as string)
    case SAME_TEXT:
      return typeof value === 'string' && value === (operand as string)
    case IS_TRUE:
      return value === true
    case IS_FALSE:
      return value === false
    case AT_MOST:
      return typeof value === 'number' && value <= (operand as number) && isSafe(value)
    case LESS:
      return typeof value === 'number' && value < (operand as number) && isSafe(value)
    case TEXT_NOT_LISTED:
      return typeof value === 'string' && !isListed(operand as readonly string[], value)
    case TEXT_LISTED:
      return typeof value === 'string' && isListed(operand as readonly string[], value)
    default:
      return saysNoToo(op, operand, value)
  }
}

/** The less common tests. In one function with the others it would be too large to be inlined. */
function saysNoToo(op: number, operand: Probe['operand'], value: unknown): boolean {
  switch (op) {
    case NOT_MATCHING:
      return (
        typeof value === 'string' &&
        value.length <= MAX_PATTERN_INPUT &&
        !(operand as Pattern).test(value)
      )
    case AT_LEAST:
      return typeof value === 'number' && value >= (operand as number) && isSafe(value)
    case MORE:
      return typeof value === 'number' && value > (operand as number) && isSafe(value)
    case OTHER_NUMBER:
      return typeof value === 'number' && value !== (operand as number) && isSafe(value)
    case SAME_NUMBER:
      return typeof value === 'number' && value === (operand as number) && isSafe(value)
    case NOT_LISTED:
      return canBeListed(operand as MixedList, value) && !(operand as MixedList).values.has(value)
    case LISTED:
      return canBeListed(operand as MixedList, value) && (operand as MixedList).values.has(value)
    case OTHER_NAME:
      return typeof value === 'string' && !globMatches(operand as string, value)
    default:
      return false
  }
}

/** False when `testValue` answers `unknown`. */
export function isTestable({ op, operand }: Probe, value: unknown): boolean {
  switch (op) {
    case OTHER_TEXT:
    case SAME_TEXT:
    case TEXT_NOT_LISTED:
    case TEXT_LISTED:
    case OTHER_NAME:
      return typeof value === 'string'
    case IS_TRUE:
    case IS_FALSE:
      return typeof value === 'boolean'
    case NOT_MATCHING:
      return typeof value === 'string' && value.length <= MAX_PATTERN_INPUT
    case NOT_LISTED:
    case LISTED:
      return canBeListed(operand as MixedList, value)
    default:
      return typeof value === 'number' && isSafe(value)
  }
}

// NaN and 2^60 cannot be tested. Numbers with a fraction are always inside these bounds.
export function isSafe(value: number): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}

function isListed(texts: readonly string[], value: string): boolean {
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as string
    if (text.length === value.length && text === value) return true
  }
  return false
}

function canBeListed({ types }: MixedList, value: unknown): boolean {
  return types.includes(typeof value) && (typeof value !== 'number' || isSafe(value))
}

export function probeOf(test: Test): Probe {
  switch (test.op) {
    case 'eq':
      return compares(test.value, OTHER_TEXT, OTHER_NUMBER, test.value ? IS_FALSE : IS_TRUE)
    case 'ne':
      return compares(test.value, SAME_TEXT, SAME_NUMBER, test.value ? IS_TRUE : IS_FALSE)
    case 'gt':
      return { op: AT_MOST, operand: test.value }
    case 'gte':
      return { op: LESS, operand: test.value }
    case 'lt':
      return { op: AT_LEAST, operand: test.value }
    case 'lte':
      return { op: MORE, operand: test.value }
    case 'in':
      return looksUp(test.values, TEXT_NOT_LISTED, NOT_LISTED)
    case 'not_in':
      return looksUp(test.values, TEXT_LISTED, LISTED)
    case 'pattern':
      return { op: NOT_MATCHING, operand: test.pattern }
  }
}

/** `match.agent`: a glob over a name. */
export function globProbe(glob: string): Probe {
  return { op: OTHER_NAME, operand: glob }
}

/** Worth asking last. */
export function isSlow({ op }: Probe): boolean {
  return op === NOT_MATCHING || op === OTHER_NAME
}

function compares(value: Scalar, text: number, number: number, boolean: number): Probe {
  if (typeof value === 'string') return { op: text, operand: interned(value) }
  return typeof value === 'number' ? { op: number, operand: value } : { op: boolean, operand: 0 }
}

function looksUp(list: readonly Scalar[], texts: number, mixed: number): Probe {
  const types = new Set(list.map((value) => typeof value))
  const onlyTexts = list.filter((value) => typeof value === 'string').map(interned)
  return onlyTexts.length === list.length && list.length <= 8
    ? { op: texts, operand: onlyTexts }
    : { op: mixed, operand: { types: [...types].join(' '), values: new Set(list) } }
}

/** The engine's own copy of a text: comparing with that mostly needs no look at its letters. */
export function interned(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text
}
