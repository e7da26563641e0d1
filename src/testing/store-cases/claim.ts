import assert from 'node:assert/strict'
import { approverNamed, claiming, deciding, finishing } from '../commands.ts'
import { approved, asked, current, refusedWith, tally } from './expect.ts'
import type { StoreCase } from './store-case.ts'

/** A yes is spent once. */
export const claimCases: readonly StoreCase[] = [
  {
    name: 'runs from request to result',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const claimed = (await store.apply(approval.id, claiming(approval))).approval
      assert.equal(claimed.execution?.state, 'running')
      const ended = (await store.apply(approval.id, finishing(claimed, { paid: 50 }))).approval
      assert.equal(ended.execution?.state, 'succeeded')
      assert.equal(ended.revision, 4)
      const types = (await store.events(approval.id)).map(({ event }) => event.type)
      assert.deepEqual(types, ['requested', 'decided', 'approved', 'claimed', 'finished'])
    },
  },
  {
    name: 'lets exactly one of twenty claim an approval',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const claims = Array.from({ length: 20 }, () => store.apply(approval.id, claiming(approval)))
      const { accepted, refused } = await tally(claims)
      assert.equal(accepted, 1)
      assert.deepEqual(
        refused,
        Array.from({ length: 19 }, () => 'already_claimed'),
      )
      const claimed = (await store.events(approval.id)).filter(
        ({ event }) => event.type === 'claimed',
      )
      assert.equal(claimed.length, 1)
    },
  },
  {
    name: 'lets exactly one process of several claim an approval',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const stores = [one, (await share?.(one)) ?? one, (await share?.(one)) ?? one]
      for (let round = 0; round < 5; round += 1) {
        const approval = await approved(one)
        const claims = Array.from({ length: 21 }, (_, index) => {
          const store = stores[index % stores.length] ?? one
          return store.apply(approval.id, claiming(approval))
        })
        const { accepted, refused } = await tally(claims)
        assert.equal(accepted, 1)
        assert.ok(refused.every((code) => code === 'already_claimed'))
      }
    },
  },
  {
    name: 'lets either a claim or a revocation win, and never both',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 10; round += 1) {
        const approval = await approved(one)
        const { accepted } = await tally([
          one.apply(approval.id, claiming(approval)),
          two.apply(approval.id, deciding(approval, approverNamed('bo'), 'deny')),
        ])
        assert.equal(accepted, 1)
        const { status, execution } = await current(one, approval)
        assert.deepEqual(
          [status, execution?.state],
          execution ? ['approved', 'running'] : ['invalidated', undefined],
        )
      }
    },
  },
  {
    name: 'ends an approval whose claim finds the tool changed',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const changed = { ...claiming(approval), definition: 'e'.repeat(64) }
      await refusedWith('invalidated', store.apply(approval.id, changed))
      const { status, reason } = await current(store, approval)
      assert.deepEqual([status, reason], ['invalidated', 'tool'])
      await refusedWith('invalidated', store.apply(approval.id, claiming(approval)))
    },
  },
  {
    name: 'takes the end of a call from the claim that ran it only',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const claimed = (await store.apply(approval.id, claiming(approval))).approval
      const stranger = { ...finishing(claimed), claim: 'another-claim' }
      await refusedWith('not_the_claimer', store.apply(approval.id, stranger))
      await refusedWith('not_running', store.apply((await asked(store)).id, finishing(claimed)))
    },
  },
]
