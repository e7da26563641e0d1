import { expect, test } from 'vitest'
import { call, policyFrom, policyOf } from '../../../test/support/policy.ts'
import type { Call } from '../../base/call.ts'
import { explain } from './explain.ts'

test('a rule in a file has its place, others have none', () => {
  const owner = 'tools:\n  pay:\n    approval: true\n'
  const places = (asked: Call) =>
    explain(policyFrom({ owner, code: { read: { approval: true } } }), asked).rules.map(
      ({ place }) => place,
    )
  expect(places(call('pay'))).toEqual(['countersign.yaml:4:5'])
  expect(places(call('read'))).toEqual([undefined])
  expect(places(call('other'))).toEqual([undefined])
})

test.each<[string, string, string, string]>([
  ['an exemption', 'tools: { pay: { approval: false } }', 'allow', 'approval: false'],
  [
    'a default',
    'defaults: { undeclared: deny }',
    'deny',
    "Tool 'pay' is not declared, and defaults.undeclared is deny.",
  ],
  [
    'no rule at all',
    'tools: {}',
    'allow',
    "Tool 'pay' is not declared, and defaults.undeclared is allow.",
  ],
  ['a risk', 'tools: { pay: { risk: L2 } }', 'confirm', 'risk is L2'],
])('says why: %s', (_, owner, asks, why) => {
  const { rules, verdict } = explain(policyOf(owner), call('pay'))
  expect(rules).toMatchObject([{ asks, why }])
  expect(verdict.verdict).toBe(asks)
})

const seen = (condition: string, args: unknown, more = '') => {
  const policy = policyOf(
    `tools: { pay: { approval: { condition: { args_match: ${condition} } } ${more} } }`,
  )
  const [rule] = explain(policy, { tool: 'pay', args } as Call).rules
  return rule?.values.map(({ saw, answer }) => `${saw} ${answer}`)
}

test.each<[string, string, unknown, string[]]>([
  ['text', '{ a: x }', { a: 'y' }, ['"y" no']],
  ['a number', '{ a: 5 }', { a: 5 }, ['5 yes']],
  ['an object', '{ a: 5 }', { a: { b: 1 } }, ['{"b":1} unknown']],
  ['nothing', '{ a: 5 }', {}, ['missing unknown']],
  ['null', '{ a: 5 }', { a: null }, ['null unknown']],
  ['a long text', '{ a: x }', { a: 'y'.repeat(300) }, [`"${'y'.repeat(199)}… (302 characters) no`]],
  ['a bigint', '{ a: 5 }', { a: 5n }, ['a bigint that cannot be shown unknown']],
  ['a function', '{ a: 5 }', { a: () => 1 }, ['() => 1 unknown']],
])('shows what it saw: %s', (_, condition, args, expected) => {
  expect(seen(condition, args)).toEqual(expected)
})

test('secrets are hidden, whole or inside what is shown', () => {
  const condition = '{ pin: x, card: x, card.number: x, card.holder: x, keys.a: x, gone: x }'
  const args = { pin: '1234', card: { number: '42', holder: 'Ana' }, keys: { a: 'k' } }
  expect(seen(condition, args, ', secrets: [pin, card.number, keys, gone]')).toEqual([
    '"[secret]" no',
    '{"number":"[secret]","holder":"Ana"} unknown',
    '"[secret]" no',
    '"Ana" no',
    '"[secret]" no',
    'missing unknown',
  ])
})

test('values carry the group they belong to', () => {
  const condition = '[{ args_match: { a: 1, b: 1 } }, { args_match: { c: 1 } }]'
  const policy = policyOf(`tools: { pay: { approval: { condition: ${condition} } } }`)
  const [rule] = explain(policy, call('pay', { a: 1 })).rules
  expect(rule?.values.map(({ group, path }) => [group, path])).toEqual([
    [0, 'a'],
    [0, 'b'],
    [1, 'c'],
  ])
})

test('the risk and the rules that do not concern the call are told', () => {
  const policy = policyOf(
    'tools: { pay: { risk: L2 } }',
    'governance: [{ id: a, match: { tool: x }, deny: "No" }, { id: b, match: { risk: L5 }, deny: "No" }, { id: c, approval: true }]',
  )
  const { risk, unmatched, rules } = explain(policy, call('pay'))
  expect({ risk, unmatched, rules: rules.map(({ rule }) => rule) }).toEqual({
    risk: 'L2',
    unmatched: 2,
    rules: ['tools.pay.risk', 'governance.c'],
  })
})
