import assert from 'node:assert/strict'
import { RESULT_MS } from '../../store/store.ts'
import { claiming, finishing } from '../commands.ts'
import type { StoreCase } from '../store-cases.ts'
import { approved, asked } from './expect.ts'

/** Arguments, reasons and results stand beside the approval, and can go. */
export const contentCases: readonly StoreCase[] = [
  {
    name: 'keeps arguments and results beside the approval and out of its events',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const claimed = (await store.apply(approval.id, claiming(approval))).approval
      await store.apply(approval.id, finishing(claimed, { receipt: 'canary-1' }))
      const content = await store.content(approval.id)
      const kinds = content.map(({ kind }) => kind)
      assert.deepEqual(kinds, ['arguments', 'question', 'result'])
      assert.equal(content[0]?.value, '{"amount":50}')
      assert.deepEqual(content[2]?.value, { receipt: 'canary-1' })
      const recorded = JSON.stringify([
        await store.get(approval.id),
        await store.events(approval.id),
      ])
      assert.ok(!recorded.includes('canary-1') && !recorded.includes('amount'))
    },
  },
  {
    name: 'seals content in the event that came with it',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const [requested] = await store.events(approval.id)
      const keys = (await store.content(approval.id)).map(({ key }) => key)
      assert.deepEqual(Object.keys(requested?.seals ?? {}).sort(), [...keys].sort())
    },
  },
  {
    name: 'erases content and keeps approvals and events',
    async run({ open, pass }) {
      const store = await open()
      const old = await asked(store)
      await pass(20)
      const before = await store.now()
      await pass(20)
      const young = await asked(store)
      assert.equal(await store.erase(before), 2)
      assert.deepEqual(await store.content(old.id), [])
      assert.equal((await store.content(young.id)).length, 2)
      assert.deepEqual(await store.get(old.id), old)
      assert.equal((await store.events(old.id)).length, 1)
      assert.equal(await store.erase(before - RESULT_MS), 0)
    },
  },
]
