import type { Matcher, Test } from './matcher.ts'

/** What a matcher asks of a value, for people: `is over 1000 and is at most 5000`. */
export function matcherWords(matcher: Matcher): string {
  return matcher.length === 0 ? 'is anything' : matcher.map(testWords).join(' and ')
}

function testWords(test: Test): string {
  switch (test.op) {
    case 'eq':
      return `is ${JSON.stringify(test.value)}`
    case 'ne':
      return `is not ${JSON.stringify(test.value)}`
    case 'gt':
      return `is over ${test.value}`
    case 'gte':
      return `is at least ${test.value}`
    case 'lt':
      return `is under ${test.value}`
    case 'lte':
      return `is at most ${test.value}`
    case 'in':
      return `is one of ${list(test.values)}`
    case 'not_in':
      return `is none of ${list(test.values)}`
    case 'pattern':
      return `matches ${test.pattern.text}`
  }
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}
