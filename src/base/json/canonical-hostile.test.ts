import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isCountersignError } from '../errors.ts'
import { canonicalJson, freshParse } from './canonical.ts'
import { deepFreeze } from './json.ts'
import { parseStrict } from './strict-json.ts'

function codeOf(value: unknown, limits?: Parameters<typeof canonicalJson>[1]): string {
  try {
    canonicalJson(value, limits)
    return 'accepted'
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return error.code
  }
}

class Money {
  amount = 1
}

function doubled(levels: number): unknown {
  let value: unknown = ['x']
  for (let level = 0; level < levels; level++) value = [value, value]
  return value
}

function cycle(): unknown {
  const self: { self?: unknown } = {}
  self.self = self
  return self
}

const throwing = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error('caught you')
    },
  },
)
const revoked = Proxy.revocable({}, {})
revoked.revoke()

const HOSTILE: [what: string, value: unknown, code: string][] = [
  ['undefined', undefined, 'invalid_value'],
  ['a member that is undefined', { a: undefined }, 'invalid_value'],
  ['a function', () => 1, 'invalid_value'],
  ['toJSON', { toJSON: () => 1 }, 'invalid_value'],
  ['a symbol', Symbol('a'), 'invalid_value'],
  ['a bigint', 1n, 'invalid_value'],
  ['a Date', new Date(0), 'invalid_value'],
  ['a Map', new Map(), 'invalid_value'],
  ['a class instance', new Money(), 'invalid_value'],
  ['a boxed string', new String('a'), 'invalid_value'],
  ['a typed array', new Uint8Array(2), 'invalid_value'],
  ['an inherited object', Object.create({ a: 1 }), 'invalid_value'],
  ['a list of its own kind', new (class extends Array {})(), 'invalid_value'],
  // biome-ignore lint/suspicious/noSparseArray: holes are what this is about.
  ['a hole in a list', [1, , 2], 'invalid_value'],
  [
    'a getter',
    {
      get a() {
        return 1
      },
    },
    'invalid_value',
  ],
  ['a proxy that throws', throwing, 'invalid_value'],
  ['a revoked proxy', revoked.proxy, 'invalid_value'],
  ['a value that holds itself', cycle(), 'too_deep'],
  ['a value that doubles with every level', doubled(60), 'too_large'],
  ['NaN', NaN, 'unsafe_number'],
  ['half of a pair', { a: 'x\ud800' }, 'invalid_unicode'],
  ['half of a pair in a key', { '\udc00': 1 }, 'invalid_unicode'],
  [
    'null without a prototype around it',
    Object.assign(Object.create(null), { a: null }),
    'accepted',
  ],
]

// A loop and not a table of values: the runner would look inside them to print a title.
for (const [what, value, code] of HOSTILE) {
  test(`${what}: ${code}`, () => {
    expect(codeOf(value)).toBe(code)
  })
}

test('a member is read once, so what is hashed is what runs', () => {
  let reads = 0
  const shifty = new Proxy(
    {},
    {
      ownKeys: () => ['amount'],
      getOwnPropertyDescriptor: () => ({
        value: ++reads,
        enumerable: true,
        configurable: true,
        writable: true,
      }),
    },
  )
  // One look is taken by Object.keys to see whether the member counts, one to read it.
  const text = canonicalJson(shifty)
  expect(freshParse(text)).toEqual({ amount: reads })
})

test('keys are counted over all objects', () => {
  const objects = Array.from({ length: 101 }, () => ({ a: 1, b: 2 }))
  expect(codeOf(objects, { depth: 9, bytes: 9_999, keys: 201 })).toBe('too_large')
  expect(codeOf(objects, { depth: 9, bytes: 9_999, keys: 202 })).toBe('accepted')
})

test('an error names the place', () => {
  expect(() => canonicalJson({ a: [{ b: Number.POSITIVE_INFINITY }] })).toThrow(
    '$.a[0].b is a number that',
  )
})

test('what the strict parser reads, canonical text keeps, and reading it again gives the same text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      if (codeOf(value) !== 'accepted') return
      const text = canonicalJson(value)
      expect(canonicalJson(parseStrict(text))).toBe(text)
      expect(canonicalJson(freshParse(text))).toBe(text)
      expect(canonicalJson(parseStrict(JSON.stringify(value)))).toBe(text)
    }),
    { numRuns: 2_000 },
  )
})

test('a frozen value cannot be changed at any depth, and a fresh parse can', () => {
  const frozen = deepFreeze(freshParse('{"a":{"b":[1]}}')) as { a: { b: number[] } }
  expect(() => frozen.a.b.push(2)).toThrow(TypeError)
  const fresh = freshParse('{"a":{"b":[1]}}') as { a: { b: number[] } }
  fresh.a.b.push(2)
  expect(fresh.a.b).toEqual([1, 2])
})
