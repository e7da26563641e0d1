import { expect, test } from 'vitest'
import { higherRisk, isRisk, RISKS, type Risk, riskRank } from './call.ts'

test('risks rank from harmless to final', () => {
  expect(RISKS.map(riskRank)).toEqual([0, 1, 2, 3, 4, 5])
})

test.each<[Risk | undefined, Risk | undefined, Risk | undefined]>([
  ['L1', 'L4', 'L4'],
  ['L4', 'L1', 'L4'],
  ['L3', 'L3', 'L3'],
  ['L0', undefined, 'L0'],
  [undefined, 'L5', 'L5'],
  [undefined, undefined, undefined],
])('of %s and %s the higher is %s', (a, b, higher) => {
  expect(higherRisk(a, b)).toBe(higher)
})

test.each(['L6', 'l3', 'L', '', 'L03', 3, null, undefined, ['L3'], { L3: true }])(
  '%j is no risk',
  (value) => {
    expect(isRisk(value)).toBe(false)
  },
)
