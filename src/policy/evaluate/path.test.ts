import { expect, test } from 'vitest'
import { liesUnder, type Path, parsePath, readPath } from './path.ts'

function path(text: string): Path {
  const parsed = parsePath(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.value
}

test.each<[string, string[]]>([
  ['amount', ['amount']],
  ['order.details.amount', ['order', 'details', 'amount']],
  ['a\\.b', ['a.b']],
  ['a\\\\b', ['a\\b']],
  ['a\\\\.b', ['a\\', 'b']],
  ['a\\.b.c\\.d', ['a.b', 'c.d']],
  ['0', ['0']],
  ['with space', ['with space']],
  ['über.😀', ['über', '😀']],
])('%s names the keys %j', (text, keys) => {
  expect(parsePath(text)).toEqual({ ok: true, value: { text, keys } })
})

test.each([
  ['', 'empty parts'],
  ['.', 'empty parts'],
  ['a.', 'empty parts'],
  ['.a', 'empty parts'],
  ['a..b', 'empty parts'],
  ['a\\', 'not an escape'],
  ['a\\n', 'not an escape'],
  ['a\\\\\\', 'not an escape'],
  ['__proto__', '"__proto__" is never read'],
  ['a.constructor', '"constructor" is never read'],
  ['a.prototype.b', '"prototype" is never read'],
])('%j is no path', (text, problem) => {
  expect(parsePath(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
})

class Order {
  readonly amount = 5
}

test.each<[string, unknown, string, unknown]>([
  ['an argument', { a: 1 }, 'a', 1],
  ['a nested argument', { a: { b: { c: 'x' } } }, 'a.b.c', 'x'],
  ['a key with a dot', { 'a.b': 1, a: { b: 2 } }, 'a\\.b', 1],
  ['the path, not a key that looks like it', { 'a.b': 1, a: { b: 2 } }, 'a.b', 2],
  ['nothing for a key that looks like a path', { 'a.b': 1 }, 'a.b', undefined],
  ['null', { a: null }, 'a', null],
  ['nothing inside null', { a: null }, 'a.b', undefined],
  ['nothing inside text', { a: 'text' }, 'a.length', undefined],
  ['nothing inside a list', { a: [1, 2] }, 'a.0', undefined],
  ['not the length of a list', { a: [1, 2] }, 'a.length', undefined],
  ['nothing inherited', {}, 'toString', undefined],
  ['nothing inherited, deeper', { a: {} }, 'a.hasOwnProperty', undefined],
  ['nothing of a class instance', { a: new Order() }, 'a.amount', undefined],
  ['nothing of a map', { a: new Map([['b', 1]]) }, 'a.size', undefined],
  ['own keys without a prototype', Object.assign(Object.create(null), { a: 1 }), 'a', 1],
  ['nothing of no object', undefined, 'a', undefined],
])('reads %s', (_, root, text, value) => {
  expect(readPath(root, path(text).keys)).toBe(value)
})

test('a key that shadows an inherited name is read', () => {
  expect(readPath(JSON.parse('{"toString":"mine"}'), ['toString'])).toBe('mine')
})

test.each([
  ['a.b', 'a', true],
  ['a', 'a', true],
  ['a.b.c', 'a.b', true],
  ['a', 'a.b', false],
  ['ab', 'a', false],
  ['a\\.b', 'a', false],
  ['b.a', 'a', false],
])('%s lies under %s: %s', (inner, cover, expected) => {
  expect(liesUnder(path(inner), path(cover))).toBe(expected)
})
