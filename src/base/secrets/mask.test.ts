import fc from 'fast-check'
import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { MASK, mask, maskText } from './mask.ts'

const MARK = { 'x-secret': true }
const P = { p: MARK }

const at = (...keys: string[]) => ({ keys })

test.each([
  ['a value', { a: 1, b: 2 }, [at('a')], { a: MASK, b: 2 }],
  ['a nested value', { a: { b: 1, c: 2 } }, [at('a', 'b')], { a: { b: MASK, c: 2 } }],
  ['an object as a whole', { a: { b: 1 } }, [at('a')], { a: MASK }],
  ['a list as a whole', { a: [1, 2] }, [at('a')], { a: MASK }],
  ['null', { a: null }, [at('a')], { a: MASK }],
  ['an outer path after an inner one', { a: { b: 1 } }, [at('a', 'b'), at('a')], { a: MASK }],
  ['an inner path after an outer one', { a: { b: 1 } }, [at('a'), at('a', 'b')], { a: MASK }],
  ['a key with a dot', { 'a.b': 1, a: { b: 2 } }, [at('a.b')], { 'a.b': MASK, a: { b: 2 } }],
  ['a key that is not there', { b: 2 }, [at('a')], { b: 2 }],
  ['a key inherited by every object', { b: 2 }, [at('toString')], { b: 2 }],
  ['a path into text', { a: 'text' }, [at('a', 'length')], { a: MASK }],
  ['a path into a list', { a: [{ b: 1 }] }, [at('a', '0', 'b')], { a: MASK }],
])('paths of the policy hide %s', (_, value, paths, masked) => {
  expect(mask(value, { paths }).value).toEqual(masked)
})

test('the original stays as it is, and is given back when nothing is hidden', () => {
  const value = { a: { b: 'secret' }, c: { d: [1, 'plain text'] } }
  const { value: shown } = mask(value, { paths: [at('a', 'b')] })
  expect(value.a.b).toBe('secret')
  expect(shown.c).toBe(value.c)
  expect(mask(value).value).toBe(value)
})

test('a key called __proto__ stays an ordinary key', () => {
  const value = JSON.parse('{"__proto__":{"admin":true},"a":1}')
  const { value: shown } = mask(value, { paths: [at('a')] })
  expect(JSON.stringify(shown)).toBe('{"__proto__":{"admin":true},"a":"[secret]"}')
  expect(shown.admin).toBeUndefined()
})

promise(['CS-SEC-1'], 'every kind of value under a secret name is hidden whole', () => {
  const { value, masked } = mask({
    password: 'hunter2',
    nested: { apiKey: 12345, list: [{ token: true }, { client_secret: { id: 1, parts: ['a'] } }] },
    headers: [{ name: 'Authorization', value: 'abc' }],
    secrets: null,
  })
  expect(value).toEqual({
    password: MASK,
    nested: { apiKey: MASK, list: [{ token: MASK }, { client_secret: MASK }] },
    headers: [{ name: 'Authorization', value: MASK }],
    secrets: MASK,
  })
  expect(masked).toContainEqual(['nested', 'list', '1', 'client_secret'])
})

promise(['CS-SEC-1'], 'what the schema of a tool marks is hidden', () => {
  const schema = {
    properties: {
      pin: { type: 'string', writeOnly: true },
      door: { format: 'password' },
      code: { $ref: '#/$defs/code' },
      either: { anyOf: [{ type: 'null' }, { 'x-secret': true }] },
      people: { items: { $ref: '#/$defs/person' } },
      map: { additionalProperties: { 'x-countersign-secret': true } },
      open: { 'x-secret': false },
    },
    $defs: {
      code: { 'x-secret': true },
      person: {
        properties: { born: { writeOnly: true }, friend: { $ref: '#/$defs/person' } },
      },
    },
  }
  const value = {
    pin: '1',
    door: 2,
    code: { a: 1 },
    either: 'x',
    people: [{ born: 1990, name: 'Bo', friend: { born: 1991 } }],
    map: { any: 1 },
    open: 'shown',
  }
  expect(mask(value, { schema }).value).toEqual({
    pin: MASK,
    door: MASK,
    code: MASK,
    either: MASK,
    people: [{ born: MASK, name: 'Bo', friend: { born: MASK } }],
    map: { any: MASK },
    open: 'shown',
  })
  const loop = { $ref: '#' }
  expect(mask({ a: { b: 1 } }, { schema: loop }).value).toEqual({ a: { b: 1 } })
})

