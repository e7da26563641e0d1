import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ODD_KEYS, ODD_OBJECTS } from '../../../test/support/odd-objects.ts'
import { call } from '../../../test/support/policy.ts'
import { volume } from '../../../test/support/volume.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Clause } from '../evaluate/condition.ts'
import type { Test } from '../evaluate/matcher.ts'
import { readPath } from '../evaluate/path.ts'
import { compilePattern } from '../pattern/pattern.ts'
import { createChains, READERS } from './chain.ts'
import { probeOf } from './probe.ts'
import { type Group, sheetFor } from './refute.ts'
import { type Entry, type Readable, type Sheet, strictest } from './strictest.ts'

const KEYS = ['a', 'b', 'toString', 'valueOf', '__proto__']
const SCALARS = ['', 'x', 'ab', '1', 0, 1, 10, -1, 1.5, true, false] as const

const scalar = fc.constantFrom(...SCALARS)
const limit = fc.constantFrom(-1, 0, 1, 1.5, 10)
const condition: fc.Arbitrary<Test> = fc.oneof(
  fc.record({ op: fc.constantFrom('eq', 'ne'), value: scalar }),
  fc.record({ op: fc.constantFrom('gt', 'gte', 'lt', 'lte'), value: limit }),
  fc.record({
    op: fc.constantFrom('in', 'not_in'),
    values: fc.oneof(
      fc.array(fc.constantFrom('', 'x', 'ab', '1', 'y', 'z', 'w'), { maxLength: 9 }),
      fc.array(scalar, { maxLength: 4 }),
    ),
  }),
  fc
    .constantFrom('^x', 'b$', 'a+b')
    .map((text): Test => ({ op: 'pattern', pattern: patternOf(text) })),
)
const clause: fc.Arbitrary<Clause> = fc.record({
  root: fc.constant('args'),
  path: fc.constant({ text: '', keys: [] }),
  keys: fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 }),
  matcher: fc.array(condition, { maxLength: 2 }),
})
const group: fc.Arbitrary<Group> = fc.record({
  level: fc.constantFrom(1, 2, 3),
  clauses: fc.array(clause, { maxLength: 3 }),
  agent: fc.constantFrom(undefined, undefined, undefined, 'bot-*'),
  exceptRisks: fc.constant(undefined),
})
const value = fc.oneof(
  scalar,
  fc.constantFrom(null, undefined, Number.NaN, 2 ** 60, -0, [1], 'x'.repeat(9_000)),
)
const inner = fc.dictionary(fc.constantFrom(...KEYS), value)
const nested = fc.dictionary(fc.constantFrom(...KEYS), fc.oneof(value, inner))
const args = fc.dictionary(fc.constantFrom(...KEYS), fc.oneof(value, inner, nested))

function patternOf(text: string) {
  const read = compilePattern(text)
  if (!read.ok) throw new Error(text)
  return read.value
}

test('a chain answers what the sheet that it was made of answers', () => {
  let compared = 0
  const groups = fc.array(group, { minLength: 1, maxLength: 3 })
  const isSame = (rules: readonly Group[], sent: readonly object[]) => {
    const sheet = sheetFor(rules, undefined)
    const chain = createChains()(sheet)
    if (!chain) return true
    compared += sent.length
    return (sent as readonly JsonObject[]).every(
      (one) => chain(one, one, sheet.groups) === strictest(sheet, call('pay', one), one),
    )
  }
  fc.assert(fc.property(groups, fc.array(args, { minLength: 8, maxLength: 8 }), isSame), {
    numRuns: volume(500, 50_000),
  })
  expect(compared).toBeGreaterThan(1_000)
})

/** What each reader reads of an object: seen by lists that hold all and keep what they are asked. */
function valuesRead(from: object, key: string): unknown[] {
  const chainOf = createChains()
  const seen: unknown[] = []
  const types = 'string number boolean object undefined function'
  for (let chains = 0; chains < READERS.length / 8; chains++) {
    let first: Entry | undefined
    for (let nth = 8; nth > 0; nth--) {
      const has = (value: unknown) => seen.push(value) > 0
      // Their names differ: the same rules would share one chain.
      const values = Object.assign(new Set([`${chains} ${nth}`]), { has })
      const probe = { ...probeOf({ op: 'in', values: [1] }), operand: { types, values } }
      const step = { key, site: 0, deeper: undefined }
      first = { refutes: 1, nth, step, read: undefined, ...probe, next: first }
    }
    const sheet: Sheet = { least: 0, groups: 1, reviews: 2, denies: 2, first, next: undefined }
    expect(chainOf(sheet)?.(from as Readable, from as Readable, 1)).toBe(1)
  }
  return seen
}

function compareAll(): void {
  for (const [name, object] of Object.entries(ODD_OBJECTS)) {
    for (const key of ODD_KEYS) {
      const read = valuesRead(object, key)
      expect([name, key, read.length, ...new Set(read)]).toEqual([
        name,
        key,
        READERS.length,
        readPath(object, [key]),
      ])
    }
  }
}

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'amount')
  Reflect.deleteProperty(Object.prototype, 'missing')
})

test('every reader reads own properties of plain objects, also when others are added to all', () => {
  compareAll()
  Object.defineProperty(Object.prototype, 'amount', { value: 9, configurable: true })
  Object.defineProperty(Object.prototype, 'missing', { get: () => 9, configurable: true })
  compareAll()
  Reflect.deleteProperty(Object.prototype, 'amount')
  compareAll()
})

function ruleOf(key: string, test: Test, level: Group['level'] = 1): Sheet {
  const clauses: Clause[] = [
    { root: 'args', path: { text: key, keys: [key] }, keys: [key], matcher: [test] },
  ]
  return sheetFor([{ level, clauses, agent: undefined, exceptRisks: undefined }], undefined)
}

test('the same rule loaded again has the chain that it had, and another rule never has', () => {
  const chainOf = createChains()
  const rules = () => [
    ruleOf('a', { op: 'gt', value: 1 }),
    ruleOf('a', { op: 'gte', value: 1 }),
    ruleOf('a', { op: 'gt', value: 1 }, 2),
    ruleOf('b', { op: 'gt', value: 1 }),
    ruleOf('a', { op: 'eq', value: 1 }),
    ruleOf('a', { op: 'eq', value: '1' }),
    ruleOf('a', { op: 'in', values: [1] }),
    ruleOf('a', { op: 'in', values: ['1', 2] }),
    ruleOf('a', { op: 'in', values: [1, '2'] }),
    ruleOf('a', { op: 'in', values: ['1'] }),
    ruleOf('a', { op: 'pattern', pattern: patternOf('1') }),
    ruleOf('a', { op: 'pattern', pattern: patternOf('2') }),
  ]
  const chains = rules().map(chainOf)
  expect(new Set(chains).size).toBe(chains.length)
  expect(chains).not.toContain(undefined)
  expect(rules().map(chainOf)).toEqual(chains)
})

test('when all readers are given away, further rules have no chain', () => {
  const chainOf = createChains()
  const rule = (limit: number) => ruleOf('a', { op: 'gt', value: limit })
  const chains = READERS.map((_, at) => chainOf(rule(at)))
  expect(new Set(chains).size).toBe(READERS.length)
  expect(chainOf(rule(READERS.length))).toBeUndefined()
})
