import { expect, test } from 'vitest'
import { SeenSet } from './audit-seen.ts'

test('a text is new once, however many others there are', () => {
  const seen = new SeenSet()
  const texts = Array.from({ length: 50_000 }, (_, index) => JSON.stringify(['approval', index]))
  expect(texts.filter((text) => !seen.add(text))).toEqual([])
  expect(texts.filter((text) => seen.add(text))).toEqual([])
})

test('texts that differ in one place are different', () => {
  const seen = new SeenSet()
  expect(['', 'a', 'b', 'ab', 'ba', 'aa', 'é', '\0', '\0\0'].every((text) => seen.add(text))).toBe(
    true,
  )
})
