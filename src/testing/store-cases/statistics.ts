import assert from 'node:assert/strict'
import type { Counts, Dimension } from '../../store/statistics/statistics.ts'
import { addCounts, NOTHING } from '../../store/statistics/statistics.ts'
import type { Store } from '../../store/store.ts'
import { approverNamed, deciding } from '../commands.ts'
import { asked } from './expect.ts'
import type { StoreCase } from './store-case.ts'

const EVER = { from: 0, to: 100_000 }

/** All days of one thing, once everything is counted. Late commits may hold a feed back. */
async function counted(store: Store, dimension: Dimension, key: string): Promise<Counts> {
  for (let turn = 0; turn < 500 && (await store.statistics.step()); turn += 1);
  const { days, sums } = await store.statistics.read(EVER)
  const own = sums.filter((one) => one.dimension === dimension && one.key === key)
  return (dimension === 'all' ? days : own).reduce(
    (sum, { counts }) => addCounts(sum, counts),
    NOTHING,
  )
}

/** Without the times: those are of the clock of the store. */
function numbers({ times: _, hours: __, ...counts }: Counts) {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0))
}

async function someCalls(store: Store): Promise<void> {
  const [ana, bo] = [approverNamed('ana'), approverNamed('bo')]
  const pay = { tool: 'pay', server: 'bank', agent: 'biller' }
  const yes = await asked(store, { call: pay })
  await store.apply(yes.id, deciding(yes, ana))
  const revoked = await asked(store, { call: pay })
  await store.apply(revoked.id, deciding(revoked, ana))
  await store.apply(revoked.id, deciding(revoked, bo, 'deny'))
  const no = await asked(store, { call: { ...pay, agent: 'other' } })
  await store.apply(no.id, deciding(no, bo, 'deny'))
  const half = await asked(store, { call: { tool: 'wire' }, yeses: 2 })
  await store.apply(half.id, deciding(half, ana))
  const given = await asked(store, { call: { tool: 'wire' } })
  const commandId = crypto.randomUUID()
  await store.apply(given.id, { type: 'withdraw', commandId, by: { agent: 'biller' } })
}

export const statisticsCases: readonly StoreCase[] = [
  {
    name: 'counts each question once, and how it ended once',
    async run({ open }) {
      const store = await open()
      assert.deepEqual((await store.statistics.read(EVER)).sums, [])
      await someCalls(store)
      for (let again = 0; again < 2; again += 1) {
        // A yes that was taken back was a yes.
        const all = await counted(store, 'all', '')
        assert.deepEqual(numbers(all), { asked: 5, approved: 2, denied: 1, other: 1 })
        assert.equal(
          Object.values(all.times).reduce((sum, n) => sum + n, 0),
          3,
        )
        const tool = await counted(store, 'tool', '["bank","pay"]')
        assert.deepEqual(numbers(tool), { asked: 3, approved: 2, denied: 1 })
        const agent = await counted(store, 'agent', 'other')
        assert.deepEqual(numbers(agent), { asked: 1, denied: 1 })
        const group = await counted(store, 'group', 'staff')
        assert.deepEqual(numbers(group), { asked: 1 })
        const rule = await counted(store, 'rule', '["tool","tools.pay.approval"]')
        assert.deepEqual(numbers(rule), numbers(all))
        const ana = await counted(store, 'person', '["https://id.example","ana"]')
        assert.deepEqual(numbers(ana), { asked: 3, approved: 3, quick: 3 })
        assert.equal(
          Object.values(ana.hours).reduce((sum, n) => sum + n, 0),
          3,
        )
      }
      const { isBehind, until } = await store.statistics.read(EVER)
      assert.equal(isBehind, false)
      assert.ok(until !== undefined && until <= (await store.now()))
    },
  },
  {
    name: 'counts nothing twice when two processes count, and nothing of another tenant',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const second = await share?.(store)
      // One that no other case writes as.
      const stranger = await share?.(store, { tenant: crypto.randomUUID() })
      assert.ok(second && stranger)
      for (let turn = 0; turn < 12; turn += 1) await someCalls(store)
      await asked(stranger, { call: { agent: 'stranger' } })
      await Promise.all(
        [store, second, store, second].map(async ({ statistics }) => {
          for (let turn = 0; turn < 20; turn += 1) await statistics.step()
        }),
      )
      assert.deepEqual(numbers(await counted(second, 'all', '')), {
        ...{ asked: 60, approved: 24, denied: 12, other: 12 },
      })
      assert.deepEqual(numbers(await counted(stranger, 'all', '')), { asked: 1 })
      assert.deepEqual(numbers(await counted(store, 'agent', 'stranger')), {})
    },
  },
]
