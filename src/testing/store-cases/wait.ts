import assert from 'node:assert/strict'
import { deciding } from '../commands.ts'
import { asked, refusedWith } from './expect.ts'
import type { StoreCase } from './store-case.ts'

/** A waiting caller hears of every change, whichever caller made it. */
export const waitCases: readonly StoreCase[] = [
  {
    name: 'wakes a caller that waits for a change',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const waiting = [store.waitFor(approval.id, 1), store.waitFor(approval.id, 1)]
      await store.apply(approval.id, deciding(approval))
      for (const woken of await Promise.all(waiting)) assert.equal(woken.status, 'approved')
    },
  },
  {
    name: 'answers at once when the change was missed',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const { approval: after } = await store.apply(approval.id, deciding(approval))
      assert.deepEqual(await store.waitFor(approval.id, 1), after)
    },
  },
  {
    name: 'refuses to wait for what does not exist',
    async run({ open }) {
      const store = await open()
      await refusedWith('approval_not_found', store.waitFor('nothing', 1))
    },
  },
  {
    name: 'stops waiting when told to, and others go on',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const stop = new AbortController()
      const stopped = store.waitFor(approval.id, 1, stop.signal)
      const other = store.waitFor(approval.id, 1)
      stop.abort(new Error('enough'))
      await assert.rejects(stopped, /enough/)
      await assert.rejects(store.waitFor(approval.id, 1, stop.signal), /enough/)
      await store.apply(approval.id, deciding(approval))
      assert.equal((await other).status, 'approved')
    },
  },
  {
    name: 'wakes waiters of another process',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 3; round += 1) {
        const approval = await asked(one)
        const waiting = two.waitFor(approval.id, 1)
        await one.apply(approval.id, deciding(approval))
        assert.equal((await waiting).status, 'approved')
      }
    },
  },
  {
    name: 'tells subscribers of changes, their own and those of others',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      let called: (() => void) | undefined
      const heard = new Promise<void>((resolve) => {
        called = resolve
      })
      const leave = two.subscribe(() => called?.())
      await asked(one)
      await heard
      leave()
    },
  },
  {
    name: 'ends with its waiters told so',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const waiting = refusedWith('store_closed', store.waitFor(approval.id, 1))
      await store.close()
      await waiting
      await refusedWith('store_closed', store.apply(approval.id, deciding(approval)))
      // Closing again is no mistake.
      await store.close()
    },
  },
]
