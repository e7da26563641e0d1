import { expect, test } from 'vitest'
import type { Json } from '../../base/json/json.ts'
import { changedPaths } from './edit.ts'

test.each<[string, Json, Json, string[][]]>([
  ['nothing', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, []],
  ['a value', { a: 1 }, { a: 2 }, [['a']]],
  ['a type', { a: 1 }, { a: '1' }, [['a']]],
  ['null for zero', { a: 0 }, { a: null }, [['a']]],
  ['something added', {}, { a: null }, [['a']]],
  ['something removed', { a: { b: 1 } }, {}, [['a']]],
  ['something deep', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [['a', 'c']]],
  ['several, in order', { z: 1, a: 1 }, { z: 2, a: 2 }, [['a'], ['z']]],
  ['an item of a list: the list', { a: [1, 2] }, { a: [1, 3] }, [['a']]],
  ['the length of a list', { a: [1] }, { a: [1, 1] }, [['a']]],
  ['an object in a list', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, [['a']]],
  ['no object in a list', { a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] }, []],
  ['a list for an object', { a: {} }, { a: [] }, [['a']]],
  ['the whole', [], {}, [[]]],
  ['a key with a dot', { 'a.b': 1 }, { 'a.b': 2 }, [['a.b']]],
  ['an inherited name', {}, { toString: 1 }, [['toString']]],
  [
    '__proto__ as data',
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":2}'),
    [['__proto__']],
  ],
])('changing %s', (_, before, after, paths) => {
  expect(changedPaths(before, after)).toEqual(paths)
})
