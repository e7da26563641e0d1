import { expect, onTestFinished, test, vi } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { CountersignError } from '../base/errors.ts'
import { createGate } from '../gate/gate.ts'
import { definePolicy } from '../policy/load/define-policy.ts'
import { lazyStore } from './lazy-store.ts'
import { memoryStore } from './memory/index.ts'
import type { Store } from './store.ts'

const policy = definePolicy({ tools: { pay: { approval: true } } })

function lazily(open: () => Promise<Store>): Store {
  const store = lazyStore({ name: 'memory', tenant: 'default', open })
  onTestFinished(() => store.close())
  return store
}

test('it opens on first use, once', async () => {
  const open = vi.fn(async () => memoryStore())
  const store = lazily(open)
  const heard = vi.fn()
  store.onAmended(heard)
  expect(open).not.toHaveBeenCalled()
  await Promise.all([store.now(), store.records.get('a', 'b'), store.list({})])
  await store.records.put('kind', 'id', 1)
  expect(open).toHaveBeenCalledTimes(1)
  expect(store.instance).toMatch(/./)
  expect(store.vault.database).toMatch(/./)
})

test('open, it is the opened store, also for holders of its parts from before', async () => {
  const inner = memoryStore()
  const store = lazily(async () => inner)
  const { records, close, lost } = store
  const { get } = records
  expect(store.apply).not.toBe(inner.apply)
  await store.now()
  expect([store.apply, store.instance]).toEqual([inner.apply, inner.instance])
  expect(store.records).toBe(records)
  expect([records.get, store.vault.keys]).toEqual([inner.records.get, inner.vault.keys])
  await records.put('kind', 'id', 1)
  expect(await get('kind', 'id')).toMatchObject({ value: 1 })
  // Its own: one that was handed out before must still end it, and still tell of its loss.
  expect([store.close, store.lost]).toEqual([close, lost])
  await store.close()
  await expect(get('kind', 'id')).rejects.toMatchObject({ code: 'store_closed' })
})

promise(
  ['CS-API-2', 'SP-17'],
  'a database that cannot be opened runs nothing, says why, and is tried again',
  async () => {
    let isDown = true
    const store = lazily(async () => {
      if (isDown) throw new CountersignError('store_unavailable', 'the disk is full')
      return memoryStore()
    })
    const gate = createGate({ policy, store })
    await expect(gate.ready()).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { message: 'the disk is full' },
    })
    const tool = vi.fn(() => 'paid')
    for (const name of ['pay', 'read']) {
      const outcome = await gate.run({ tool: name, args: {} }, tool, { wait: false })
      expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'store_unavailable' })
    }
    expect(tool).not.toHaveBeenCalled()
    isDown = false
    await gate.ready()
    const asked = await gate.run({ tool: 'pay', args: {} }, tool, { wait: false })
    expect(asked.status).toBe('pending')
  },
)

test('who listens before it opens hears what happens after', async () => {
  const inner = memoryStore()
  const store = lazily(async () => inner)
  const heard = vi.fn()
  const silent = vi.fn()
  store.subscribe(heard)
  store.subscribe(silent)()
  const gate = createGate({ policy, store })
  await gate.run({ tool: 'pay', args: {} }, () => 'paid', { wait: false })
  await vi.waitFor(() => expect(heard).toHaveBeenCalled())
  expect(silent).not.toHaveBeenCalled()
})

test('closed, it opens nothing any more', async () => {
  const open = vi.fn(async () => memoryStore())
  const store = lazily(open)
  await store.close()
  await expect(store.now()).rejects.toMatchObject({ code: 'store_closed' })
  expect(open).not.toHaveBeenCalled()
})

test('a loss of the database is passed on', async () => {
  const losing = new AbortController()
  const store = lazily(async () => ({ ...memoryStore(), lost: losing.signal }))
  await store.now()
  losing.abort(new Error('another database'))
  expect(store.lost.aborted).toBe(true)
  expect(store.lost.reason).toMatchObject({ message: 'another database' })
})
