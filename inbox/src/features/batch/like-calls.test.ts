import { expect, test } from 'vitest'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { groupCalls, type LikeCalls, sumOf, totalOf } from './like-calls.ts'

let made = 0
function call(args: object, more: Partial<ApprovalCard> = {}): ApprovalCard {
  made += 1
  return {
    id: `ap_${made}`,
    tool: 'refund',
    agent: 'support',
    risk: 'L2',
    masked: [],
    arguments: JSON.stringify(args),
    ...more,
  } as unknown as ApprovalCard
}

const isTable = (one: LikeCalls | ApprovalCard): one is LikeCalls => 'calls' in one
const shapes = (cards: readonly ApprovalCard[]) =>
  groupCalls(cards).map((one) => (isTable(one) ? one.calls.length : 'whole'))

test('calls of one tool with the same plain arguments are one table, in the order picked', () => {
  const one = call({ amount: 31, currency: 'EUR', order: 'A-1' })
  const two = call({ amount: 24, currency: 'EUR', order: 'A-2' })
  const [table] = groupCalls([one, two])
  if (table === undefined || !isTable(table)) throw new Error('no table')
  expect(table.same).toEqual(['currency'])
  expect(table.columns).toEqual(['order', 'amount'])
  expect(table.calls.map(({ card }) => card.id)).toEqual([one.id, two.id])
})

test('what a table would say of all and is not true of all is never joined', () => {
  const usual = { amount: 1 }
  for (const more of [
    { kind: 'agent' },
    { agent: 'another' },
    { principal: 'kim@example.com' },
    { server: 'shop' },
    { tool: 'pay' },
    { risk: 'L3' },
    { riskGuessed: true },
  ] as Partial<ApprovalCard>[]) {
    expect(shapes([call(usual), call(usual, more)])).toEqual(['whole', 'whole'])
  }
  expect(shapes([call({ amount: 1 }), call({ amount: 1, extra: true })])).toEqual([
    'whole',
    'whole',
  ])
})

test('what needs a second look is shown whole, beside the table of the others', () => {
  const plain = () => call({ amount: made })
  for (const odd of [
    call({ amount: 1 }, { masked: [['amount']] }),
    call({ amount: 1 }, { askedArguments: '{"amount":2}' }),
    call({ amount: 1 }, { arguments: '' }),
    call({ amount: [1] }),
    call({ amount: 'x'.repeat(61) }),
    call({ amount: 'two\nlines' }),
    call({ amount: 'p\u0430ypal.com' }),
    call({ amount: 'a\u202eb' }),
  ]) {
    expect(shapes([plain(), odd, plain()])).toEqual([2, 'whole'])
  }
})

test('a table with too many columns is not one', () => {
  const wide = (n: number) => call({ a: n, b: n, c: n, d: n, e: n, f: n })
  expect(shapes([wide(1), wide(2)])).toEqual(['whole', 'whole'])
})

test('only numbers that mean something together are added up', () => {
  expect(sumOf('amount', [0.1, 0.2])).toBe(0.3)
  expect(sumOf('amount_eur', [31, 18.5, 24])).toBe(73.5)
  expect(sumOf('order', [1, 2])).toBeUndefined()
  expect(sumOf('amount', [1, '2'])).toBeUndefined()
  expect(sumOf('amount', [1e308, 1e308])).toBeUndefined()
})

test('a total that would be wrong, or of nothing, is not shown', () => {
  // Fractions that are too small for their digits to be seen.
  expect(sumOf('amount', [1e-7, 1e-7])).toBeUndefined()
  expect(sumOf('amount', [1.5e-7, 2])).toBeUndefined()
  expect(sumOf('amount', [9_007_199_254_740_991, 2])).toBeUndefined()
  // A refund would hide a payment.
  expect(sumOf('amount', [5_000, -5_000])).toBeUndefined()
  for (const name of ['account', 'discount_id', 'consumer', 'price_id', 'summary', 'unit_price']) {
    expect(sumOf(name, [1, 2])).toBeUndefined()
  }
  for (const name of ['totalAmount', 'fees', 'amount_usd', 'Qty'])
    expect(sumOf(name, [1, 2])).toBe(3)
})

test('amounts of different currencies are not added up', () => {
  const total = (one: object, two: object) => {
    const [table] = groupCalls([call(one), call(two)])
    if (table === undefined || !isTable(table)) throw new Error('no table')
    return totalOf(table, 'amount', table.calls)
  }
  expect(total({ amount: 1, currency: 'EUR' }, { amount: 2, currency: 'EUR' })).toBe(3)
  expect(total({ amount: 1, order: 'A-1' }, { amount: 2, order: 'A-2' })).toBe(3)
  expect(total({ amount: 1, currency: 'EUR' }, { amount: 2, currency: 'JPY' })).toBeUndefined()
  expect(total({ amount: 1, in: 'EUR' }, { amount: 2, in: 'USD' })).toBeUndefined()
  expect(total({ amount: 1, unit: 'kg' }, { amount: 2, unit: 'box' })).toBeUndefined()
})
