import { expect, test } from 'vitest'
import { addStretch, firstUnseen, isCovered, type Stretch } from './coverage.ts'

const after = (...stretches: Stretch[]) =>
  stretches.reduce<readonly Stretch[]>((seen, next) => addStretch(seen, next), [])

test.each([
  ['nothing', [], false],
  ['all at once', [[0, 100]], true],
  [
    'screen after screen',
    [
      [0, 40],
      [30, 70],
      [70, 100],
    ],
    true,
  ],
  ['only the end', [[60, 100]], false],
  [
    'start and end, not the middle',
    [
      [0, 40],
      [60, 100],
    ],
    false,
  ],
  [
    'the middle at last',
    [
      [0, 40],
      [60, 100],
      [38, 62],
    ],
    true,
  ],
  [
    'an empty stretch',
    [
      [50, 50],
      [70, 20],
    ],
    false,
  ],
] as const)('%s', (_, stretches, covered) => {
  expect(isCovered(after(...stretches.map(([from, to]): Stretch => [from, to])), 100)).toBe(covered)
})

test('what comes next is the first part that was not seen', () => {
  expect(firstUnseen([])).toBe(0)
  expect(firstUnseen(after([0, 40], [60, 100]))).toBe(40)
  expect(firstUnseen(after([60, 100]))).toBe(0)
})
