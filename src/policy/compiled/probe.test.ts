import { expect, test } from 'vitest'
import { showMatcher, type Test, testValue } from '../evaluate/matcher.ts'
import { compilePattern, MAX_PATTERN_INPUT } from '../pattern/pattern.ts'
import { globProbe, isTestable, probeOf, saysNo } from './probe.ts'

const LONG = Array.from({ length: 20 }, (_, at) => `name-${at}`)
const SCALARS = [
  '',
  'a',
  'true',
  '1',
  'name-7',
  'toString',
  0,
  1,
  -1,
  1.5,
  2 ** 53 - 1,
  2 ** 60,
  true,
  false,
]
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  1.5,
  0.1 + 0.2,
  1e300,
  -1e300,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
  2 ** 53,
  2 ** 60,
]
const VALUES: readonly unknown[] = [
  ...SCALARS,
  ...NUMBERS,
  NaN,
  Infinity,
  -Infinity,
  -(2 ** 60),
  null,
  undefined,
  [],
  ['a'],
  {},
  { a: 1 },
  10n,
  Symbol('a'),
  () => 'a',
  new String('a'),
  new Number(1),
  'x'.repeat(MAX_PATTERN_INPUT),
  'x'.repeat(MAX_PATTERN_INPUT + 1),
]

const TESTS: readonly Test[] = [
  ...SCALARS.flatMap((value): Test[] => [
    { op: 'eq', value },
    { op: 'ne', value },
  ]),
  ...NUMBERS.flatMap((value): Test[] => [
    { op: 'gt', value },
    { op: 'gte', value },
    { op: 'lt', value },
    { op: 'lte', value },
  ]),
  ...[
    ['a'],
    ['a', 'toString'],
    LONG,
    [1],
    [0, 1.5],
    [true],
    ['a', 1],
    ['1', 1, true],
    [...LONG, 1],
  ].flatMap((values): Test[] => [
    { op: 'in', values },
    { op: 'not_in', values },
  ]),
  ...['^a$', 'x$', 'true', '[0-9]', '^x*$'].map((text): Test => {
    const pattern = compilePattern(text)
    if (!pattern.ok) throw new Error(pattern.problem)
    return { op: 'pattern', pattern: pattern.value }
  }),
]

test.each(TESTS.map((one) => [showMatcher([one]), one] as const))(
  '%s says no exactly to the values to which the matcher says no',
  (_, one) => {
    const probe = probeOf(one)
    const refuted = VALUES.filter((value) => saysNo(probe, value))
    expect(refuted).toEqual(VALUES.filter((value) => testValue(one, value) === 'no'))
  },
)

test.each(TESTS.map((one) => [showMatcher([one]), one] as const))(
  '%s can test exactly the values that the matcher can test',
  (_, one) => {
    const probe = probeOf(one)
    const untested = VALUES.filter((value) => !isTestable(probe, value))
    expect(untested).toEqual(VALUES.filter((value) => testValue(one, value) === 'unknown'))
  },
)

test('a glob says no to names that it does not match', () => {
  const probe = globProbe('billing-*')
  expect(['billing-1', 'billing-', 'mail', ''].filter((name) => saysNo(probe, name))).toEqual([
    'mail',
    '',
  ])
})

test('all probes have one shape', () => {
  const shapes = new Set(TESTS.map((one) => Object.keys(probeOf(one)).join()))
  expect(shapes.size).toBe(1)
})