test('a secret used as a name hides the object it is in', () => {
  const name = `ghp_${'a1'.repeat(18)}`
  expect(mask({ a: { [name]: 1 } }).value).toEqual({ a: MASK })
  expect(mask({ [name]: 1 })).toEqual({ value: { [MASK]: MASK }, masked: [[]] })
})

test('what cannot be read is refused, and never shown', () => {
  const hostile = {
    get a() {
      throw new Error('no')
    },
  }
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  expect(() => mask({ hostile })).toThrow()
  expect(() => mask(cyclic)).toThrow(/nested too deeply/)
})

test('known secrets are taken out of text wherever they stand', () => {
  expect(maskText('login of bo with correct-horse failed', ['correct-horse'])).toBe(
    'login of bo with [secret] failed',
  )
})

promise(['CS-SEC-1'], 'masking twice hides nothing less and nothing more', () => {
  const word = fc.constantFrom(
    'password',
    'note',
    'a',
    'token: x9y8z7',
    'PASSWORD="a b"',
    '--pwd q',
  )
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(word, fc.integer(), fc.dictionary(word, tie('node'), { maxKeys: 3 })),
  })).node
  fc.assert(
    fc.property(tree, (value) => {
      const once = mask({ value }).value
      expect(mask(once).value).toEqual(once)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['a list', { account: [{ number: 'DE89' }] }, { account: MASK }],
  ['a text', { account: 'number DE89' }, { account: MASK }],
  ['a number', { account: 89 }, { account: MASK }],
  ['nothing', { account: null }, { account: null }],
  [
    'an object',
    { account: { number: 'DE89', name: 'x' } },
    { account: { number: MASK, name: 'x' } },
  ],
])('S14: a secret path that ends at %s hides what stands there', (_, args, shown) => {
  const paths = [{ keys: ['account', 'number'] }]
  expect(mask(args, { paths }).value).toEqual(shown)
})

promise.each(
  ['CS-SEC-1'],
  'a mark hides, however the schema leads to it',
  [
    ['an anchor', { properties: { pin: { $ref: '#p' } }, $defs: { p: { $anchor: 'p', ...MARK } } }],
    ['its own name', { $id: 'urn:x', properties: { pin: { $ref: 'urn:x#/$defs/p' } }, $defs: P }],
    ['another member', { dependentSchemas: { a: { properties: { pin: MARK } } } }],
    ['what is left', { unevaluatedProperties: MARK }],
  ],
  (_, schema) => {
    expect(mask({ pin: 'abc' }, { schema }).value).toEqual({ pin: '[secret]' })
  },
)

test('B10-17: what a schema cannot say of a value in time is hidden', () => {
  const parts = Array.from({ length: 3_000 }, () => ({ properties: { x: {} } }))
  const schema = { anyOf: parts, properties: { pin: { 'x-secret': true } } }
  const value = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, n]))
  const { value: shown, masked } = mask({ ...value, pin: 'abc' }, { schema })
  expect(shown).toMatchObject({ k0: 0, k8999: '[secret]', pin: '[secret]' })
  expect(masked.length).toBeGreaterThan(8_000)
  // Without marks there is nothing to look up, and nothing is hidden.
  expect(mask(value, { schema: { anyOf: parts } }).masked).toEqual([])
})
