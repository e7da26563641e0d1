import type { Matcher, Test } from '../evaluate/matcher.ts'
import { numberWords } from './number-words.ts'

/** What a matcher asks of a value, for people: `is over 10,000 and is at most 50,000`. */
export function matcherWords(matcher: Matcher): string {
  return matcher.length === 0 ? 'is anything' : matcher.map(testWords).join(' and ')
}

/** A test without words, for those who say it in another language. */
export interface PlainTest {
  readonly op: Test['op']
  readonly values: readonly (string | number | boolean)[]
}

export function plainTest(test: Test): PlainTest {
  if (test.op === 'pattern') return { op: test.op, values: [test.pattern.text] }
  return { op: test.op, values: 'values' in test ? test.values : [test.value] }
}

function testWords(test: Test): string {
  switch (test.op) {
    case 'eq':
      return `is ${valueWords(test.value)}`
    case 'ne':
      return `is not ${valueWords(test.value)}`
    case 'gt':
      return `is over ${numberWords(test.value)}`
    case 'gte':
      return `is at least ${numberWords(test.value)}`
    case 'lt':
      return `is under ${numberWords(test.value)}`
    case 'lte':
      return `is at most ${numberWords(test.value)}`
    case 'in':
      return `is one of ${list(test.values)}`
    case 'not_in':
      return `is none of ${list(test.values)}`
    case 'pattern':
      return `matches ${patternWords(test.pattern.text)}`
  }
}

/** Texts in quotation marks, so that `"10"` does not read like `10`. */
function valueWords(value: string | number | boolean): string {
  return typeof value === 'number' ? numberWords(value) : JSON.stringify(value)
}

/** Brackets are what patterns are made of; spaces and commas would read as the rest of the sentence. */
function patternWords(pattern: string): string {
  return /^[^\s,"]+$/u.test(pattern) ? pattern : JSON.stringify(pattern)
}

function list(values: readonly (string | number | boolean)[]): string {
  return values.map(valueWords).join(', ')
}
