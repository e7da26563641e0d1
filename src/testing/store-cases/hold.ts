import assert from 'node:assert/strict'
import type { Approval } from '../../approval/approval.ts'
import type { HoldTarget } from '../../approval/holds/hold.ts'
import type { Json } from '../../base/json/json.ts'
import type { Amendment } from '../../store/engine/amendment.ts'
import { HOLD_RECORD } from '../../store/records/hold-record.ts'
import type { Store } from '../../store/store.ts'
import { approverNamed, claiming, deciding, finishing } from '../commands.ts'
import { approved, asked } from './expect.ts'
import type { StoreCase } from './store-case.ts'

const root = { issuer: 'https://id.example', subject: 'root' }

/** Placing a hold, as a gate does it. */
function holding(target: HoldTarget): Amendment & { readonly hold: string } {
  const hold = crypto.randomUUID()
  const value = { id: hold, target, by: root, reason: 'case 7', at: 1 }
  return {
    hold,
    commandId: crypto.randomUUID(),
    event: { type: 'hold.placed', by: { person: root }, facts: { hold } },
    changes: [{ kind: HOLD_RECORD, id: hold, value: value as unknown as Json, expect: 'absent' }],
    content: [{ key: `${hold}/1/reason`, kind: 'reason', value: 'case 7' }],
  }
}

function releasing(hold: string): Amendment {
  return {
    commandId: crypto.randomUUID(),
    event: { type: 'hold.released', by: { person: root }, facts: { hold } },
    changes: [{ kind: HOLD_RECORD, id: hold, expect: 'present' }],
  }
}

async function hold(store: Store, target: HoldTarget): Promise<string> {
  const amendment = holding(target)
  assert.equal(await store.amend(amendment), true)
  return amendment.hold
}

async function over(store: Store, options?: Parameters<typeof asked>[1]): Promise<Approval> {
  const approval = await asked(store, options)
  const no = deciding(approval, approverNamed('ana'), 'deny')
  return (await store.apply(approval.id, no)).approval
}

const pieces = async (store: Store, { id }: Approval) => (await store.content(id)).length

const { issuer, subject } = approverNamed('ana')

const TARGETS: readonly ((held: Approval) => HoldTarget)[] = [
  ({ id }) => ({ approval: id }),
  ({ call: { agent, tool } }) => ({ agent, tool }),
  () => ({ tool: 'refund' }),
  () => ({ person: { issuer, subject }, tool: 'refund' }),
  ({ askedAt }) => ({ tool: 'refund', since: askedAt, until: askedAt }),
]

/** What a hold names is there until it is released. */
export const holdCases: readonly StoreCase[] = [
  {
    name: 'erases nothing that a hold names, and everything else, until it is released',
    async run({ open, pass }) {
      for (const targetOf of TARGETS) {
        const store = await open()
        const held = await over(store, { call: { tool: 'refund' } })
        const free = await over(store)
        const target = targetOf(held)
        const id = await hold(store, target)
        await pass(20)
        assert.equal(await store.erase(await store.now()), 2, JSON.stringify(target))
        assert.equal(await pieces(store, held), 2)
        assert.equal(await pieces(store, free), 0)
        assert.deepEqual(
          (await store.content(id)).map(({ value }) => value),
          ['case 7'],
        )
        assert.equal(await store.amend(releasing(id)), true)
        assert.equal(await store.erase(await store.now()), 3)
        assert.equal(await pieces(store, held), 0)
      }
    },
  },
  {
    name: 'keeps what happened in the time that a hold names, and not what happened after it',
    async run({ open, pass }) {
      const store = await open()
      const early = await over(store)
      await pass(20)
      const until = await store.now()
      await pass(20)
      const late = await over(store)
      await hold(store, { until })
      await pass(20)
      assert.equal(await store.erase(await store.now()), 2)
      assert.equal(await pieces(store, early), 2)
      assert.equal(await pieces(store, late), 0)
    },
  },
  {
    name: 'keeps everything for a hold that cannot be read',
    async run({ open, pass }) {
      const store = await open()
      const old = await over(store)
      await store.records.put(HOLD_RECORD, 'broken', { id: 'broken', target: { moon: true } })
      await pass(20)
      assert.equal(await store.erase(await store.now()), 0)
      assert.equal(await pieces(store, old), 2)
    },
  },
  {
    name: 'erases the pieces that are named, and none that a hold keeps or that is still needed',
    async run({ open }) {
      const store = await open()
      const pending = await asked(store)
      const held = await over(store)
      const gone = await over(store)
      const ready = await approved(store)
      const claimed = (await store.apply(ready.id, claiming(ready))).approval
      await store.apply(ready.id, finishing(claimed, { receipt: 'canary-7' }))
      await hold(store, { approval: held.id })
      const isWanted = ({ kind, text }: { kind: string; text: string }) =>
        kind === 'question' || text.includes('canary-7')
      assert.deepEqual(await store.eraseThose(isWanted), { erased: 3, kept: 2 })
      const kinds = async ({ id }: Approval) => (await store.content(id)).map(({ kind }) => kind)
      assert.deepEqual(await kinds(pending), ['arguments', 'question'])
      assert.deepEqual(await kinds(held), ['arguments', 'question'])
      assert.deepEqual(await kinds(gone), ['arguments'])
      assert.deepEqual(await kinds(claimed), ['arguments'])
    },
  },
  {
    name: 'erases nothing that another process holds, however the two meet',
    needs: 'share',
    async run({ open, share, pass }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 6; round += 1) {
        const all = await Promise.all(Array.from({ length: 20 }, () => over(one)))
        await pass(20)
        const before = await one.now()
        const amendment = holding({ agent: all[0]?.call.agent ?? '' })
        // In half of the rounds the sweep has a head start of one turn.
        const placing =
          round % 2 === 0
            ? two.amend(amendment)
            : Promise.resolve().then(() => two.amend(amendment))
        const sweeping = one.erase(before)
        assert.equal(await placing, true)
        const counts = async () =>
          (await Promise.all(all.map((approval) => pieces(two, approval)))).join()
        const left = await counts()
        await sweeping
        await one.erase(before)
        assert.equal(await counts(), left, 'what was there when the hold was placed is there')
        assert.equal(await two.amend(releasing(amendment.hold)), true)
        await one.erase(before)
      }
    },
  },
]
