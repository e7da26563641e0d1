import { expect, test } from 'vitest'
import { askedOf, call, policyOf } from '../../../test/support/policy.ts'
import { evaluate, verdictFrom, verdictWord } from './evaluate.ts'
import { judge } from './judge.ts'
import { ANNOTATED } from './mode.ts'

const policy = policyOf(`
  tools:
    pay: { approval: { condition: { args_match: { amount: { gt: 5 } } }, message_template: "{{tool_args.amount}} to {{tool_args.to.name}}" } }
    read: { approval: true }
    wipe: { approval: true }
  governance: [{ id: never, match: { tool: wipe }, deny: "No" }]
`)

test('the question is about the arguments that were judged, whatever becomes of them', () => {
  const args = { amount: 6, to: { name: 'ana' }, list: [1] }
  const agent = { alias: 'clerk', id: 'v1' }
  const asked = call('pay', args, { agent })
  const [verdict, whole] = [askedOf(policy, asked), askedOf(policy, { ...asked, tool: 'read' })]
  args.amount = 1
  args.to.name = 'eve'
  args.list.push(2)
  agent.alias = 'boss'
  expect(verdict.message).toBe('6 to ana')
  expect(whole.message).toBe(
    `Run 'read' with arguments {"amount":6,"list":[1],"to":{"name":"ana"}}?`,
  )
})

test('the words are members of the verdict like all others', () => {
  const verdict = askedOf(policy, call('pay', { amount: 6 }))
  const words = { message: '6 to ', missing: ['tool_args.to.name'] }
  expect({ ...verdict }).toMatchObject(words)
  expect(JSON.parse(JSON.stringify(verdict))).toMatchObject(words)
  expect(structuredClone(verdict)).toMatchObject(words)
  expect(Object.keys(verdict).slice(0, 3)).toEqual(['verdict', 'message', 'missing'])
  expect(verdict.missing).toBe(verdict.missing)
})

test('no holder of a verdict changes the next one', () => {
  const first = askedOf(policy, call('pay', { amount: 6 }))
  expect(() => (first.reasons as unknown[]).pop()).toThrow(TypeError)
  expect(() => Object.assign(first.terms, { grants: true, decideBy: 0 })).toThrow(TypeError)
  expect(() => Object.assign(first.requirements[0] ?? {}, { approvers: ['eve'] })).toThrow()
  expect(() => Object.assign(first, { message: 'Fine?' })).toThrow(TypeError)
  const denial = evaluate(policy, call('wipe'))
  expect(() => Object.assign(denial, { verdict: 'allow' })).toThrow(TypeError)
  expect(evaluate(policy, call('wipe')).verdict).toBe('deny')
})

class Order {
  amount = 6
}

test.each<[string, () => object]>([
  ['a number that not every reader keeps', () => ({ amount: 6, n: 2 ** 60 })],
  ['half of a surrogate pair', () => ({ amount: 6, text: '\ud800' })],
  ['half of a surrogate pair as a name', () => ({ amount: 6, '\ud800': 1 })],
  ['undefined', () => ({ amount: 6, none: undefined })],
  ['a function', () => ({ amount: 6, run() {} })],
  ['a class', () => ({ amount: 6, order: new Order() })],
  ['a class as the arguments', () => new Order()],
  ['a list with a hole', () => ({ amount: 6, list: Array(2) })],
  ['a list with members of its own', () => ({ amount: 6, list: Object.assign([1], { more: 2 }) })],
  ['no prototype', () => Object.assign(Object.create(null), { amount: 6 })],
  [
    'a computed member',
    () => ({
      amount: 6,
      get now() {
        return 1
      },
    }),
  ],
  ['a hidden member', () => Object.defineProperty({ to: 1 }, 'amount', { value: 6 })],
  ['a parsed __proto__', () => JSON.parse('{"amount":6,"__proto__":{"amount":1}}')],
  ['names that every object has', () => JSON.parse('{"amount":6,"constructor":1,"toString":2}')],
  ['a proxy', () => new Proxy({ amount: 6, to: { name: 'ana' } }, {})],
  ['a proxy that hides its names', () => new Proxy({ amount: 6 }, { ownKeys: fail })],
  ['deep nesting', () => ({ amount: 6, deep: nested(40) })],
  ['too deep nesting', () => ({ amount: 6, deep: nested(80) })],
  ['an object that holds itself', () => holdsItself()],
  ['a long text', () => ({ amount: 6, text: 'x'.repeat(100_000) })],
  ['two megabytes', () => ({ amount: 6, text: 'x'.repeat(2_000_000) })],
  [
    'many members',
    () => Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`k${n}`, 6])),
  ],
])('an odd call is judged and worded as ever: %s', (_, args) => {
  for (const tool of ['pay', 'read', 'wipe', '__proto__', 'Pay']) {
    const asked = call(tool, args() as never)
    const truth = verdictFrom(policy, asked, judge(policy, asked, ANNOTATED))
    expect(evaluate(policy, asked)).toEqual(truth)
    expect({ ...evaluate(policy, asked) }).toEqual({ ...truth })
  }
})

