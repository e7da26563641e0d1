import { expect, test } from 'vitest'
import { isCountersignError } from '../../base/errors.ts'
import { createRateLimit } from './rate-limit.ts'

function limited() {
  let time = 0
  const limit = createRateLimit({ most: 2, windowMs: 1_000, what: 'tries', now: () => time })
  return {
    limit,
    pass: (ms: number) => {
      time += ms
    },
  }
}

test('a name is stopped after its share, and others are not', () => {
  const { limit } = limited()
  for (const _ of [1, 2]) {
    limit.check('a')
    limit.count('a')
  }
  expect(() => limit.check('a')).toThrow('too many tries')
  limit.check('b')
})

test('it says how long to wait, and then lets the name through', () => {
  const { limit, pass } = limited()
  limit.count('a')
  limit.count('a')
  pass(400)
  try {
    limit.check('a')
    expect.unreachable()
  } catch (error) {
    if (!isCountersignError(error, 'too_many_requests')) throw error
    expect(error.hint).toBe('Wait 1 second.')
  }
  pass(600)
  limit.check('a')
})

test('many names do not use up the memory', () => {
  const { limit } = limited()
  limit.count('first')
  limit.count('first')
  for (let n = 0; n < 10_000; n += 1) limit.count(`n${n}`)
  // Forgotten, in favour of those who came later.
  limit.check('first')
})
