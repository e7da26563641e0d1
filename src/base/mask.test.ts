import { expect, test } from 'vitest'
import { MASK, maskPaths } from './mask.ts'

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
  ['a path into text', { a: 'text' }, [at('a', 'length')], { a: 'text' }],
  ['a path into a list', { a: [{ b: 1 }] }, [at('a', '0', 'b')], { a: [{ b: 1 }] }],
])('hides %s', (_, value, paths, masked) => {
  expect(maskPaths(value, paths)).toEqual(masked)
})

test('the original stays as it is', () => {
  const value = { a: { b: 'secret' }, c: {} }
  const masked = maskPaths(value, [at('a', 'b')])
  expect(value.a.b).toBe('secret')
  expect(masked.c).toBe(value.c)
  expect(maskPaths(value, [])).toBe(value)
})

test('a key called __proto__ stays an ordinary key', () => {
  const value = JSON.parse('{"__proto__":{"admin":true},"a":1}')
  const masked = maskPaths(value, [at('a')])
  expect(JSON.stringify(masked)).toBe('{"__proto__":{"admin":true},"a":"[secret]"}')
  expect(masked.admin).toBeUndefined()
})
