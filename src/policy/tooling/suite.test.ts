import { expect, test } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import type { PolicyTest, VerdictWord } from '../document.ts'
import { runTests, type TestOutcome } from './suite.ts'

const policy = policyOf(`
  tools: { pay: { approval: { message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?" } } }
  governance: [{ id: never, match: { tool: drop }, deny: "Never" }]
`)

const place = { file: 'countersign.yaml', line: 1, column: 1 }
const call = { tool: 'pay', args: { amount: 5 } }
const asked = (expects: VerdictWord, more: Partial<PolicyTest> = {}): PolicyTest => ({
  name: 'a test',
  call,
  expect: expects,
  place,
  ...more,
})

function run(test: PolicyTest): TestOutcome {
  const [outcome] = runTests(policy, [test])
  if (!outcome) throw new Error('no outcome')
  return outcome
}

test.each<[string, PolicyTest]>([
  ['the verdict', asked('confirm')],
  ['the message', asked('confirm', { message: 'Pay 5 to ?' })],
  ['what is missing', asked('confirm', { missing: ['tool_args.to'] })],
  ['a denial', asked('deny', { call: { tool: 'drop', args: {} }, message: 'Never', missing: [] })],
  ['an allowed call', asked('allow', { call: { tool: 'read', args: {} }, message: '' })],
])('passes on %s', (_, test) => {
  expect(run(test)).toEqual({ passed: true, test })
})

test.each<[string, PolicyTest, string[]]>([
  ['another verdict', asked('review'), ['expected review, got confirm']],
  [
    'another message',
    asked('confirm', { message: 'Pay?' }),
    ['expected the message "Pay?", got "Pay 5 to ?"'],
  ],
  [
    'more is missing',
    asked('confirm', { missing: [] }),
    ['expected missing [], got ["tool_args.to"]'],
  ],
  [
    'everything',
    asked('deny', { message: '', missing: ['x'] }),
    [
      'expected deny, got confirm',
      'expected the message "", got "Pay 5 to ?"',
      'expected missing ["x"], got ["tool_args.to"]',
    ],
  ],
])('fails on %s and explains itself', (_, test, problems) => {
  expect(run(test)).toMatchObject({
    passed: false,
    test,
    problems,
    explanation: { rules: [{ rule: 'tools.pay.approval' }] },
  })
})

test('a call that is none fails its test, not the run', () => {
  const outcomes = runTests(policy, [
    asked('allow', { call: { tool: 'pay', arguments: {} } }),
    asked('confirm'),
  ])
  expect(outcomes).toMatchObject([
    { passed: false, problems: [expect.stringContaining('"arguments" is not part of a call')] },
    { passed: true },
  ])
})
