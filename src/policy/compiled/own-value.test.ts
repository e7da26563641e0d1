import { afterEach, expect, test } from 'vitest'
import { readPath } from '../evaluate/path.ts'
import { ownValue, SITES, siteSource } from './own-value.ts'

class Order {
  amount = 5
  get total(): number {
    return 5
  }
}

const OBJECTS: { readonly [name: string]: object } = {
  'a plain object': { amount: 1, total: undefined, nothing: null },
  'an object without the key': { other: 1 },
  'an empty object': {},
  'a parsed object with odd keys': JSON.parse('{"__proto__":1,"constructor":2,"toString":3,"0":4}'),
  'an object without a prototype': Object.assign(Object.create(null), { amount: 2, toString: 3 }),
  'an object that inherits the key': Object.create({ amount: 3 }),
  'an object below a null prototype': Object.create(Object.create(null, { amount: { value: 4 } })),
  'a class instance': new Order(),
  'an object with a getter': {
    get amount() {
      return 6
    },
  },
  'a frozen object': Object.freeze({ amount: 7 }),
  'an array': [1, 2],
  'a map': new Map([['amount', 1]]),
  'a date': new Date(0),
  'a large object': Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at])),
}
const KEYS = [
  'amount',
  'total',
  'nothing',
  'missing',
  'toString',
  'constructor',
  'hasOwnProperty',
  '__proto__',
  'length',
  'size',
  '0',
  'k150',
]

/** Every site, many objects each: what the engine remembers must never show. */
function compareAll(): void {
  for (let site = 0; site <= SITES; site++) {
    for (const [name, object] of Object.entries(OBJECTS)) {
      for (const key of KEYS) {
        const from = object as { readonly [key: string]: unknown }
        expect([site, name, key, ownValue(from, key, site)]).toEqual([
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
  const seen = Array.from({ length: 20_000 }, (_, at) =>
    ownValue({ amount: at, a: 1 }, 'amount', 1),
  )
  expect(seen.at(-1)).toBe(19_999)
  expect(ownValue({ a: 1 }, 'amount', 1)).toBeUndefined()
  expect(ownValue(Object.create({ amount: 1 }), 'amount', 1)).toBeUndefined()
  expect(ownValue({ amount: 1, a: 1 }, 'a', 1)).toBe(1)
})

test('sites are handed out once each, then everybody shares', () => {
  const next = siteSource()
  const sites = Array.from({ length: SITES + 2 }, () => next())
  expect(new Set(sites.slice(0, SITES)).size).toBe(SITES)
  expect(sites.slice(SITES)).toEqual([0, 0])
})
