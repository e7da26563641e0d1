import { expect, test } from 'vitest'
import { conditionWords } from './condition-words.ts'

test('a condition reads as on the policy page', () => {
  const args_match = { amount: { gte: 0, lte: 50 }, currency: 'EUR' }
  expect(conditionWords({ args_match })).toBe('amount from 0 to 50, currency is "EUR"')
  expect(
    conditionWords([
      { args_match: { urgent: true } },
      { args_match: { amount: { gt: 3, ne: 7 }, plan: { in: ['a', 1] } } },
    ]),
  ).toBe('urgent is true, or amount is over 3 and is not 7, plan is one of "a", 1')
})

test('a name that reads like a sentence is quoted', () => {
  const args_match = { 'amount from 0 to 5, b': { lte: 9e6 } }
  expect(conditionWords({ args_match })).toBe('"amount from 0 to 5, b" is at most 9000000')
})

test('a condition that is not known in every part has no words', () => {
  for (const condition of [
    undefined,
    [],
    {},
    { args_match: {} },
    { args_match: { a: {} } },
    { args_match: { a: 1 }, other: 1 },
    { args_match: { a: { gte: 0, lte: 5, odd: 1 } } },
    { args_match: { a: { constructor: 1 } } },
    { args_match: { a: { in: [{}] } } },
    [{ args_match: { a: 1 } }, {}],
  ]) {
    expect(conditionWords(condition)).toBe(undefined)
  }
})
