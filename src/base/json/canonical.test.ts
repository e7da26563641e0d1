import { expect, test } from 'vitest'
import { canonicalJson, freshParse, isSafeNumber } from './canonical.ts'

test.each<[string, unknown, string]>([
  ['keys in the order of UTF-16 units', { b: 1, a: 2, é: 3, B: 4 }, '{"B":4,"a":2,"b":1,"é":3}'],
  ['surrogate pairs before U+FB33', { '\ufb33': 1, '😀': 2 }, '{"😀":2,"\ufb33":1}'],
  ['nested keys', [{ d: { z: 1, y: 2 } }], '[{"d":{"y":2,"z":1}}]'],
  ['minus zero', -0, '0'],
  ['numbers in the shortest form', [1.0, 0.1, 1e-7, 100e1], '[1,0.1,1e-7,1000]'],
  ['control characters', '\u0000\u001f\n"\\/', '"\\u0000\\u001f\\n\\"\\\\/"'],
  ['other characters as themselves', '\u2028€\u007f', '"\u2028€\u007f"'],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ['own __proto__', JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ['null, true, false', [null, true, false], '[null,true,false]'],
  ['a member called toJSON', { toJSON: 1 }, '{"toJSON":1}'],
])('writes %s', (_, value, text) => {
  expect(canonicalJson(value)).toBe(text)
})

class Money {}
const circle: unknown[] = []
circle.push(circle)

test.each<[string, unknown, string]>([
  ['NaN', Number.NaN, 'unsafe_number'],
  ['infinity', [Number.NEGATIVE_INFINITY], 'unsafe_number'],
  ['2^53', { a: 2 ** 53 }, 'unsafe_number'],
  ['half a surrogate pair', 'a\ud800', 'invalid_unicode'],
  ['half a surrogate pair in a key', { '\udc00': 1 }, 'invalid_unicode'],
  ['undefined', { a: undefined }, 'invalid_value'],
  ['a hole in a list', new Array(1), 'invalid_value'],
  ['a function', () => 1, 'invalid_value'],
  ['a bigint', 1n, 'invalid_value'],
  ['a symbol', Symbol('a'), 'invalid_value'],
  ['a date', new Date(0), 'invalid_value'],
  ['a map', new Map(), 'invalid_value'],
  ['an instance of a class', new Money(), 'invalid_value'],
  ['a circle', circle, 'too_deep'],
])('refuses %s', (_, value, code) => {
  expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code }))
})

test('depth and size have limits that count exactly', () => {
  const limits = { depth: 2, bytes: 10 }
  expect(canonicalJson([[1]], limits)).toBe('[[1]]')
  expect(() => canonicalJson([[[1]]], limits)).toThrow(
    expect.objectContaining({ code: 'too_deep' }),
  )
  expect(canonicalJson('éééé', limits)).toBe('"éééé"')
  expect(() => canonicalJson('éééé!', limits)).toThrow(
    expect.objectContaining({ code: 'too_large' }),
  )
})

test.each([
  [Number.MAX_SAFE_INTEGER, true],
  [Number.MIN_SAFE_INTEGER, true],
  [2 ** 53, false],
  [-(2 ** 53), false],
  [0.1, true],
  [5e-324, true],
  [1e300, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
])('whether %d is safe: %s', (value, safe) => {
  expect(isSafeNumber(value)).toBe(safe)
})

test('a fresh parse shares nothing with the original', () => {
  const original = { a: { b: 1 } }
  const copy = freshParse(canonicalJson(original)) as typeof original
  expect(copy).toEqual(original)
  expect(copy.a).not.toBe(original.a)
})
