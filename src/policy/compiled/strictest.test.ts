import { afterEach, expect, test } from 'vitest'
import { ODD_KEYS, ODD_OBJECTS } from '../../../test/support/odd-objects.ts'
import { call, policyOf } from '../../../test/support/policy.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { ANNOTATED } from '../evaluate/mode.ts'
import { readPath } from '../evaluate/path.ts'
import { probeOf } from './probe.ts'
import { type Sheet, SITES, type Step, strictest } from './strictest.ts'

/** What a site reads: seen by a list that holds nothing and keeps what it is asked for. */
function valueAt(from: object, key: string, site: number): unknown {
  let seen: unknown
  const values = {
    has(value: unknown) {
      seen = value
      return false
    },
  } as unknown as ReadonlySet<unknown>
  const types = 'string number boolean object undefined function'
  const step: Step = { key, site, deeper: undefined }
  const sheet: Sheet = {
    least: 0,
    groups: 1,
    reviews: 2,
    denies: 2,
    first: {
      refutes: 1,
      nth: 1,
      step,
      read: undefined,
      ...probeOf({ op: 'in', values: [1] }),
      operand: { types, values },
      next: undefined,
    },
    next: undefined,
  }
  const args = from as JsonObject
  strictest(sheet, call('pay', args), args)
  return seen
}

/** Every site, many objects each: what the engine remembers must never show. */
function compareAll(): void {
  for (let site = 0; site <= SITES; site++) {
    for (const [name, object] of Object.entries(ODD_OBJECTS)) {
      for (const key of ODD_KEYS) {
        expect([site, name, key, valueAt(object, key, site)]).toEqual([
          site,
          name,
          key,
          readPath(object, [key]),
        ])
      }
    }
  }
}

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'amount')
  Reflect.deleteProperty(Object.prototype, 'missing')
})

test('every site reads own properties of plain objects, and nothing else', compareAll)

test('what is added to every object later is not an argument', () => {
  compareAll()
  Object.defineProperty(Object.prototype, 'amount', { value: 9, configurable: true })
  Object.defineProperty(Object.prototype, 'missing', { get: () => 9, configurable: true })
  compareAll()
  Reflect.deleteProperty(Object.prototype, 'amount')
  compareAll()
})

test('a site that has seen one key and one kind of object is right about the next', () => {
  const seen = Array.from({ length: 20_000 }, (_, at) => valueAt({ amount: at, a: 1 }, 'amount', 1))
  expect(seen.at(-1)).toBe(19_999)
  expect(valueAt({ a: 1 }, 'amount', 1)).toBeUndefined()
  expect(valueAt(Object.create({ amount: 1 }), 'amount', 1)).toBeUndefined()
  expect(valueAt({ amount: 1, a: 1 }, 'a', 1)).toBe(1)
})

test('rules on more arguments than there are sites are judged all the same', () => {
  const names = Array.from({ length: 2 * SITES }, (_, at) => `argument_${at}`)
  const tools = Object.fromEntries(
    names.map((name) => [name, { approval: { condition: { args_match: { [name]: { gt: 5 } } } } }]),
  )
  const policy = policyOf(`version: 1\ntools: ${JSON.stringify(tools)}`)
  for (const name of names) {
    expect(policy.level(call(name, { [name]: 5 }), ANNOTATED)).toBe(0)
    expect(policy.level(call(name, { [name]: 6 }), ANNOTATED)).toBe(1)
    expect(policy.level(call(name, {}), ANNOTATED)).toBe(1)
  }
})
