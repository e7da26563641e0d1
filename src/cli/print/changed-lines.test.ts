import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedLines } from './changed-lines.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })

test('what was and what is can both be read off the changed lines', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changed = changedLines(before, after)
      const without = (mark: string) =>
        changed.filter((line) => line.mark !== mark).map(({ text }) => text)
      expect(without('+')).toEqual(before)
      expect(without('-')).toEqual(after)
    }),
  )
})

test('a line that only moved shows', () => {
  expect(changedLines(['a', 'b'], ['b', 'a']).some(({ mark }) => mark !== ' ')).toBe(true)
  expect(changedLines(['a', 'b'], ['a', 'b']).every(({ mark }) => mark === ' ')).toBe(true)
})

test('texts with very many lines are not compared line by line', () => {
  const many = (name: string) => Array.from({ length: 3_000 }, (_, n) => `${name}${n}`)
  const changed = changedLines(['same', ...many('a')], [...many('b'), 'same'])
  expect(changed).toHaveLength(6_002)
  expect(changed.filter(({ mark }) => mark === ' ')).toEqual([])
})
