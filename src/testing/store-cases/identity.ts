import assert from 'node:assert/strict'
import type { Store } from '../../store/store.ts'
import { asking, deciding, someDigest } from '../commands.ts'
import { approved, asked, refusedWith, tally } from './expect.ts'
import type { StoreCase } from './store-case.ts'

async function ask(store: Store, what: Parameters<typeof asking>[0]) {
  const request = asking({ tenant: store.tenant, ...what })
  return store.apply(request.id, request)
}

/** (agent, run, key) names a call; without a key, its digest does while it is open. */
export const identityCases: readonly StoreCase[] = [
  {
    name: 'keeps what was asked, as it was asked',
    async run({ open }) {
      const store = await open()
      const call = { run: 'run', key: 'call-1', server: 'bank', risk: 'L4' } as const
      const request = asking({ tenant: store.tenant, call })
      const { approval, joined, events } = await store.apply(request.id, request)
      assert.equal(joined, false)
      assert.equal(approval.revision, 1)
      assert.equal(approval.status, 'pending')
      assert.deepEqual(
        events.map(({ event }) => event.type),
        ['requested'],
      )
      assert.deepEqual(await store.get(request.id), approval)
      assert.deepEqual(await store.find({ agent: 'biller', run: 'run', key: 'call-1' }), approval)
    },
  },
  {
    name: 'knows nothing of what was never asked',
    async run({ open }) {
      const store = await open()
      assert.equal(await store.get('nothing'), undefined)
      assert.equal(await store.find({ agent: 'a', run: 'r', key: 'k' }), undefined)
      assert.deepEqual(await store.events('nothing'), [])
      await refusedWith(
        'approval_not_found',
        store.apply('nothing', deciding({ digest: someDigest() })),
      )
    },
  },
  {
    name: 'tells what was asked under a key and denied in the run before, in one answer',
    async run({ open }) {
      const store = await open()
      const agent = 'biller'
      const call = { agent, tool: 'pay', run: 'run' }
      const denied = []
      for (const key of ['a', 'b', 'c']) {
        const { approval } = await ask(store, { digest: someDigest(), call: { ...call, key } })
        const no = { ...deciding(approval), verdict: 'deny' } as const
        denied.push((await store.apply(approval.id, no)).approval)
      }
      const [first, second, third] = denied
      const waits = await ask(store, { digest: someDigest(), call: { ...call, key: 'd' } })
      await ask(store, { digest: someDigest(), call: { ...call, run: 'another', key: 'a' } })
      const digest = second?.askedDigest ?? ''
      const before = await store.before({ ...call, key: 'd', digest })
      assert.deepEqual(before.approval, waits.approval)
      assert.deepEqual(before.denied, [second, third, first])
      assert.deepEqual(before.grants, [])
      for (const one of [
        { ...call, run: undefined, digest },
        { ...call, tool: 'refund', digest },
        { ...call, agent: 'other', digest },
      ]) {
        assert.deepEqual((await store.before(one)).denied, [])
      }
    },
  },
  {
    name: 'asks nothing at once that its run has a denial of',
    async run({ open }) {
      const store = await open()
      if (!store.ask) return
      const request = (what: Parameters<typeof asking>[0]) =>
        asking({ tenant: store.tenant, ...what })
      const call = { agent: 'biller', tool: 'pay', run: 'run' }
      const digest = someDigest()
      const begun = request({ digest, call: { ...call, key: 'a' } })
      // A store may always say that there is something to look at.
      const first = (await store.ask(begun)) ?? (await store.apply(begun.id, begun))
      assert.equal(first.joined, false)
      const no = { ...deciding(first.approval), verdict: 'deny' } as const
      await store.apply(first.approval.id, no)
      const second = request({ call: { ...call, key: 'b' } })
      assert.equal(await store.ask(second), undefined)
      assert.equal(await store.get(second.id), undefined)
      const digestOnly = request({ digest, call })
      assert.equal(await store.ask(digestOnly), undefined)
      // What has the key of an approval joins it, whatever was denied.
      const again = await store.ask(request({ digest, call: { ...call, key: 'a' } }))
      if (again) assert.deepEqual([again.joined, again.approval.status], [true, 'denied'])
      const { run: _, ...without } = call
      for (const other of [
        { ...call, run: 'another', key: 'b' },
        { ...call, tool: 'refund', key: 'c' },
        { ...call, agent: 'other', key: 'd' },
        without,
      ]) {
        const begins = request({ call: other })
        const begin = await store.ask(begins)
        assert.deepEqual(await store.get(begins.id), begin?.approval)
      }
    },
  },
  {
    name: 'gives the same key and call the same approval, decided or not',
    async run({ open }) {
      const store = await open()
      const what = { digest: someDigest(), call: { run: 'run', key: 'key' } }
      const first = await approved(store, what)
      const again = await ask(store, what)
      assert.equal(again.joined, true)
      assert.deepEqual(again.approval, first)
      assert.deepEqual(again.events, [])
    },
  },
  {
    name: 'refuses a key that names another call',
    async run({ open }) {
      const store = await open()
      const call = { run: 'run', key: 'key' }
      await asked(store, { call })
      await refusedWith('key_reused', ask(store, { call }))
    },
  },
  {
    name: 'takes the same key of another run or agent for another call',
    async run({ open }) {
      const store = await open()
      const digest = someDigest()
      const call = { run: 'run', key: 'key' }
      const first = await asked(store, { digest, call })
      for (const other of [{ run: 'other' }, { agent: 'other' }, { key: 'other' }]) {
        const { approval, joined } = await ask(store, { digest, call: { ...call, ...other } })
        assert.equal(joined, false)
        assert.notEqual(approval.id, first.id)
      }
    },
  },
  {
    name: 'joins calls without a key by their digest while the first is open',
    async run({ open }) {
      const store = await open()
      const what = { digest: someDigest(), call: { run: 'run' } }
      const first = await asked(store, what)
      const second = await ask(store, what)
      assert.equal(second.joined, true)
      assert.equal(second.approval.id, first.id)
      const found = await store.findByDigest({ agent: 'biller', run: 'run', digest: what.digest })
      assert.equal(found?.id, first.id)

      await store.apply(first.id, deciding(first, undefined, 'deny'))
      const third = await ask(store, what)
      assert.equal(third.joined, false)
      assert.notEqual(third.approval.id, first.id)
    },
  },
  {
    name: 'joins nothing without a run',
    async run({ open }) {
      const store = await open()
      const digest = someDigest()
      const first = await asked(store, { digest })
      const second = await asked(store, { digest })
      assert.notEqual(first.id, second.id)
    },
  },
  {
    name: 'lets one of many that ask at once create the approval, and all share it',
    async run({ open }) {
      const store = await open()
      for (const call of [{ run: 'run', key: 'key' }, { run: 'run' }]) {
        const what = { digest: someDigest(), call }
        const all = await Promise.all(Array.from({ length: 20 }, () => ask(store, what)))
        assert.equal(new Set(all.map(({ approval }) => approval.id)).size, 1)
        assert.equal(all.filter(({ joined }) => !joined).length, 1)
      }
    },
  },
  {
    name: 'settles a race of two processes for one key',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 5; round += 1) {
        const call = { run: 'run', key: `key-${round}` }
        const digest = someDigest()
        const same = await Promise.all([one, two].map((store) => ask(store, { digest, call })))
        assert.equal(new Set(same.map(({ approval }) => approval.id)).size, 1)

        const other = { run: 'run', key: `other-${round}` }
        const { accepted, refused } = await tally(
          [one, two].map((store) => ask(store, { call: other })),
        )
        assert.equal(accepted, 1)
        assert.deepEqual(refused, ['key_reused'])
      }
    },
  },
  {
    name: 'keeps tenants apart',
    needs: 'share',
    async run({ open, share }) {
      const one = await open({ tenant: 'one' })
      const two = (await share?.(one, { tenant: 'two' })) ?? one
      const call = { run: 'run', key: 'key' }
      const first = await asked(one, { call })
      assert.equal(await two.get(first.id), undefined)
      assert.equal(await two.find({ agent: 'biller', ...call }), undefined)
      assert.deepEqual((await two.list({})).approvals, [])
      assert.deepEqual(await two.content(first.id), [])
      assert.deepEqual(await two.events(first.id), [])
      assert.deepEqual((await two.eventsSince('start')).entries, [])
      await refusedWith('approval_not_found', two.apply(first.id, deciding(first)))
      const second = await asked(two, { call })
      assert.notEqual(second.id, first.id)
      await refusedWith('invalid_command', ask(two, { tenant: 'one' }))
    },
  },
  {
    name: 'refuses what is no command, and goes on',
    async run({ open }) {
      const store = await open()
      const broken = { type: 'request', commandId: crypto.randomUUID() }
      const bad = [{ ...broken }, { ...broken, type: 'obey' }, { ...broken, call: { run: 7 } }]
      const good = asking({ tenant: store.tenant })
      const results = await Promise.allSettled([
        ...bad.map((command) => store.apply('x', command as never)),
        store.apply(good.id, good),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'rejected', 'rejected', 'fulfilled'],
      )
      for (const result of results.slice(0, 3)) {
        await refusedWith(
          'invalid_command',
          result.status === 'rejected' ? Promise.reject(result.reason) : Promise.resolve(),
        )
      }
    },
  },
]
