import assert from 'node:assert/strict'
import type { LockTarget } from '../../approval/locks/lock.ts'
import type { Json } from '../../base/json/json.ts'
import { isAdminEvent } from '../../store/audit/chain.ts'
import type { Amendment } from '../../store/engine/amendment.ts'
import { LOCK_RECORD } from '../../store/records/lock-record.ts'
import type { Store } from '../../store/store.ts'
import { approverNamed, asking, claiming, deciding } from '../commands.ts'
import { approved, asked, current, refusedWith, tally } from './expect.ts'
import type { StoreCase } from './store-case.ts'

const root = { issuer: 'https://id.example', subject: 'root' }

/** Setting a lock, as a gate does it. */
export function locking(target: LockTarget, until?: number): Amendment & { readonly lock: string } {
  const lock = crypto.randomUUID()
  const value = { id: lock, target, by: root, reason: 'stock-taking', at: 1 }
  return {
    lock,
    commandId: crypto.randomUUID(),
    event: { type: 'lock.set', by: { person: root }, facts: { lock } },
    changes: [
      {
        kind: LOCK_RECORD,
        id: lock,
        value: (until === undefined ? value : { ...value, until }) as unknown as Json,
        expect: 'absent',
        expiresAt: until,
      },
    ],
    content: [{ key: `${lock}/1/reason`, kind: 'reason', value: 'stock-taking' }],
  }
}

export function lifting(lock: string): Amendment {
  return {
    commandId: crypto.randomUUID(),
    event: { type: 'lock.lifted', by: { person: root }, facts: { lock } },
    changes: [{ kind: LOCK_RECORD, id: lock, expect: 'present' }],
  }
}

async function lock(store: Store, target: LockTarget, until?: number): Promise<string> {
  const amendment = locking(target, until)
  assert.equal(await store.amend(amendment), true)
  return amendment.lock
}

const TARGETS: readonly LockTarget[] = [
  { everything: true },
  { agent: 'biller' },
  { tool: 'pay' },
  { server: 'bank' },
  { server: 'bank', tool: 'pay' },
]

/** A lock is read in the transaction it stops. */
export const lockCases: readonly StoreCase[] = [
  {
    name: 'asks about nothing and starts nothing that is locked, and goes on when it is lifted',
    async run({ open }) {
      for (const target of TARGETS) {
        const store = await open()
        const call = { server: 'bank' }
        const approval = await approved(store, { call })
        const pending = await asked(store, { call })
        const id = await lock(store, target)
        const request = asking({ tenant: store.tenant, call })
        await refusedWith('locked', store.apply(request.id, request))
        await refusedWith('locked', store.apply(pending.id, deciding(pending)))
        await refusedWith('locked', store.apply(approval.id, claiming(approval)))
        assert.equal((await current(store, approval)).revision, approval.revision)
        assert.equal(await store.amend(lifting(id)), true)
        assert.equal(await store.amend(lifting(id)), false)
        const claimed = await store.apply(approval.id, claiming(approval))
        assert.equal(claimed.approval.execution?.state, 'running')
      }
    },
  },
  {
    name: 'holds back what a lock names, and nothing else',
    async run({ open }) {
      const store = await open()
      for (const target of [
        { agent: 'other' },
        { tool: 'refund' },
        { server: 'bank' },
        { server: 'bank', tool: 'pay' },
        { approval: 'other' },
        { person: { ...root, subject: 'bo' } },
      ]) {
        await lock(store, target)
      }
      const approval = await approved(store)
      await store.apply(approval.id, claiming(approval))
    },
  },
  {
    name: 'lets a lock end by itself',
    async run({ open, pass }) {
      const store = await open()
      const approval = await approved(store)
      await lock(store, { tool: 'pay' }, (await store.now()) + 1_000)
      await refusedWith('locked', store.apply(approval.id, claiming(approval)))
      await pass(1_050)
      await store.apply(approval.id, claiming(approval))
    },
  },
  {
    name: 'freezes an approval that is locked: no yes, no no, no start',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const id = await lock(store, { approval: approval.id })
      await refusedWith('locked', store.apply(approval.id, deciding(approval)))
      const no = deciding(approval, approverNamed('bo'), 'deny')
      await refusedWith('locked', store.apply(approval.id, no))
      assert.equal((await current(store, approval)).status, 'pending')
      await store.amend(lifting(id))
      await store.apply(approval.id, { ...no, commandId: crypto.randomUUID() })
    },
  },
  {
    name: 'does not count the yes of a person who is locked',
    async run({ open }) {
      const store = await open()
      const person = approverNamed('ana')
      const done = await approved(store)
      const half = await asked(store, { yeses: 2 })
      await store.apply(half.id, deciding(half, person))
      const id = await lock(store, { person: { issuer: person.issuer, subject: 'ana' } })
      await refusedWith('locked', store.apply((await asked(store)).id, deciding(half, person)))
      const after = (await store.apply(half.id, deciding(half, approverNamed('bo')))).approval
      assert.equal(after.status, 'pending')
      await refusedWith('invalidated', store.apply(done.id, claiming(done)))
      await store.amend(lifting(id))
      assert.equal((await current(store, done)).reason, 'voter')
    },
  },
  {
    name: 'records who locked and lifted, with the reason beside it',
    async run({ open }) {
      const store = await open()
      const id = await lock(store, { everything: true })
      await store.amend(lifting(id))
      const { entries } = await store.eventsSince('start')
      const seen = entries.flatMap(({ event, seals }) =>
        isAdminEvent(event) ? [[event.type, event.by, Object.keys(seals ?? {})]] : [],
      )
      assert.deepEqual(seen, [
        ['lock.set', { person: root }, [`${id}/1/reason`]],
        ['lock.lifted', { person: root }, []],
      ])
      assert.equal((await store.content(id))[0]?.value, 'stock-taking')
    },
  },
  {
    name: 'holds back everything for a lock that cannot be read',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      await store.records.put(LOCK_RECORD, 'broken', { id: 'broken', target: { moon: true } })
      await refusedWith('locked', store.apply(approval.id, claiming(approval)))
    },
  },
  {
    name: 'tells other processes of a lock',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      let told = () => {}
      const heard = new Promise<void>((resolve) => {
        told = resolve
      })
      two.onAmended(() => told())
      await lock(one, { everything: true })
      await heard
      await refusedWith('locked', asked(two))
    },
  },
  {
    name: 'lets a claim of another process come before a lock, or not at all',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 10; round += 1) {
        const approval = await approved(one)
        const amendment = locking({ approval: approval.id })
        // In half of the rounds the claim has a head start of one turn.
        const claim = () => two.apply(approval.id, claiming(approval))
        const [locked, claimed] =
          round % 2 === 0
            ? [one.amend(amendment), claim()]
            : [Promise.resolve().then(() => one.amend(amendment)), claim()]
        const { accepted } = await tally([claimed])
        assert.equal(await locked, true)
        const isRunning = (await current(one, approval)).execution !== undefined
        assert.equal(accepted === 1, isRunning)
        await tally([two.apply(approval.id, claiming(approval))])
        assert.equal((await current(two, approval)).execution !== undefined, isRunning)
      }
    },
  },
]
