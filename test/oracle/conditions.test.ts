import { expect, test } from 'vitest'
import {
  type Answer,
  allOf,
  anyOf,
  conditionAnswer,
  groupAnswer,
  matcherAnswer,
} from './conditions.ts'
import type { Call, Condition, Json, JsonObject, Matcher } from './documents.ts'

const long = 'a'.repeat(8192)

test.each<[Matcher, Json | undefined, Answer]>([
  ['USD', 'USD', 'yes'],
  ['USD', 'usd', 'no'],
  ['1', 1, 'unknown'],
  [1, 1, 'yes'],
  [0, -0, 'yes'],
  [1, 2, 'no'],
  [1, '1', 'unknown'],
  [true, true, 'yes'],
  [true, false, 'no'],
  [true, 'true', 'unknown'],
  ['USD', null, 'unknown'],
  ['USD', ['USD'], 'unknown'],
  ['USD', {}, 'unknown'],
  ['USD', undefined, 'unknown'],

  [{ gt: 10000 }, 10000.01, 'yes'],
  [{ gt: 10000 }, 10000, 'no'],
  [{ gte: 10000 }, 10000, 'yes'],
  [{ gte: 10000 }, 9999, 'no'],
  [{ lt: 0 }, -1, 'yes'],
  [{ lt: 0 }, -0, 'no'],
  [{ lte: 0 }, 0, 'yes'],
  [{ lte: 0 }, 0.1, 'no'],
  [{ gt: 10000 }, '10001', 'unknown'],
  [{ gt: 10000 }, true, 'unknown'],
  [{ gt: 10000 }, null, 'unknown'],
  [{ gt: 10000 }, undefined, 'unknown'],

  [{ ne: 'approved' }, 'open', 'yes'],
  [{ ne: 'approved' }, 'approved', 'no'],
  [{ ne: 'approved' }, 1, 'unknown'],
  [{ ne: false }, true, 'yes'],
  [{ ne: 'approved' }, null, 'unknown'],
  [{ ne: 'approved' }, undefined, 'unknown'],

  [{ in: ['a', 'b'] }, 'b', 'yes'],
  [{ in: ['a', 'b'] }, 'c', 'no'],
  [{ in: ['a', 'b'] }, 1, 'unknown'],
  [{ in: ['a', 1] }, 2, 'no'],
  [{ in: ['a', 1] }, true, 'unknown'],
  [{ in: ['a', 'b'] }, undefined, 'unknown'],
  [{ not_in: ['a', 'b'] }, 'c', 'yes'],
  [{ not_in: ['a', 'b'] }, 'a', 'no'],
  [{ not_in: ['a', 'b'] }, 1, 'unknown'],
  [{ not_in: ['a', 'b'] }, ['c'], 'unknown'],
  [{ not_in: ['a', 'b'] }, undefined, 'unknown'],

  [{ pattern: 'prod' }, 'my-production', 'yes'],
  [{ pattern: '^prod' }, 'my-production', 'no'],
  [{ pattern: 'prod$' }, 'my-prod', 'yes'],
  [{ pattern: 'prod$' }, 'my-prod\n', 'no'],
  [{ pattern: '^.$' }, '😀', 'yes'],
  [{ pattern: '1' }, 1, 'unknown'],
  [{ pattern: 'a$' }, long, 'yes'],
  [{ pattern: 'a$' }, `${long}a`, 'unknown'],
  [{ pattern: 'prod' }, undefined, 'unknown'],

  [{}, 'anything', 'yes'],
  [{}, null, 'yes'],
  [{}, undefined, 'yes'],

  [{ gte: 1, lt: 10 }, 5, 'yes'],
  [{ gte: 1, lt: 10 }, 10, 'no'],
  [{ gte: 1, lt: 10 }, '5', 'unknown'],
  [{ ne: 5, in: ['a'] }, 5, 'no'],
  [{ ne: 5, in: ['a'] }, 6, 'unknown'],
])('matcher %j on %j answers %s', (matcher, value, answer) => {
  expect(matcherAnswer(matcher, value)).toBe(answer)
})

test.each<[Answer[], Answer, Answer]>([
  // answers                 all         any
  [['yes', 'yes'], 'yes', 'yes'],
  [['yes', 'no'], 'no', 'yes'],
  [['yes', 'unknown'], 'unknown', 'yes'],
  [['no', 'unknown'], 'no', 'unknown'],
  [['no', 'no'], 'no', 'no'],
  [['unknown', 'unknown'], 'unknown', 'unknown'],
  [['yes', 'unknown', 'no'], 'no', 'yes'],
])('Kleene: all of %j is %s, any of them is %s', (answers, all, any) => {
  expect(allOf(answers)).toBe(all)
  expect(anyOf(answers)).toBe(any)
})

test.each<[string, JsonObject, Answer]>([
  ['order.amount', { order: { amount: 1 } }, 'yes'],
  ['order.amount', { 'order.amount': 1 }, 'unknown'],
  ['order\\.amount', { 'order.amount': 1 }, 'yes'],
  ['order\\.amount', { order: { amount: 1 } }, 'unknown'],
  ['x\\\\y', { 'x\\y': 1 }, 'yes'],
  ['toString', {}, 'unknown'],
  ['to.length', { to: 'a' }, 'unknown'],
  ['tags.length', { tags: ['a'] }, 'unknown'],
  ['tags.0', { tags: [1] }, 'unknown'],
  ['order.amount', { order: null }, 'unknown'],
  ['amount', {}, 'unknown'],
])('path %s in %j answers %s', (path, args, answer) => {
  expect(groupAnswer({ args_match: { [path]: 1 } }, { tool: 'pay', args })).toBe(answer)
})

test('parent.input is read on a delegation and missing everywhere else', () => {
  const group = { args_match: { 'parent.input.level': 'high' } }
  const call: Call = {
    kind: 'agent',
    tool: 'planner',
    args: { parent: { input: { level: 'low' } } },
    parent: { input: { level: 'high' } },
  }
  expect(groupAnswer(group, call)).toBe('yes')
  expect(groupAnswer(group, { ...call, kind: 'tool' })).toBe('unknown')
})

const yes = { args_match: { amount: 1 } }
const no = { args_match: { amount: 2 } }
const unknown = { args_match: { amount: 'one' } }

test.each<[string, Condition | undefined, Answer, string]>([
  ['no condition', undefined, 'yes', ''],
  ['a group', yes, 'yes', '.condition'],
  ['a group that misses', no, 'no', '.condition'],
  ['an empty group', {}, 'yes', '.condition'],
  ['a group without matchers', { args_match: {} }, 'yes', '.condition'],
  ['keys are ANDed', { args_match: { amount: 1, other: 1 } }, 'unknown', '.condition'],
  ['a no outweighs an unknown', { args_match: { amount: 2, other: 1 } }, 'no', '.condition'],
  ['the first group that says yes', [no, unknown, yes, yes], 'yes', '.condition[2]'],
  ['else the first unknown one', [no, unknown, unknown], 'unknown', '.condition[1]'],
  ['a list of one', [yes], 'yes', '.condition[0]'],
])('condition: %s', (_, condition, answer, suffix) => {
  const result = conditionAnswer(condition, { tool: 'pay', args: { amount: 1 } })
  expect(result.answer).toBe(answer)
  if (answer !== 'no') expect(result.suffix).toBe(suffix)
})
