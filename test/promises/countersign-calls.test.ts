import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import type { Call } from '../../src/base/call.ts'
import { readCall } from '../../src/policy/call.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { explain } from '../../src/policy/tooling/explain.ts'
import { withoutComments } from '../support/imports.ts'
import { askedOf, call, policyOf, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

promise(['CS-POLICY-16'], 'the same call gets the same answer, and nothing is changed', () => {
  const policy = policyOf(`
    tools:
      pay: { approval: { condition: { args_match: { amount: { gt: 4 }, to: { pattern: "x" } } } }, secrets: [pin] }
    governance: [{ id: g, approval: { approvers: ["*"] } }]
  `)
  const asked = frozen(call('pay', { amount: 5, to: 'x', pin: '1234', deep: { list: [1] } }))
  const first = evaluate(policy, asked)
  for (let round = 0; round < 50; round++) {
    evaluate(policy, call(`other-${round}`, { amount: round }))
    expect(evaluate(policy, asked)).toEqual(first)
  }
})

const hostile = (args: unknown) => ({ tool: 'pay', args }) as Call
const circle: Record<string, unknown> = { amount: 5 }
circle.self = circle

promise.each(
  ['CS-POLICY-17'],
  'arguments that cannot be shown are denied',
  [
    ['a number no reader keeps', { amount: 2 ** 60 }],
    ['NaN', { amount: Number.NaN }],
    ['half a surrogate pair', { amount: 5, note: '\ud800' }],
    ['a circle', circle],
    ['a date', { amount: 5, at: new Date(0) }],
    ['undefined', { amount: 5, note: undefined }],
    ['a bigint', { amount: 5n }],
    ['a function', { amount: 5, run: () => 1 }],
  ],
  (_, args) => {
    const policy = policyOf(
      'tools: { pay: { approval: { condition: { args_match: { amount: { gt: 4 } } } } } }',
    )
    expect(evaluate(policy, hostile(args))).toMatchObject({
      verdict: 'deny',
      message: expect.stringContaining('cannot be shown'),
      reasons: [{ rule: 'tools.pay.approval.condition' }],
    })
  },
)

promise(['CS-POLICY-17'], 'no arguments at all are no way around', () => {
  const policy = policyOf(`
    tools: { pay: { approval: { condition: { args_match: { amount: { gt: 4 } } } } }, read: { approval: true } }
  `)
  for (const args of [undefined, null, [], 'text', 5, new Map(), Object.create({ amount: 1 })]) {
    for (const tool of ['pay', 'read']) {
      const { verdict } = evaluate(policy, { tool, args } as unknown as Call)
      expect(['confirm', 'deny'], `${tool} ${String(args)}`).toContain(verdict)
    }
  }
})

promise.each(
  ['CS-CALL-1'],
  'a number that not every reader keeps is refused',
  [
    ['2^53', 2 ** 53],
    ['-2^53', -(2 ** 53)],
    ['1e300', 1e300],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['deep inside', [{ a: [2 ** 53] }]],
  ],
  (_, amount) => {
    const refused = expect.objectContaining({ code: 'unsafe_number' })
    expect(() => readCall({ tool: 'pay', args: { amount } })).toThrow(refused)
    expect(() => readCall({ tool: 'pay', args: {}, parent: { input: { amount } } })).toThrow(
      refused,
    )
  },
)

promise(['CS-CALL-1'], '-0 is 0, and the largest safe numbers pass', () => {
  const zero = policyOf(
    'tools: { pay: { approval: { condition: { args_match: { amount: 0 } } } } }',
  )
  expect(askedOf(zero, call('pay', { amount: -0 })).message).toBe(
    `Run 'pay' with arguments {"amount":0}?`,
  )
  const limit = Number.MAX_SAFE_INTEGER
  expect(readCall({ tool: 'pay', args: { a: limit, b: -limit, c: 0.1 } }).args.a).toBe(limit)
})

promise.each(
  ['CS-CALL-2'],
  'what is no call is refused',
  [
    ['arguments under another name', { tool: 'pay', arguments: {} }],
    ['arguments under both names', { tool: 'pay', args: {}, arguments: {} }],
    ['an unknown key', { tool: 'pay', args: {}, approved: true }],
    ['an unknown kind', { tool: 'pay', args: {}, kind: 'TOOL' }],
    ['a name with a space', { tool: 'pay ', args: {} }],
    ['a name in letters that look alike', { tool: 'раy', args: {} }],
    ['a name with a slash', { tool: 'api/pay', args: {} }],
    ['no name', { args: {} }],
    ['a list of arguments', { tool: 'pay', args: [] }],
    ['no arguments', { tool: 'pay' }],
    ['a risk that is none', { tool: 'pay', args: {}, risk: 'low' }],
    ['a delegation with a server', { kind: 'agent', tool: 'clerk', server: 'api', args: {} }],
    ['a skill without one', { kind: 'skill', tool: 'clerk', args: {} }],
    ['nothing', null],
  ],
  (_, value) => {
    expect(() => readCall(value)).toThrow(expect.objectContaining({ code: 'invalid_call' }))
  },
)

promise(['CS-CALL-3'], 'a condition reads only what was sent', () => {
  const condition = (key: string) =>
    policyOf(`tools: { pay: { approval: { condition: { args_match: { ${key}: { ne: "x" } } } } } }`)
  const answer = (key: string, args: unknown) =>
    evaluate(condition(key), hostile(args)).reasons[0]?.answer
  expect(answer('toString', {})).toBe('unknown')
  expect(answer('list.length', { list: [] })).toBe('unknown')
  expect(answer('list.0', { list: ['x'] })).toBe('unknown')
  expect(answer('text.length', { text: 'x' })).toBe('unknown')
  expect(answer('amount', Object.create({ amount: 'x' }))).toBe('unknown')
  expect(answer('a.b', { 'a.b': 'x' })).toBe('unknown')
  expect(answer('"a\\\\.b"', { 'a.b': 'x' })).toBeUndefined()
  expect(answer('a.b', { 'a.b': 'y', a: { b: 'x' } })).toBeUndefined()
  expect(answer('amount', JSON.parse('{"__proto__":{"amount":"x"}}'))).toBe('unknown')
})

promise(['CS-CALL-3'], 'additions to every object are no arguments', () => {
  const policy = policyOf(
    'tools: { pay: { approval: { condition: { args_match: { safe: { ne: "x" } } } } } }',
  )
  const everything = Object.prototype as { safe?: string }
  try {
    everything.safe = 'x'
    expect(verdictOf(policy, call('pay'))).toBe('confirm')
  } finally {
    delete everything.safe
  }
})

promise(['CS-MESSAGE-1'], 'secrets appear in no question and no explanation', () => {
  const secret = 'hunter2'
  const policy = policyOf(
    `
      tools:
        login:
          secrets: [password, card.number, keys]
          approval:
            message_template: "{{tool_args.password}} {{tool_args.card}} {{tool_args.keys.a}} {{tool_args}}"
            condition: { args_match: { password: { ne: x }, card: { ne: x }, card.number: { ne: x }, keys.a: { ne: x } } }
        other: { secrets: [password], approval: true }
    `,
    'governance: [{ id: g, condition: { args_match: { card.number: { ne: x }, password: { pattern: "^h" } } }, approval: { message_template: "{{tool_args.password}}" } }]',
  )
  const args = {
    password: secret,
    card: { number: secret, holder: 'Ana' },
    keys: { a: secret },
    user: 'ana',
  }
  for (const asked of [call('login', args), call('other', { password: secret })]) {
    const explained = JSON.stringify(explain(policy, asked))
    expect(explained).not.toContain(secret)
    expect(explained).toContain('[secret]')
  }
  expect(askedOf(policy, call('login', args)).message).toBe(
    '[secret] {"holder":"Ana","number":"[secret]"}  {"card":{"holder":"Ana","number":"[secret]"},"keys":"[secret]","password":"[secret]","user":"ana"}',
  )
})

promise(['CS-MESSAGE-2'], 'braces inside an argument stay what they are', () => {
  const policy = policyOf(
    'tools: { pay: { approval: { message_template: "To {{tool_args.to}}: {{tool_args.amount}}" } } }',
  )
  const args = { to: '{{tool_args.amount}} {{tool_name}} {{', amount: '$& {args}' }
  expect(askedOf(policy, call('pay', args)).message).toBe(
    'To {{tool_args.amount}} {{tool_name}} {{: $& {args}',
  )
})

promise(['CS-FILE-7'], 'no part of src turns text into code', () => {
  const src = path.resolve(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  const maker = /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|\.constructor\s*\(|\bnode:vm\b/
  const found = files.filter((name) =>
    maker.test(withoutComments(readFileSync(path.join(src, name), 'utf8'))),
  )
  expect(files.length).toBeGreaterThan(0)
  expect(found).toEqual([])
})
