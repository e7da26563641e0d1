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

test('of more texts than are held, the rest is compared when all are added again', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => JSON.stringify(['approval', index]))
  for (const twice of [texts[0], texts[2_499], texts[4_999]]) {
    const seen = new SeenSet(1_000)
    const found: string[] = []
    let readings = 0
    do {
      readings += 1
      found.push(...[...texts, twice as string].filter((text) => !seen.add(text)))
    } while (seen.goOn())
    expect(found).toEqual([twice])
    expect(readings).toBeLessThanOrEqual(7)
  }
})
