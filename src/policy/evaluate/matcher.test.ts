import { expect, test } from 'vitest'
import { compilePattern } from '../pattern/pattern.ts'
import type { Answer } from './answer.ts'
import { type Matcher, matchValue, showMatcher, type Test } from './matcher.ts'

function pattern(text: string): Test {
  const compiled = compilePattern(text)
  if (!compiled.ok) throw new Error(compiled.problem)
  return { op: 'pattern', pattern: compiled.value }
}

const eq = (value: string | number | boolean): Matcher => [{ op: 'eq', value }]
const ne = (value: string | number | boolean): Matcher => [{ op: 'ne', value }]
const gt10: Matcher = [{ op: 'gt', value: 10 }]
const gte10: Matcher = [{ op: 'gte', value: 10 }]
const lt10: Matcher = [{ op: 'lt', value: 10 }]
const lte10: Matcher = [{ op: 'lte', value: 10 }]
const inMixed: Matcher = [{ op: 'in', values: ['a', 'b', 7] }]
const notInMixed: Matcher = [{ op: 'not_in', values: ['a', 'b', 7] }]
const between: Matcher = [
  { op: 'gt', value: 10 },
  { op: 'lt', value: 20 },
]

test.each<[string, Matcher, unknown, Answer]>([
  ['the same text', eq('US'), 'US', 'yes'],
  ['other text', eq('US'), 'us', 'no'],
  ['text with a space', eq('US'), 'US ', 'no'],
  ['text for a number', eq(10), '10', 'unknown'],
  ['a number for text', eq('10'), 10, 'unknown'],
  ['one for true', eq(true), 1, 'unknown'],
  ['text for true', eq(true), 'true', 'unknown'],
  ['false for true', eq(true), false, 'no'],
  ['minus zero for zero', eq(0), -0, 'yes'],
  ['nothing', eq('US'), undefined, 'unknown'],
  ['null', eq('US'), null, 'unknown'],
  ['a list that holds it', eq('US'), ['US'], 'unknown'],
  ['an object', eq('US'), { US: true }, 'unknown'],

  ['different text', ne('done'), 'open', 'yes'],
  ['the same text, not wanted', ne('done'), 'done', 'no'],
  ['another type, not wanted', ne('done'), 3, 'unknown'],
  ['nothing, not wanted', ne('done'), undefined, 'unknown'],
  ['another number', ne(3), 4, 'yes'],
  ['the other boolean', ne(true), false, 'yes'],

  ['above', gt10, 10.01, 'yes'],
  ['not above', gt10, 10, 'no'],
  ['digits as text', gt10, '11', 'unknown'],
  ['true as one', gt10, true, 'unknown'],
  ['a list of one number', gt10, [11], 'unknown'],
  ['nothing to compare', gt10, undefined, 'unknown'],
  ['null is not zero', lt10, null, 'unknown'],
  ['NaN', gt10, Number.NaN, 'unknown'],
  ['infinity', gt10, Number.POSITIVE_INFINITY, 'unknown'],
  ['an unsafe number', gt10, 2 ** 60, 'unknown'],
  ['an unsafe number below', lt10, 2 ** 60, 'unknown'],
  ['at least', gte10, 10, 'yes'],
  ['not at least', gte10, 9.99, 'no'],
  ['below', lt10, 9.99, 'yes'],
  ['not below', lt10, 10, 'no'],
  ['at most', lte10, 10, 'yes'],
  ['not at most', lte10, 10.01, 'no'],

  ['a member', inMixed, 'b', 'yes'],
  ['a member of another type', inMixed, 7, 'yes'],
  ['no member', inMixed, 'c', 'no'],
  ['a number that is no member', inMixed, 8, 'no'],
  ['a type the list does not hold', inMixed, true, 'unknown'],
  ['a list of members', inMixed, ['a'], 'unknown'],
  ['no value for a list', inMixed, undefined, 'unknown'],
  ['a member, not wanted', notInMixed, 'b', 'no'],
  ['no member, not wanted', notInMixed, 'c', 'yes'],
  ['a type the list does not hold, not wanted', notInMixed, true, 'unknown'],
  ['nothing, not in', notInMixed, undefined, 'unknown'],

  ['all operators hold', between, 15, 'yes'],
  ['one operator fails', between, 20, 'no'],
  ['no operator can tell', between, '15', 'unknown'],
  ['one fails and one cannot tell', [...ne('a'), ...gt10], 'a', 'no'],
  ['one holds and one cannot tell', [...ne('b'), ...gt10], 'a', 'unknown'],
  ['no operator, some value', [], 'anything', 'yes'],
  ['no operator, no value', [], undefined, 'yes'],
])('%s', (_, matcher, value, answer) => {
  expect(matchValue(matcher, value)).toBe(answer)
})

test.each<[string, string, unknown, Answer]>([
  ['anywhere in the text', 'drop', 'please drop it', 'yes'],
  ['nowhere in the text', 'drop', 'please keep it', 'no'],
  ['anchored at the end', '@external\\.com$', 'a@external.com', 'yes'],
  ['not before the end', '@external\\.com$', 'a@external.com.example', 'no'],
  ['$ is the end of the text, not of a line', 'x$', 'x\n', 'no'],
  ['^ is the start of the text, not of a line', '^x', 'a\nx', 'no'],
  ['case counts', 'drop', 'DROP', 'no'],
  ['case may be ignored', '(?i)drop', 'DROP', 'yes'],
  ['an empty text', '^$', '', 'yes'],
  ['a number', '1', 1, 'unknown'],
  ['nothing', '.*', undefined, 'unknown'],
  ['a list of text', 'a', ['a'], 'unknown'],
  ['a text as long as allowed', 'b$', `${'a'.repeat(8_191)}b`, 'yes'],
  ['a text longer than allowed', 'b$', `${'a'.repeat(8_192)}b`, 'unknown'],
])('a pattern: %s', (_, text, value, answer) => {
  expect(matchValue([pattern(text)], value)).toBe(answer)
})

test.each([
  [[], '{}'],
  [eq('US'), '"US"'],
  [ne(3), '{ ne: 3 }'],
  [between, '{ gt: 10, lt: 20 }'],
  [inMixed, '{ in: ["a","b",7] }'],
  [[pattern('^a$')], '{ pattern: "^a$" }'],
])('is shown as it could be written', (matcher, text) => {
  expect(showMatcher(matcher)).toBe(text)
})