function fail(): never {
  throw new Error('no names')
}

function nested(depth: number): object {
  return depth === 0 ? {} : { deeper: nested(depth - 1) }
}

function holdsItself(): object {
  const args: Record<string, unknown> = { amount: 6 }
  args.self = args
  return args
}

test('arguments that answer differently each time are asked about as they were copied', () => {
  let amount = 100
  const args = new Proxy(
    { amount },
    {
      get: (target, key) => (key === 'amount' ? --amount : Reflect.get(target, key)),
      getOwnPropertyDescriptor: (target, key) => {
        const member = Reflect.getOwnPropertyDescriptor(target, key)
        return member && { ...member, value: --amount }
      },
    },
  )
  const { message } = askedOf(policy, call('pay', args))
  expect(message).toBe(`${amount} to `)
})

test('another policy does not change what was asked under the first', () => {
  const milder = policyOf('tools: { pay: { approval: { message_template: "milder" } } }')
  const asked = call('pay', { amount: 6 })
  const verdict = askedOf(policy, asked)
  expect(askedOf(milder, asked).message).toBe('milder')
  expect(verdict.message).toBe('6 to ')
  expect(verdictWord(policy, call('Pay', { amount: 6 }))).toBe('allow')
})

test('patterns of answers that a model invents do not fill the memory', () => {
  const groups = Array.from({ length: 13 }, (_, at) => `{ args_match: { a${at}: { gt: 0 } } }`)
  const many = policyOf(`tools: { pay: { approval: { condition: [${groups.join(', ')}] } } }`)
  for (let bits = 1; bits < 2 ** 13; bits++) {
    const args = Object.fromEntries(groups.map((_, at) => [`a${at}`, (bits >> at) & 1]))
    const { reasons } = askedOf(many, call('pay', args))
    const first = Math.log2(bits & -bits)
    expect(reasons[0]?.rule).toBe(`tools.pay.approval.condition[${first}]`)
  }
})

const AMOUNTS = [50, 500, 5_000]

function byAmount() {
  return policyOf(`
    people: { groups: { finance: [ana@example.com] } }
    tools: { pay: { approval: { condition: { args_match: { amount: { gt: 1 } } } } } }
    governance:
      - id: big
        match: { tool: pay }
        condition: { args_match: { amount: { gt: 100 } } }
        approval: { approvers: [{ group: finance }] }
      - { id: huge, match: { tool: pay }, condition: { args_match: { amount: { gt: 1000 } } }, deny: No }
  `)
}

test('arguments that answer every reader otherwise change no answer that is remembered', () => {
  for (const reads of AMOUNTS.flatMap((a) =>
    AMOUNTS.flatMap((b) => AMOUNTS.map((c) => [a, b, c])),
  )) {
    const policy = byAmount()
    for (let calm = 0; calm < 3; calm++) {
      let read = 0
      const args = {
        get amount() {
          return reads[Math.max(read++ - calm, 0)] ?? 50
        },
      }
      evaluate(policy, { tool: 'pay', args })
    }
    const words = AMOUNTS.map(
      (amount) => evaluate(policy, { tool: 'pay', args: { amount } }).verdict,
    )
    expect(words, reads.join()).toEqual(['confirm', 'review', 'deny'])
  }
})

test('a list with an iterator of its own is shown as it would be written', () => {
  const list = Object.assign([1, 2], {
    *[Symbol.iterator]() {
      yield 'harmless'
    },
  })
  const policy = policyOf('tools: { pay: { approval: { message_template: "{{tool_args.to}}" } } }')
  expect(evaluate(policy, { tool: 'pay', args: { to: list as never } }).message).toBe('[1,2]')
})
