import { expect, test } from 'vitest'
import { sparingly } from './adaptive-cache.ts'

test('what took long is not looked up again before twenty times as long has passed', async () => {
  let now = 0
  let looks = 0
  const look = sparingly(
    async () => {
      now += 100
      looks += 1
      return looks
    },
    () => now,
  )
  expect(await Promise.all([look(), look()])).toEqual([1, 1])
  now += 1_999
  expect(await look()).toBe(1)
  now += 1
  expect(await look()).toBe(2)
})

test('a look that failed is taken again at once', async () => {
  let looks = 0
  const look = sparingly(async () => {
    looks += 1
    if (looks === 1) throw new Error('busy')
    return looks
  })
  await expect(look()).rejects.toThrow('busy')
  expect(await look()).toBe(2)
})
