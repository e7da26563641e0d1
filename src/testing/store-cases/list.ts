import assert from 'node:assert/strict'
import type { Approval } from '../../approval/approval.ts'
import type { Order, Store } from '../../store/store.ts'
import { approverNamed, deciding } from '../commands.ts'
import { asked, refusedWith } from './expect.ts'
import type { StoreCase } from './store-case.ts'

async function allPages(store: Store, order: Order, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await store.list({}, { order, limit, ...(after ? { after } : {}) })
    assert.ok(page.approvals.length <= limit)
    ids.push(...page.approvals.map(({ id }) => id))
    if (page.next === undefined) return ids
    after = page.next
  }
}

const ids = (approvals: readonly Approval[]) => approvals.map(({ id }) => id)

export const listCases: readonly StoreCase[] = [
  {
    name: 'lists in each order, page by page, nothing twice and nothing left out',
    async run({ open }) {
      const store = await open()
      const hours = [5, 1, 3, 2, 4]
      const risks = ['L1', 'L4', undefined, 'L4', 'L0'] as const
      const made: Approval[] = []
      for (const [index, hour] of hours.entries()) {
        const risk = risks[index]
        made.push(
          await asked(store, {
            terms: { decideBy: hour * 3_600_000 },
            call: risk === undefined ? {} : { risk },
          }),
        )
      }
      const expected = (...order: number[]) => order.map((index) => made[index]?.id)
      for (const limit of [1, 2, 3, 50]) {
        assert.deepEqual(await allPages(store, 'oldest', limit), expected(0, 1, 2, 3, 4))
        assert.deepEqual(await allPages(store, 'newest', limit), expected(4, 3, 2, 1, 0))
        assert.deepEqual(await allPages(store, 'deadline', limit), expected(1, 3, 2, 4, 0))
        assert.deepEqual(await allPages(store, 'risk', limit), expected(1, 3, 2, 0, 4))
      }
    },
  },
  {
    name: 'counts what was asked of each tool since a moment, by what became of it',
    async run({ open, pass }) {
      const store = await open()
      await asked(store, { call: { tool: 'pay' } })
      await pass(20)
      const since = await store.now()
      const pay = { tool: 'pay', server: 'bank', door: 'mcp' }
      const yes = await asked(store, { call: pay })
      const no = await asked(store, { call: { ...pay, door: 'hook' } })
      await asked(store, { call: pay })
      await asked(store, { call: { tool: 'pay', door: 'http' } })
      await store.apply(yes.id, deciding(yes))
      await store.apply(no.id, deciding(no, undefined, 'deny'))
      const bank = { server: 'bank', tool: 'pay', doors: ['hook', 'mcp'] }
      assert.deepEqual(await store.counts(since), [
        { ...bank, asked: 3, approved: 1, denied: 1 },
        { tool: 'pay', doors: ['http'], asked: 1, approved: 0, denied: 0 },
      ])
      const all = await store.counts(0)
      assert.equal(all.find(({ server }) => server === undefined)?.asked, 2)
      assert.deepEqual(await store.counts((await store.now()) + 60_000), [])
    },
  },
  {
    name: 'filters by status, call and digest',
    async run({ open }) {
      const store = await open()
      const one = await asked(store, {
        call: { tool: 'pay', run: 'r1', key: 'k1', server: 'bank' },
      })
      const two = await asked(store, { call: { tool: 'mail', run: 'r2', key: 'k2' } })
      await store.apply(two.id, deciding(two))
      const found = async (filter: Parameters<Store['list']>[0]) =>
        ids((await store.list(filter)).approvals)
      assert.deepEqual(await found({ status: ['pending'] }), [one.id])
      assert.deepEqual(await found({ status: ['approved', 'pending'] }), [one.id, two.id])
      assert.deepEqual(await found({ status: [] }), [])
      assert.deepEqual(await found({ execution: ['none'] }), [one.id, two.id])
      assert.deepEqual(await found({ execution: ['running'] }), [])
      assert.deepEqual(await found({ tool: 'mail' }), [two.id])
      assert.deepEqual(await found({ server: 'bank' }), [one.id])
      assert.deepEqual(await found({ agent: 'biller', run: 'r2', digest: two.digest }), [two.id])
      assert.deepEqual(await found({ run: 'r2', digest: one.digest }), [])
    },
  },
  {
    name: 'filters by risk, by when it was asked, and by who answered',
    async run({ open, pass }) {
      const store = await open()
      const early = await asked(store, { call: { risk: 'L1' } })
      const bo = approverNamed('bo')
      const cy = { ...approverNamed('cy'), email: 'Cy@example.com' }
      await store.apply(early.id, deciding(early, cy, 'deny'))
      await pass(20)
      const between = await store.now()
      await pass(20)
      const late = await asked(store, { call: { risk: 'L4' } })
      await store.apply(late.id, deciding(late, bo, 'deny'))
      const open1 = await asked(store, {})
      const found = async (filter: Parameters<Store['list']>[0], order: Order = 'oldest') =>
        ids((await store.list(filter, { order })).approvals)
      for (const order of ['oldest', 'newest', 'risk', 'deadline'] as const) {
        assert.deepEqual(await found({ risk: ['L1'] }, order), [early.id])
        assert.deepEqual(await found({ until: between }, order), [early.id])
        assert.deepEqual(await found({ since: between, status: ['denied'] }, order), [late.id])
        assert.deepEqual(await found({ person: 'cy@example.com' }, order), [early.id])
      }
      assert.deepEqual(await found({ risk: ['L1', 'L4'] }), [early.id, late.id])
      // What nothing rates counts as L3.
      assert.deepEqual(await found({ risk: ['L3'] }), [open1.id])
      assert.deepEqual(await found({ risk: [] }), [])
      assert.deepEqual(await found({ since: between }), [late.id, open1.id])
      assert.deepEqual(await found({ since: between, until: between }), [])
      // Neither a beginning of the address nor part of it is the person.
      assert.deepEqual(await found({ person: 'cy' }), [])
      assert.deepEqual(await found({ person: '?' }), [])
      const both = { person: 'cy@example.com', text: early.call.tool, until: between }
      assert.deepEqual(await found(both), [early.id])
      assert.deepEqual(await found({ ...both, text: 'zebra' }), [])
    },
  },
  {
    name: 'sorts the pending ones for an inbox',
    async run({ open }) {
      const store = await open()
      const low = await asked(store, { call: { risk: 'L1' } })
      const high = await asked(store, { call: { risk: 'L5' }, terms: { decideBy: 7_200_000 } })
      const soon = await asked(store, { call: { risk: 'L2' }, terms: { decideBy: 3_600_000 } })
      const pending = async (order: Order) =>
        ids((await store.list({ status: ['pending'] }, { order })).approvals)
      assert.deepEqual(await pending('risk'), [high.id, soon.id, low.id])
      assert.deepEqual(await pending('deadline'), [soon.id, high.id, low.id])
      assert.deepEqual(await pending('newest'), [soon.id, high.id, low.id])
    },
  },
  {
    name: 'among equal risks, what has the least time left comes first, and what is over comes last',
    async run({ open }) {
      const store = await open()
      const hours = [23, 1, 5]
      const made: Approval[] = []
      for (const hour of hours) {
        const terms = { decideBy: hour * 3_600_000 }
        made.push(await asked(store, { call: { risk: 'L4' }, terms }))
      }
      const over = await asked(store, { call: { risk: 'L4' }, terms: { decideBy: 60_000 } })
      await store.apply(over.id, deciding(over, undefined, 'deny'))
      const low = await asked(store, { call: { risk: 'L1' }, terms: { decideBy: 60_000 } })
      const expected = [made[1]?.id, made[2]?.id, made[0]?.id, over.id, low.id]
      for (const limit of [1, 2, 3, 50]) {
        assert.deepEqual(await allPages(store, 'risk', limit), expected)
      }
    },
  },
  {
    name: 'refuses a place that is not in the list',
    async run({ open }) {
      const store = await open()
      await asked(store)
      await asked(store)
      const { next } = await store.list({}, { limit: 1 })
      for (const after of ['', 'x', 'oldest.1; drop table', `${next}.1`]) {
        await refusedWith('cursor_unknown', store.list({}, { after }))
      }
      await refusedWith('cursor_unknown', store.list({}, { order: 'risk', after: next ?? '' }))
    },
  },
]
