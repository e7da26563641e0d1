import assert from 'node:assert/strict'
import type { Taken } from '../store/outbox.ts'
import type { Store } from '../store/store.ts'
import { approverNamed, asking, claiming, deciding, finishing, telling } from './commands.ts'
import type { StoreCase } from './store-cases/store-case.ts'

const LEASE = { limit: 10, lease: 60_000 }

async function ask(store: Store, terms: Parameters<typeof asking>[0] = {}) {
  const request = asking({ tenant: store.tenant, ...terms })
  return (await store.apply(request.id, request)).approval
}

const kinds = (taken: readonly Taken[]) => taken.map(({ kind }) => kind)

/** What people are still to be told: what every store must do with it. */
export const outboxCases: readonly StoreCase[] = [
  {
    name: 'writes no notices while no channel is open',
    async run({ open }) {
      const store = await open()
      await ask(store)
      await store.outbox.open('hook')
      assert.deepEqual(await store.outbox.take(['hook'], LEASE), [])
      assert.equal((await store.outbox.summary()).waiting, 0)
    },
  },
  {
    name: 'writes a notice with each event people should hear of, for each open channel',
    async run({ open }) {
      const store = await open()
      await store.outbox.open('hook')
      await store.outbox.open('pager')
      const asked = await ask(store)
      const { approval } = await store.apply(asked.id, deciding(asked))
      const claimed = (await store.apply(asked.id, claiming(approval))).approval
      await store.apply(asked.id, finishing(claimed))
      for (const channel of ['hook', 'pager']) {
        const told: string[] = []
        for (let one = await next(); one; one = await next()) {
          told.push(`${one.kind} ${one.revision} ${one.approval === asked.id} ${one.channel}`)
          assert.equal(await store.outbox.settle(one, { end: 'done' }), true)
        }
        assert.deepEqual(told, [
          `asked 1 true ${channel}`,
          `approved 2 true ${channel}`,
          `succeeded 4 true ${channel}`,
        ])
        async function next() {
          return (await store.outbox.take([channel], LEASE))[0]
        }
      }
      const { waiting, stuck, notices } = await store.outbox.summary()
      assert.deepEqual([waiting, stuck, notices], [0, 0, []])
    },
  },
  {
    name: 'writes for a channel what it was opened for, and nothing else',
    async run({ open }) {
      const store = await open()
      await store.outbox.open('ends', ['approved', 'denied'])
      await store.outbox.open('hook')
      const asked = await ask(store)
      assert.deepEqual(kinds(await store.outbox.take(['ends'], LEASE)), [])
      assert.deepEqual(kinds(await store.outbox.take(['hook'], LEASE)), ['asked'])
      await store.apply(asked.id, deciding(asked))
      assert.deepEqual(kinds(await store.outbox.take(['ends'], LEASE)), ['approved'])
      // Another process serves it for something else: neither misses anything.
      await store.outbox.open('ends', ['asked'])
      const second = await ask(store)
      await store.apply(second.id, deciding(second))
      const told: string[] = []
      for (let one = await next(); one; one = await next()) {
        told.push(one.kind)
        await store.outbox.settle(one, { end: 'done' })
      }
      assert.deepEqual(told, ['asked', 'approved'])
      await store.outbox.open('ends')
      await ask(store)
      assert.equal((await next())?.kind, 'asked')
      async function next() {
        return (await store.outbox.take(['ends'], LEASE))[0]
      }
    },
  },
  {
    name: 'goes on writing all for a channel that one process opened for all, another for less',
    async run({ open }) {
      const store = await open()
      await store.outbox.open('hook')
      await store.outbox.open('hook', ['denied'])
      await ask(store)
      assert.deepEqual(kinds(await store.outbox.take(['hook'], LEASE)), ['asked'])
    },
  },
  {
    name: 'sends no notice of what was refused or changed nothing',
    async run({ open }) {
      const store = await open()
      await store.outbox.open('hook')
      const asked = await ask(store)
      await assert.rejects(store.apply(asked.id, telling('remind')), { code: 'not_due' })
      await assert.rejects(store.apply(asked.id, telling('expire')), { code: 'not_due' })
      assert.equal((await store.outbox.summary()).waiting, 1)
    },
  },
  {
    name: 'gives the notices of one approval in order, one at a time',
    async run({ open }) {
      const store = await open()
      await store.outbox.open('hook')
      const first = await ask(store)
      await store.apply(first.id, deciding(first, approverNamed('ana'), 'deny'))
      const second = await ask(store)
      const taken = await store.outbox.take(['hook'], LEASE)
      assert.deepEqual(
        taken.map(({ approval, kind }) => [approval, kind]).sort(),
        [
          [first.id, 'asked'],
          [second.id, 'asked'],
        ].sort(),
      )
      assert.deepEqual(await store.outbox.take(['hook'], LEASE), [])
      for (const one of taken) await store.outbox.settle(one, { end: 'done' })
      assert.deepEqual(kinds(await store.outbox.take(['hook'], LEASE)), ['denied'])
    },
  },
  {
    name: 'holds up the next notice of an approval no longer than a patient sender waits',
    async run({ open, pass }) {
      const store = await open()
      const { outbox } = store
      await outbox.open('hook')
      const patient = { ...LEASE, patience: 500 }
      const first = await ask(store)
      await store.apply(first.id, deciding(first, approverNamed('ana'), 'deny'))
      const [asked] = await outbox.take(['hook'], patient)
      assert.ok(asked)
      // Under way for a short while, which a patient sender waits for.
      assert.deepEqual(await outbox.take(['hook'], patient), [])
      await pass(600)
      assert.deepEqual(await outbox.take(['hook'], LEASE), [])
      const [denied] = await outbox.take(['hook'], patient)
      assert.equal(denied?.kind, 'denied')
      await outbox.settle(denied, { end: 'done' })
      await outbox.settle(asked, { end: 'done' })
      // One that failed holds up no other, however long it waits for its next attempt.
      const second = await ask(store)
      await store.apply(second.id, deciding(second, approverNamed('ana'), 'deny'))
      const [failing] = await outbox.take(['hook'], patient)
      assert.ok(failing)
      await outbox.settle(failing, { end: 'later', after: 60_000, problem: 'it answered 503' })
      assert.deepEqual(await outbox.take(['hook'], LEASE), [])
      assert.deepEqual(kinds(await outbox.take(['hook'], patient)), ['denied'])
    },
  },
  {
    name: 'gives a notice to one sender at a time, and to another when the first is silent',
    async run({ open, pass }) {
      const store = await open()
      await store.outbox.open('hook')
      await ask(store)
      const short = { limit: 10, lease: 200 }
      const all = await Promise.all([1, 2, 3, 4].map(() => store.outbox.take(['hook'], short)))
      const [first] = all.flat()
      assert.equal(all.flat().length, 1)
      assert.ok(first)
      await pass(300)
      const [second] = await store.outbox.take(['hook'], LEASE)
      assert.deepEqual([second?.id, first.attempts, second?.attempts], [first.id, 1, 2])
      assert.ok(second)
      // The first comes back too late: its result no longer counts.
      assert.equal(await store.outbox.settle(first, { end: 'done' }), false)
      assert.equal(await store.outbox.settle(second, { end: 'done' }), true)
    },
  },
  {
    name: 'gives a notice to one sender in all processes',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const other = await share?.(store)
      assert.ok(other)
      await other.outbox.open('hook')
      for (let count = 0; count < 6; count += 1) await ask(store)
      const taken = await Promise.all(
        [store, other, store, other].map(({ outbox }) => outbox.take(['hook'], LEASE)),
      )
      const ids = taken.flat().map(({ id }) => id)
      assert.deepEqual([ids.length, new Set(ids).size], [6, 6])
    },
  },
  {
    name: 'keeps what could not be sent until it can, and keeps what is stuck visible',
    async run({ open, pass }) {
      const store = await open()
      const { outbox } = store
      await outbox.open('hook')
      await ask(store)
      const [first] = await outbox.take(['hook'], LEASE)
      assert.ok(first)
      await outbox.settle(first, { end: 'later', after: 200, problem: 'it answered 503' })
      assert.deepEqual(await outbox.take(['hook'], LEASE), [])
      const waiting = await outbox.summary()
      assert.deepEqual(
        [waiting.waiting, waiting.notices[0]?.state, waiting.notices[0]?.problem],
        [1, 'waiting', 'it answered 503'],
      )
      await pass(300)
      const [second] = await outbox.take(['hook'], LEASE)
      assert.ok(second)
      await outbox.settle(second, { end: 'stuck', problem: 'it answered 503 too often' })
      await pass(300)
      assert.deepEqual(await outbox.take(['hook'], LEASE), [])
      const { stuck, channels, notices } = await outbox.summary()
      assert.deepEqual([stuck, channels[0]?.stuck, notices[0]?.state], [1, 1, 'stuck'])
      assert.equal(await outbox.retry(), 1)
      const [third] = await outbox.take(['hook'], LEASE)
      assert.deepEqual([third?.id, third?.attempts], [first.id, 1])
    },
  },
  {
    name: 'writes nothing more for a channel that is shut, until it is opened again',
    async run({ open }) {
      const store = await open()
      const { outbox } = store
      await outbox.open('hook')
      await ask(store)
      await outbox.shut('hook', 'it is gone')
      await ask(store)
      const { waiting, stuck, channels } = await outbox.summary()
      assert.deepEqual([waiting, stuck, channels[0]?.problem], [0, 1, 'it is gone'])
      await outbox.open('hook')
      await ask(store)
      assert.equal((await outbox.summary()).waiting, 1)
      assert.equal((await outbox.summary()).channels[0]?.problem, undefined)
    },
  },
  {
    name: 'keeps the notices of two tenants apart',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const other = await share?.(store, { tenant: `${store.tenant}-2` })
      assert.ok(other)
      await store.outbox.open('hook')
      await ask(other)
      await ask(store)
      assert.deepEqual(await other.outbox.take(['hook'], LEASE), [])
      assert.equal(await other.outbox.retry(), 0)
      assert.equal((await other.outbox.summary()).channels.length, 0)
      assert.deepEqual(kinds(await store.outbox.take(['hook'], LEASE)), ['asked'])
    },
  },
]
