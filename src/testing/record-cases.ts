import assert from 'node:assert/strict'
import type { StoreCase } from './store-cases/store-case.ts'

/** Small things a server keeps by name: what every store must do with them. */
export const recordCases: readonly StoreCase[] = [
  {
    name: 'keeps records by kind and id, and counts their revisions',
    async run({ open }) {
      const { records } = await open()
      assert.equal(await records.get('person', 'ana'), undefined)
      const first = await records.put('person', 'ana', { roles: ['viewer'] })
      const second = await records.put('person', 'ana', { roles: [] })
      assert.deepEqual([first?.revision, second?.revision], [1, 2])
      assert.deepEqual(await records.get('person', 'ana'), second)
      assert.deepEqual(second?.value, { roles: [] })
      assert.equal(await records.get('token', 'ana'), undefined)
    },
  },
  {
    name: 'writes a record only at the revision that is expected',
    async run({ open }) {
      const { records } = await open()
      assert.equal(await records.put('lock', 'a', 1, { expect: 1 }), undefined)
      assert.equal((await records.put('lock', 'a', 1, { expect: 'absent' }))?.revision, 1)
      assert.equal(await records.put('lock', 'a', 2, { expect: 'absent' }), undefined)
      assert.equal((await records.put('lock', 'a', 3, { expect: 1 }))?.revision, 2)
      assert.equal(await records.put('lock', 'a', 4, { expect: 1 }), undefined)
      assert.equal((await records.get('lock', 'a'))?.value, 3)
    },
  },
  {
    name: 'lets one of many writers win who expect the same',
    async run({ open }) {
      const { records } = await open()
      const tries = Array.from({ length: 8 }, (_, n) =>
        records.put('switch', 's', n, { expect: 'absent' }),
      )
      const won = (await Promise.all(tries)).filter((one) => one !== undefined)
      assert.equal(won.length, 1)
      assert.deepEqual(await records.get('switch', 's'), won[0])
    },
  },
  {
    name: 'gives a removed record to exactly one caller',
    async run({ open }) {
      const { records } = await open()
      await records.put('link', 'x', 'once')
      const taken = await Promise.all(Array.from({ length: 8 }, () => records.remove('link', 'x')))
      assert.deepEqual(
        taken.filter((one) => one !== undefined).map(({ value }) => value),
        ['once'],
      )
      assert.equal(await records.get('link', 'x'), undefined)
    },
  },
  {
    name: 'gives a removed record to one caller in all processes',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const other = await share?.(store)
      assert.ok(other)
      await store.records.put('link', 'x', 'once')
      assert.equal((await other.records.get('link', 'x'))?.value, 'once')
      const taken = await Promise.all(
        [store, other, store, other].map(({ records }) => records.remove('link', 'x')),
      )
      assert.equal(taken.filter((one) => one !== undefined).length, 1)
    },
  },
  {
    name: 'takes a record past its end for absent',
    async run({ open, pass }) {
      const store = await open()
      const { records } = store
      const expiresAt = (await store.now()) + 200
      await records.put('session', 's', 'old', { expiresAt })
      assert.equal((await records.get('session', 's'))?.expiresAt, expiresAt)
      await pass(300)
      assert.equal(await records.get('session', 's'), undefined)
      assert.deepEqual((await records.list('session')).records, [])
      assert.equal(await records.remove('session', 's'), undefined)
      await records.put('session', 't', 'old', { expiresAt })
      const fresh = await records.put('session', 't', 'new', { expect: 'absent' })
      assert.deepEqual([fresh?.revision, fresh?.expiresAt], [1, undefined])
    },
  },
  {
    name: 'lists the records of a kind in pages',
    async run({ open }) {
      const { records } = await open()
      for (const id of ['c', 'a', 'B', 'd']) await records.put('token', id, id)
      await records.put('person', 'a', 'another kind')
      const first = await records.list('token', { limit: 3 })
      assert.deepEqual(
        first.records.map(({ id }) => id),
        ['B', 'a', 'c'],
      )
      const { next: after } = first
      assert.ok(after !== undefined)
      const second = await records.list('token', { after, limit: 3 })
      assert.deepEqual(
        second.records.map(({ id }) => id),
        ['d'],
      )
      assert.equal(second.next, undefined)
    },
  },
  {
    name: 'keeps the records of two tenants apart',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const other = await share?.(store, { tenant: `${store.tenant}-2` })
      assert.ok(other)
      await store.records.put('person', 'ana', 1)
      assert.equal(await other.records.get('person', 'ana'), undefined)
      assert.equal(await other.records.remove('person', 'ana'), undefined)
      assert.equal((await other.records.put('person', 'ana', 2, { expect: 'absent' }))?.revision, 1)
      assert.equal((await store.records.get('person', 'ana'))?.value, 1)
    },
  },
  {
    name: 'has no record under a name that not every database can hold',
    async run({ open }) {
      const { records, amend } = await open()
      await records.put('key', '\ufffd', 'another')
      for (const name of ['nul\0', '\ud800']) {
        assert.equal(await records.get('key', name), undefined)
        assert.equal(await records.remove('key', name), undefined)
        await assert.rejects(async () => records.put('key', name, 1), { code: 'invalid_value' })
        const event = { type: 'switch.set', by: { system: 'gate' } } as const
        const changes = [{ kind: 'key', id: name, expect: 'present' }] as const
        const commandId = crypto.randomUUID()
        assert.equal(await amend({ commandId, event, changes }), false)
      }
      assert.equal((await records.get('key', '\ufffd'))?.value, 'another')
    },
  },
  {
    name: 'refuses a record that is too large',
    async run({ open }) {
      const { records } = await open()
      const put = async () => records.put('person', 'ana', 'x'.repeat(70_000))
      await assert.rejects(put, { code: 'too_large' })
    },
  },
]
