import { expect, test } from 'vitest'
import { createChanges, createWaiters } from './changes.ts'

test('wakes those who know an older revision, and leaves the others', async () => {
  const waiters = createWaiters<{ id: string; revision: number }>()
  const old = waiters.park('a', 1)
  const young = waiters.park('a', 5)
  const other = waiters.park('b', 1)
  waiters.wake({ id: 'a', revision: 3 })
  expect(await old).toEqual({ id: 'a', revision: 3 })
  expect(waiters.size).toBe(2)
  waiters.wake({ id: 'a', revision: 6 })
  expect((await young).revision).toBe(6)
  expect([...waiters.ids()]).toEqual(['b'])
  waiters.close()
  await expect(other).rejects.toMatchObject({ code: 'store_closed' })
})

test('a caller that stops waiting leaves nothing behind', async () => {
  const waiters = createWaiters<{ id: string; revision: number }>()
  const stop = new AbortController()
  const many = Array.from({ length: 10 }, () => waiters.park('a', 1, stop.signal))
  const one = waiters.park('a', 1)
  stop.abort(new Error('enough'))
  for (const each of await Promise.allSettled(many)) expect(each.status).toBe('rejected')
  expect(waiters.size).toBe(1)
  waiters.fail('a', new Error('gone'))
  await expect(one).rejects.toThrow('gone')
  expect(waiters.size).toBe(0)
  expect([...waiters.ids()]).toEqual([])
})

test('one that cannot be watched is told so by its promise, and leaves no waiter behind', async () => {
  const changes = createChanges(
    async () => undefined,
    () => {
      throw new Error('the file is busy')
    },
  )
  const stop = new AbortController()
  await expect(changes.waitFor('a', 1, stop.signal)).rejects.toThrow('the file is busy')
  expect(changes.isWaitedFor).toBe(false)
})
