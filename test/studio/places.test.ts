import { expect } from 'vitest'
import { createPlaces } from '../../src/studio/sandbox/places.ts'
import { promise } from '../support/promise.ts'

promise(['CS-STUDIO-2'], 'of a thousand calls at once, four run and a few wait', async () => {
  const { within } = createPlaces(4)
  let now = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 1))
    now--
  }
  const ended = await Promise.allSettled(Array.from({ length: 1_000 }, () => within(work)))
  expect(most).toBe(4)
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(36)
  const refused = ended.find((one) => one.status === 'rejected')
  expect(refused?.reason).toMatchObject({ code: 'too_many_requests' })
  // A call that failed gives its place back.
  await expect(within(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await within(work)
  expect(now).toBe(0)
})
