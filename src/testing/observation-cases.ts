import assert from 'node:assert/strict'
import type { Observed } from '../store/observations.ts'
import type { StoreCase } from './store-cases/store-case.ts'

function seen(amount: number, more: Partial<Observed> = {}): Observed {
  return {
    call: { tool: 'pay', args: { amount } },
    verdict: 'confirm',
    reasons: [{ source: 'tool', rule: 'tools.pay.approval', answer: 'yes' }],
    digest: 'd'.repeat(64),
    policy: 'policy-1',
    ...more,
  }
}

/** Calls let through while observing: what every store must do with them. */
export const observationCases: readonly StoreCase[] = [
  {
    name: 'keeps what was observed, in order and in pages',
    async run({ open }) {
      const { observations } = await open()
      for (const amount of [1, 2, 3]) await observations.add(seen(amount))
      const first = await observations.list({ limit: 2 })
      assert.deepEqual(
        first.observed.map(({ call }) => call.args),
        [{ amount: 1 }, { amount: 2 }],
      )
      assert.ok(first.next !== undefined)
      const { observed, next } = await observations.list({ after: first.next })
      assert.deepEqual([observed.length, next], [1, undefined])
      const [third] = observed
      assert.ok(third)
      assert.deepEqual(third, { ...seen(3), at: third.at })
    },
  },
  {
    name: 'keeps a call that is too large without its arguments',
    async run({ open }) {
      const { observations } = await open()
      await observations.add(seen(1, { call: { tool: 'pay', args: { memo: 'x'.repeat(70_000) } } }))
      const [only] = (await observations.list()).observed
      assert.deepEqual(only?.call, { tool: 'pay' })
      assert.equal(only?.verdict, 'confirm')
    },
  },
  {
    name: 'erases what was observed with everything else that can be erased',
    async run({ open, pass }) {
      const store = await open()
      await store.observations.add(seen(1))
      await pass(50)
      const now = await store.now()
      await pass(50)
      await store.observations.add(seen(2))
      assert.equal(await store.erase(now), 1)
      const { observed } = await store.observations.list()
      assert.deepEqual(
        observed.map(({ call }) => call.args),
        [{ amount: 2 }],
      )
    },
  },
  {
    name: 'keeps what two tenants observed apart',
    needs: 'share',
    async run({ open, share }) {
      const store = await open()
      const other = await share?.(store, { tenant: `${store.tenant}-2` })
      assert.ok(other)
      await store.observations.add(seen(1))
      assert.deepEqual((await other.observations.list()).observed, [])
    },
  },
]
