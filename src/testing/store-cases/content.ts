import assert from 'node:assert/strict'
import type { Approval } from '../../approval/approval.ts'
import type { Lost } from '../../approval/command.ts'
import type { ContentKind } from '../../approval/transition.ts'
import { RESULT_MS, type Store } from '../../store/store.ts'
import { approverNamed, claiming, deciding, finishing, telling } from '../commands.ts'
import { approved, asked } from './expect.ts'
import type { StoreCase } from './store-case.ts'

async function denied(store: Store, approval: Approval): Promise<Approval> {
  const no = deciding(approval, approverNamed('ana'), 'deny')
  return (await store.apply(approval.id, no)).approval
}

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
    name: 'reads only the kinds of content that are asked for',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      const claimed = (await store.apply(approval.id, claiming(approval))).approval
      await store.apply(approval.id, finishing(claimed, { receipt: 'canary-3' }))
      const kindsOf = async (...kinds: ContentKind[]) =>
        (await store.content(approval.id, kinds)).map(({ kind }) => kind)
      assert.deepEqual(await kindsOf('question'), ['question'])
      assert.deepEqual(await kindsOf('result', 'arguments'), ['arguments', 'result'])
      assert.deepEqual(await kindsOf('definition'), [])
      assert.deepEqual(await kindsOf(), [])
    },
  },
  {
    name: 'reads the approvals and the content of a page at once',
    async run({ open }) {
      const store = await open()
      const [one, two] = [await asked(store), await asked(store)]
      const found = await store.getMany([two.id, 'none', one.id])
      assert.deepEqual(found.map(({ id }) => id).sort(), [one.id, two.id].sort())
      const kinds = ['arguments', 'question'] as const
      const content = await store.contentOf([one.id, 'none', two.id], kinds)
      assert.deepEqual([...content.keys()].sort(), [one.id, two.id].sort())
      assert.deepEqual(content.get(two.id), await store.content(two.id, kinds))
      assert.equal((await store.contentOf([], kinds)).size, 0)
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
      const waiting = await asked(store)
      const old = await denied(store, waiting)
      const events = await store.events(old.id)
      await pass(20)
      const before = await store.now()
      await pass(20)
      const young = await asked(store)
      assert.equal(await store.erase(before), 2)
      assert.deepEqual(await store.content(old.id), [])
      assert.equal((await store.content(young.id)).length, 2)
      assert.deepEqual(await store.get(old.id), old)
      assert.deepEqual(await store.events(old.id), events)
      assert.equal(await store.erase(before - RESULT_MS), 0)
    },
  },
  {
    name: 'erases nothing of what is pending, approved or running, nor of what ended lately',
    async run({ open, pass }) {
      const store = await open()
      const pending = await asked(store)
      const yes = await approved(store)
      const ready = await approved(store)
      const running = (await store.apply(ready.id, claiming(ready))).approval
      const later = await asked(store)
      const over = await asked(store)
      await denied(store, over)
      await pass(20)
      const before = await store.now()
      await pass(20)
      // Asked before, ended since: what was decided is kept from its end on.
      await denied(store, later)
      assert.equal(await store.erase(before), 2)
      for (const { id } of [pending, yes, running, later]) {
        assert.equal((await store.content(id)).length, 2)
      }
      await store.apply(running.id, finishing(running, { receipt: 'canary-2' }))
      await pass(20)
      assert.equal(await store.erase(await store.now()), 2 + 3)
      for (const { id } of [running, later]) assert.deepEqual(await store.content(id), [])
      for (const { id } of [pending, yes]) assert.equal((await store.content(id)).length, 2)
    },
  },
  {
    name: 'erases nothing of a call whose outcome is unknown, until a person resolved it',
    async run({ open, pass }) {
      const store = await open()
      const ready = await approved(store)
      const claimed = (await store.apply(ready.id, claiming(ready))).approval
      const claim = claimed.execution?.claim ?? ''
      const lost = (await store.apply(ready.id, { ...telling('lost'), claim } as Lost)).approval
      assert.equal(lost.execution?.state, 'unknown')
      await pass(20)
      assert.equal(await store.erase(await store.now()), 0)
      assert.equal((await store.content(ready.id)).length, 2)
      const by = approverNamed('ana')
      const resolving = { type: 'resolve', commandId: crypto.randomUUID(), by } as const
      await store.apply(ready.id, { ...resolving, outcome: 'succeeded' })
      await pass(20)
      assert.equal(await store.erase(await store.now()), 2)
      assert.deepEqual(await store.content(ready.id), [])
    },
  },
  {
    name: 'erases in pieces, past what is kept, and stops when told to',
    async run({ open, pass }) {
      const store = await open()
      const first = await asked(store)
      const others = await Promise.all(Array.from({ length: 600 }, () => asked(store)))
      await Promise.all(others.map((one) => denied(store, one)))
      const last = await asked(store)
      await pass(20)
      const stopped = AbortSignal.abort()
      assert.equal(await store.erase(await store.now(), stopped), 0)
      assert.equal(await store.erase(await store.now()), 1_200)
      for (const { id } of [first, last]) assert.equal((await store.content(id)).length, 2)
    },
  },
]
