import { expect, test } from 'vitest'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { FIRST_FORM, loosenable, wishOf } from './grant-wish.ts'

const card = (args: unknown, masked: string[][] = []) =>
  ({ arguments: JSON.stringify(args), masked }) as unknown as ApprovalCard

test('without a choice all arguments are exactly equal', () => {
  const args = loosenable(card({ amount: 5, to: 'Lena' }))
  expect(wishOf(FIRST_FORM, args)).toEqual({ uses: 10, for: '1h' })
})

test('a chosen limit keeps every other argument as it is', () => {
  const args = loosenable(card({ amount: 5, 'a.b': 'x', to: 'Lena' }))
  const form = { ...FIRST_FORM, anyRun: true, reach: { amount: 'most', to: 'any' } as const }
  expect(wishOf(form, args)).toEqual({
    uses: 10,
    for: '1h',
    any_run: true,
    condition: { args_match: { amount: { gte: 0, lte: 5 }, 'a\\.b': 'x' } },
  })
})

test.each([
  ['lists', { to: ['Lena'] }, []],
  ['maps', { to: { name: 'Lena' } }, []],
  ['nothing', { to: null }, []],
  ['a reserved name', JSON.parse('{"__proto__":1}'), []],
  ['secrets', { to: 'Lena' }, [['to']]],
])('no limit can be chosen where there are %s', (_, args, masked) => {
  expect(loosenable(card(args, masked as string[][]))).toEqual([])
})
