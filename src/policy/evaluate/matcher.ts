import { isSafeNumber } from '../../base/json/canonical.ts'
import type { Scalar } from '../../base/json/json.ts'
import { MAX_PATTERN_INPUT, type Pattern } from '../pattern/pattern.ts'
import { type Answer, answered, every } from './answer.ts'

/** One test of one value. A matcher in a file is a list of these, all of which must hold. */
export type Test =
  | { readonly op: 'eq' | 'ne'; readonly value: Scalar }
  | { readonly op: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: number }
  | { readonly op: 'in' | 'not_in'; readonly values: readonly Scalar[] }
  | { readonly op: 'pattern'; readonly pattern: Pattern }

export type Matcher = readonly Test[]

export const OPERATORS = ['gt', 'gte', 'lt', 'lte', 'ne', 'in', 'not_in', 'pattern'] as const

/** `{}` holds for everything, a missing value too. */
export function matchValue(matcher: Matcher, value: unknown): Answer {
  return every(matcher.map((test) => testValue(test, value)))
}

/** No coercion: a value of another type, or none at all, cannot be tested; nor can NaN or 2^60. */
export function testValue(test: Test, value: unknown): Answer {
  if (typeof value === 'number' && !isSafeNumber(value)) return 'unknown'
  switch (test.op) {
    case 'eq':
      return typeof value === typeof test.value ? answered(value === test.value) : 'unknown'
    case 'ne':
      return typeof value === typeof test.value ? answered(value !== test.value) : 'unknown'
    case 'gt':
      return typeof value === 'number' ? answered(value > test.value) : 'unknown'
    case 'gte':
      return typeof value === 'number' ? answered(value >= test.value) : 'unknown'
    case 'lt':
      return typeof value === 'number' ? answered(value < test.value) : 'unknown'
    case 'lte':
      return typeof value === 'number' ? answered(value <= test.value) : 'unknown'
    case 'in':
      return occursAsType(test.values, value)
        ? answered(test.values.includes(value as Scalar))
        : 'unknown'
    case 'not_in':
      return occursAsType(test.values, value)
        ? answered(!test.values.includes(value as Scalar))
        : 'unknown'
    case 'pattern':
      return typeof value === 'string' && value.length <= MAX_PATTERN_INPUT
        ? answered(test.pattern.test(value))
        : 'unknown'
  }
}

function occursAsType(values: readonly Scalar[], value: unknown): boolean {
  return values.some((one) => typeof one === typeof value)
}

/** A matcher as its author could have written it, for explanations. */
export function showMatcher(matcher: Matcher): string {
  const [only] = matcher
  if (matcher.length === 1 && only?.op === 'eq') return JSON.stringify(only.value)
  const parts = matcher.map((test) => `${test.op}: ${showOperand(test)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function showOperand(test: Test): string {
  if (test.op === 'pattern') return JSON.stringify(test.pattern.text)
  return JSON.stringify('values' in test ? test.values : test.value)
}
