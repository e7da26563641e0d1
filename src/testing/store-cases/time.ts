import assert from 'node:assert/strict'
import { SILENCE } from '../../approval/commands/execution.ts'
import { claiming, deciding, finishing, someDigest, telling } from '../commands.ts'
import { approved, asked, current, refusedWith } from './expect.ts'
import type { StoreCase, StoreHarness } from './store-case.ts'

/** The store's clock decides; sweeping only makes it prompt. */
export const timeCases: readonly StoreCase[] = [
  {
    name: 'refuses an answer after the deadline even before a sweep',
    async run({ open, pass }) {
      const store = await open()
      const approval = await asked(store, { terms: { decideBy: 100 } })
      await pass(150)
      await refusedWith('expired', store.apply(approval.id, deciding(approval)))
      const { status, reason, revision } = await current(store, approval)
      assert.deepEqual([status, reason, revision], ['expired', 'undecided', 2])
      const types = (await store.events(approval.id)).map(({ event }) => event.type)
      assert.deepEqual(types, ['requested', 'expired', 'late'])
    },
  },
  {
    name: 'refuses a claim of a yes that was not used in time',
    async run({ open, pass }) {
      const store = await open()
      const approval = await approved(store, { terms: { useBy: 100 } })
      await pass(150)
      await refusedWith('expired', store.apply(approval.id, claiming(approval)))
      assert.equal((await current(store, approval)).reason, 'unused')
    },
  },
  {
    name: 'shows the sweeper what is due, and nothing that is not',
    async run({ open, pass }) {
      const { store, soon, unused, early, decideBy } = await lookedInTime(open)
      assert.deepEqual(early, [])
      await pass(decideBy + 100)
      const due = (await store.due()).map(({ approval }) => approval.id)
      assert.deepEqual(due, [soon.id, unused.id])
      for (const id of due) await store.apply(id, telling('expire'))
      assert.deepEqual(await store.due(), [])
      assert.equal((await current(store, soon)).status, 'expired')
    },
  },
  {
    name: 'does not expire what is not due',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      await refusedWith('not_due', store.apply(approval.id, telling('expire')))
    },
  },
  {
    name: 'asks anew for a call without a key whose question has run out',
    async run({ open, pass }) {
      const store = await open()
      const what = { digest: someDigest(), call: { run: 'run' }, terms: { decideBy: 100 } }
      const first = await asked(store, what)
      await pass(150)
      const second = await asked(store, what)
      assert.notEqual(second.id, first.id)
      assert.equal((await current(store, first)).status, 'expired')
    },
  },
  {
    name: 'shows a leased claim when its lease ran out, and takes a late end',
    async run({ open, pass }) {
      const store = await open()
      const approval = await approved(store)
      const holder = { claim: 'over-http', lease: 1_000 }
      const claim = { ...claiming(approval), holder }
      const claimed = (await store.apply(approval.id, claim)).approval
      assert.deepEqual(await store.due(), [])
      await pass(1_100)
      assert.deepEqual(
        (await store.due()).map(({ approval }) => approval.id),
        [approval.id],
      )
      const lost = (await store.apply(approval.id, telling('lost'))).approval
      assert.equal(lost.execution?.state, 'unknown')
      assert.deepEqual(await store.due(), [])
      const ended = (await store.apply(approval.id, finishing(claimed))).approval
      assert.deepEqual([ended.execution?.state, ended.execution?.late], ['succeeded', true])
    },
  },
  {
    name: 'believes that a claim runs while its process is heard of',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const claim = claiming(approval, { instance: store.instance })
      await store.apply(approval.id, claim)
      assert.deepEqual(await store.due(), [])
      await refusedWith('not_due', store.apply(approval.id, telling('lost')))
      const known = await store.instances()
      assert.ok(known.some(({ id }) => id === store.instance))
      const now = await store.now()
      assert.ok(known.every(({ lastSeen }) => now - lastSeen < SILENCE))
    },
  },
]

/** On a slow machine time runs out before the first look; then again, with more time and anew. */
async function lookedInTime(open: StoreHarness['open']) {
  for (let decideBy = 100; decideBy < 60_000; decideBy *= 4) {
    const store = await open()
    const soon = await asked(store, { terms: { decideBy } })
    const unused = await approved(store, { terms: { useBy: decideBy + 20 } })
    await asked(store)
    const early = await store.due()
    if ((await store.now()) < soon.decideBy) return { store, soon, unused, early, decideBy }
  }
  return assert.fail('the clock of this store runs away')
}
