import { expect } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { call, mistakesOf, policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

/** What a condition answers about arguments, read off the verdict and its reason. */
function answer(condition: string, args: JsonObject): 'yes' | 'no' | 'unknown' {
  const policy = policyOf(`tools: { pay: { approval: { condition: ${condition} } } }`)
  const { verdict, reasons } = evaluate(policy, call('pay', args))
  expect(verdict).toBe(reasons.length === 0 ? 'allow' : 'confirm')
  return reasons[0]?.answer ?? 'no'
}

const about = (matcher: string, value: JsonObject[string]) =>
  answer(`{ args_match: { x: ${matcher} } }`, { x: value })

promise(['AF-22'], 'a condition is answered from each call', () => {
  const policy = policyOf(`
    tools: { pay: { approval: { condition: { args_match: { amount: { gt: 10000 } } } } } }
  `)
  const verdicts = [10_001, 5, 20_000, 10_000].map(
    (amount) => evaluate(policy, call('pay', { amount })).verdict,
  )
  expect(verdicts).toEqual(['confirm', 'allow', 'confirm', 'allow'])
})

const single = '{ args_match: { amount: { gt: 10000 }, currency: "USD" } }'

promise.each(
  ['AF-23'],
  'all keys of one group must hold',
  [
    ['both', { amount: 10_001, currency: 'USD' }, 'yes'],
    ['one', { amount: 10_001, currency: 'EUR' }, 'no'],
    ['the other', { amount: 1, currency: 'USD' }, 'no'],
    ['none', { amount: 1, currency: 'EUR' }, 'no'],
  ],
  (_, args, expected) => {
    expect(answer(single, args)).toBe(expected)
  },
)

const several =
  '[{ args_match: { amount: { gt: 10000 } } }, { args_match: { recipient_type: external } }]'

promise.each(
  ['AF-24'],
  'one group that holds is enough',
  [
    ['the first', { amount: 10_001, recipient_type: 'internal' }, 'yes'],
    ['the second', { amount: 1, recipient_type: 'external' }, 'yes'],
    ['both', { amount: 10_001, recipient_type: 'external' }, 'yes'],
    ['neither', { amount: 1, recipient_type: 'internal' }, 'no'],
  ],
  (_, args, expected) => {
    expect(answer(several, args)).toBe(expected)
  },
)

promise(['AF-24'], 'an empty list of groups is refused', () => {
  const [mistake] = mistakesOf('tools: { pay: { approval: { condition: [] } } }')
  expect(mistake?.path).toBe('tools.pay.approval.condition')
})

promise(['AF-25'], 'a literal matches itself', () => {
  expect(about('"US"', 'US')).toBe('yes')
  expect(about('"US"', 'us')).toBe('no')
  expect(about('5', 5)).toBe('yes')
  expect(about('5', 5.1)).toBe('no')
  expect(about('true', true)).toBe('yes')
  expect(about('true', false)).toBe('no')
})

promise(['AF-26', 'AF-27', 'AF-28', 'AF-29'], 'limits are exact', () => {
  const around = [9, 10, 11]
  expect(around.map((x) => about('{ gt: 10 }', x))).toEqual(['no', 'no', 'yes'])
  expect(around.map((x) => about('{ gte: 10 }', x))).toEqual(['no', 'yes', 'yes'])
  expect(around.map((x) => about('{ lt: 10 }', x))).toEqual(['yes', 'no', 'no'])
  expect(around.map((x) => about('{ lte: 10 }', x))).toEqual(['yes', 'yes', 'no'])
  expect([0.4, 0.5, 0.6].map((x) => about('{ lt: 0.5 }', x))).toEqual(['yes', 'no', 'no'])
  expect(around.map((x) => about('{ gt: 9, lt: 11 }', x))).toEqual(['no', 'yes', 'no'])
})

promise(['AF-30'], 'ne compares text, numbers and booleans', () => {
  expect(about('{ ne: "approved" }', 'pending')).toBe('yes')
  expect(about('{ ne: "approved" }', 'approved')).toBe('no')
  expect(about('{ ne: 3 }', 4)).toBe('yes')
  expect(about('{ ne: 3 }', 3)).toBe('no')
  expect(about('{ ne: true }', false)).toBe('yes')
  expect(about('{ ne: true }', true)).toBe('no')
})

const outside = '{ pattern: ".*@external\\\\.com$" }'

promise(['AF-31', 'AF-34'], 'a pattern searches, and anchors itself', () => {
  expect(about(outside, 'ana@external.com')).toBe('yes')
  expect(about(outside, 'ana@external.com.example')).toBe('no')
  expect(about(outside, 'ana@externalXcom')).toBe('no')
  expect(about('{ pattern: "drop" }', 'first drop then go')).toBe('yes')
  expect(about('{ pattern: "^drop" }', 'first drop then go')).toBe('no')
  expect(about('{ pattern: "go$" }', 'go\n')).toBe('no')
})

promise.each(
  ['AF-31'],
  'a pattern that does not parse is refused',
  [
    ['"("'],
    ['"[z-a]"'],
    ['"(?=x)"'],
    ['"(a)\\\\1"'],
    ['"a{2,1}"'],
    ['"((a{100}){100}){10}"'],
    ['5'],
  ],
  (pattern) => {
    const text = `tools: { pay: { approval: { condition: { args_match: { x: { pattern: ${pattern} } } } } } }`
    const [mistake] = mistakesOf(text)
    expect(mistake?.path).toBe('tools.pay.approval.condition.args_match.x.pattern')
  },
)

promise(['AF-32', 'AF-33'], 'lists hold or exclude their members', () => {
  expect(about('{ in: ["delete", "modify"] }', 'modify')).toBe('yes')
  expect(about('{ in: ["delete", "modify"] }', 'read')).toBe('no')
  expect(about('{ in: [1, 2] }', 2)).toBe('yes')
  expect(about('{ not_in: ["restricted", "embargoed"] }', 'free')).toBe('yes')
  expect(about('{ not_in: ["restricted", "embargoed"] }', 'embargoed')).toBe('no')
  expect(about('{ not_in: [1, 2] }', 3)).toBe('yes')
})

promise.each(
  ['AF!4', 'CS-POLICY-3'],
  'what cannot be tested asks a person',
  [
    ['digits as text above a limit', '{ gt: 10000 }', '10001'],
    ['digits as text below a limit', '{ gt: 10000 }', '1'],
    ['a list around the number', '{ gt: 10000 }', [1]],
    ['an object around the number', '{ gt: 10000 }', { value: 1 }],
    ['true for a number', '{ gt: 10000 }', true],
    ['null', '{ gt: 10000 }', null],
    ['text in a list around', '"external"', ['internal']],
    ['a number for text', '"5"', 5],
    ['a boolean as text', 'true', 'false'],
    ['another type, excluded', '{ ne: "prod" }', 1],
    ['another type, not listed', '{ in: ["prod"] }', 1],
    ['another type, excluded by list', '{ not_in: ["prod"] }', 1],
    ['a list for a pattern', '{ pattern: "^safe$" }', ['drop']],
    ['a text too long to search', '{ pattern: "drop" }', 'x'.repeat(8_193)],
  ],
  (_, matcher, value) => {
    expect(about(matcher, value)).toBe('unknown')
  },
)

promise.each(
  ['AF!4'],
  'a missing argument asks a person',
  [
    ['"x"'],
    ['{ gt: 1 }'],
    ['{ gte: 1 }'],
    ['{ lt: 1 }'],
    ['{ lte: 1 }'],
    ['{ ne: 1 }'],
    ['{ in: [a] }'],
    ['{ not_in: [a] }'],
    ['{ pattern: a }'],
  ],
  (matcher) => {
    expect(answer(`{ args_match: { x: ${matcher} } }`, { X: 'x', x_: 1 })).toBe('unknown')
  },
)

promise(['AF!4'], 'an unknown does not hide a group that holds, nor a key that fails', () => {
  expect(answer(several, { recipient_type: 'external' })).toBe('yes')
  expect(answer(several, { recipient_type: 'internal' })).toBe('unknown')
  expect(answer(single, { amount: '10001', currency: 'EUR' })).toBe('no')
  expect(answer(single, { amount: '10001', currency: 'USD' })).toBe('unknown')
})

promise.each(
  ['AF!6'],
  'a hostile pattern is searched in no time',
  [
    ['nested repetition', '^(\\\\w+\\\\s?)*$', `${'a'.repeat(8_000)}!`],
    ['repetition inside repetition', '(a+)+$', `${'a'.repeat(8_000)}b`],
    ['overlapping choices', '^(a|a|aa)+$', `${'a'.repeat(8_000)}b`],
    ['many optional parts', `^${'a?'.repeat(28)}${'a'.repeat(28)}$`, 'a'.repeat(27)],
  ],
  (_, pattern, text) => {
    const started = performance.now()
    expect(about(`{ pattern: "${pattern}" }`, text)).toBe('no')
    // An engine that backtracks needs longer than the universe has existed.
    expect(performance.now() - started).toBeLessThan(5_000)
  },
)
