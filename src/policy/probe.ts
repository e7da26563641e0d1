import type { Scalar } from '../base/json.ts'
import { globMatches } from './glob.ts'
import type { Test } from './matcher.ts'
import { MAX_PATTERN_INPUT, type Pattern } from './pattern.ts'

/**
 * One test of one value, asked only whether it is definitely `no`. All probes have the same shape
 * and their operation is a small number, so that one function without indirect calls serves all
 * policies; that is most of the speed.
 */
export interface Probe {
  /** Groups of tests, as bits, that are refuted when it says no. */
  readonly closes: number
  readonly op: number
  readonly number: number
  readonly text: string
  readonly texts: readonly string[]
  readonly values: ReadonlySet<unknown>
  readonly pattern: Pattern | undefined
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

/** True when `testValue` answers `no`. Never for a value that cannot be tested. */
export function saysNo(probe: Probe, value: unknown): boolean {
  switch (probe.op) {
    case OTHER_TEXT:
      return typeof value === 'string' && value !== probe.text
    case SAME_TEXT:
      return typeof value === 'string' && value === probe.text
    case IS_TRUE:
      return value === true
    case IS_FALSE:
      return value === false
    case AT_MOST:
      return typeof value === 'number' && value <= probe.number && isSafe(value)
    case LESS:
      return typeof value === 'number' && value < probe.number && isSafe(value)
    case TEXT_NOT_LISTED:
      return typeof value === 'string' && !isListed(probe.texts, value)
    case TEXT_LISTED:
      return typeof value === 'string' && isListed(probe.texts, value)
    default:
      return saysNoToo(probe, value)
  }
}

/** The less common tests: a large function would not be inlined where it is called. */
function saysNoToo(probe: Probe, value: unknown): boolean {
  switch (probe.op) {
    case NOT_MATCHING:
      return (
        typeof value === 'string' &&
        value.length <= MAX_PATTERN_INPUT &&
        probe.pattern !== undefined &&
        !probe.pattern.test(value)
      )
    case AT_LEAST:
      return typeof value === 'number' && value >= probe.number && isSafe(value)
    case MORE:
      return typeof value === 'number' && value > probe.number && isSafe(value)
    case OTHER_NUMBER:
      return typeof value === 'number' && value !== probe.number && isSafe(value)
    case SAME_NUMBER:
      return typeof value === 'number' && value === probe.number && isSafe(value)
    case NOT_LISTED:
      return canBeListed(probe, value) && !probe.values.has(value)
    case LISTED:
      return canBeListed(probe, value) && probe.values.has(value)
    case OTHER_NAME:
      return typeof value === 'string' && !globMatches(probe.text, value)
    default:
      return false
  }
}

// NaN and 2^60 cannot be tested. Numbers with a fraction are always inside these bounds.
function isSafe(value: number): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}

function isListed(texts: readonly string[], value: string): boolean {
  for (let index = 0; index < texts.length; index++) if (texts[index] === value) return true
  return false
}

/** Lists that are long or not all text. `text` names the types in it: others are unknown. */
function canBeListed({ text }: Probe, value: unknown): boolean {
  return text.includes(typeof value) && (typeof value !== 'number' || isSafe(value))
}

export function probeOf(test: Test, closes: number): Probe {
  switch (test.op) {
    case 'eq':
      return compares(closes, test.value, OTHER_TEXT, OTHER_NUMBER, test.value ? IS_FALSE : IS_TRUE)
    case 'ne':
      return compares(closes, test.value, SAME_TEXT, SAME_NUMBER, test.value ? IS_TRUE : IS_FALSE)
    case 'gt':
      return probe(closes, AT_MOST, { number: test.value })
    case 'gte':
      return probe(closes, LESS, { number: test.value })
    case 'lt':
      return probe(closes, AT_LEAST, { number: test.value })
    case 'lte':
      return probe(closes, MORE, { number: test.value })
    case 'in':
      return looksUp(closes, test.values, TEXT_NOT_LISTED, NOT_LISTED)
    case 'not_in':
      return looksUp(closes, test.values, TEXT_LISTED, LISTED)
    case 'pattern':
      return probe(closes, NOT_MATCHING, { pattern: test.pattern })
  }
}

/** `match.agent`: a glob over a name. */
export function globProbe(glob: string, closes: number): Probe {
  return probe(closes, OTHER_NAME, { text: glob })
}

function compares(
  closes: number,
  value: Scalar,
  text: number,
  number: number,
  boolean: number,
): Probe {
  if (typeof value === 'string') return probe(closes, text, { text: interned(value) })
  return typeof value === 'number'
    ? probe(closes, number, { number: value })
    : probe(closes, boolean, {})
}

function looksUp(closes: number, list: readonly Scalar[], texts: number, mixed: number): Probe {
  const values = new Set<unknown>(list)
  const types = [...new Set(list.map((value) => typeof value))]
  const onlyTexts = list.filter((value) => typeof value === 'string').map(interned)
  // Long lists are searched by hash.
  return onlyTexts.length === list.length && list.length <= 8
    ? probe(closes, texts, { texts: onlyTexts })
    : probe(closes, mixed, { text: types.join(' '), values })
}

const NONE = {
  number: 0.5,
  text: '',
  texts: [],
  values: new Set(),
  pattern: undefined,
}

function probe(closes: number, op: number, operand: Partial<Probe>): Probe {
  const { number, text, texts, values, pattern } = { ...NONE, ...operand }
  return { closes, op, number, text, texts, values, pattern }
}

/** The engine's own copy of a text: comparing with that mostly needs no look at its letters. */
export function interned(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text
}
