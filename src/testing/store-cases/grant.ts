import assert from 'node:assert/strict'
import type { Grant } from '../../approval/grants/grant.ts'
import type { Store } from '../../store/store.ts'
import { approverNamed, asking, claiming, deciding } from '../commands.ts'
import { granted, type Minting, minting, revoking } from '../grants.ts'
import { asked, current, refusedWith, tally } from './expect.ts'
import type { StoreCase } from './store-case.ts'

async function minted(store: Store, what: Minting = {}): Promise<Grant> {
  const mint = minting({ tenant: store.tenant, ...what })
  return store.grants.apply(mint.id, mint)
}

async function now(store: Store, { id }: Pick<Grant, 'id'>): Promise<Grant> {
  const grant = await store.grants.get(id)
  assert.ok(grant, `grant ${id} is gone`)
  return grant
}

async function grantEvents(store: Store): Promise<string[]> {
  const { entries } = await store.eventsSince('start', 500)
  return entries.map(({ event }) => event.type).filter((type) => type.startsWith('grant.'))
}

/** A yes in advance, and never more of it than was given. */
export const grantCases: readonly StoreCase[] = [
  {
    name: 'counts a use, approves and claims in one step',
    async run({ open }) {
      const store = await open()
      const grant = await minted(store, { most: 100 })
      const request = granted(grant, { amount: 40.5 })
      const { approval } = await store.apply(request.id, request)
      assert.deepEqual(
        [approval.status, approval.execution?.state, approval.grant],
        ['approved', 'running', grant.id],
      )
      assert.equal(approval.decisions[0]?.grant, grant.id)
      const after = await now(store, grant)
      assert.deepEqual([after.uses, after.spent, after.state], [1, '40.5', 'live'])
      const { uses } = await store.grants.uses(grant.id)
      assert.deepEqual(
        uses.map(({ n, approval: id, amount }) => [n, id, amount]),
        [[1, approval.id, 40.5]],
      )
      assert.deepEqual(await grantEvents(store), ['grant.minted', 'grant.used'])
    },
  },
  {
    name: 'takes no second use for a call that is asked again',
    async run({ open }) {
      const store = await open()
      const grant = await minted(store)
      const call = { run: 'r1', key: 'k1' }
      const first = granted(grant, { call })
      const second = granted(grant, { call, digest: first.digest })
      const one = await store.apply(first.id, first)
      const two = await store.apply(second.id, second)
      assert.deepEqual([two.joined, two.approval.id], [true, one.approval.id])
      assert.equal((await now(store, grant)).uses, 1)
    },
  },
  {
    name: 'gives the last uses to exactly as many calls, in however many processes',
    async run({ open, share }) {
      const one = await open()
      const stores = [one, (await share?.(one)) ?? one]
      const grant = await minted(one, { uses: 3 })
      const calls = Array.from({ length: 10 }, (_, index) => {
        const request = granted(grant)
        return (stores[index % 2] ?? one).apply(request.id, request)
      })
      const { accepted, refused } = await tally(calls)
      assert.equal(accepted, 3)
      assert.deepEqual(new Set(refused), new Set(['grant_ended']))
      const after = await now(one, grant)
      assert.deepEqual([after.uses, after.state], [3, 'used_up'])
      assert.equal((await one.grants.uses(grant.id)).uses.length, 3)
    },
  },
  {
    name: 'never spends more than the budget, in however many processes',
    async run({ open, share }) {
      const one = await open()
      const stores = [one, (await share?.(one)) ?? one]
      const grant = await minted(one, { uses: 100, most: 1 })
      const calls = Array.from({ length: 15 }, (_, index) => {
        const request = granted(grant, { amount: 0.1 })
        return (stores[index % 2] ?? one).apply(request.id, request)
      })
      const { accepted, refused } = await tally(calls)
      assert.equal(accepted, 10)
      assert.deepEqual(new Set(refused), new Set(['grant_ended']))
      assert.equal((await now(one, grant)).spent, '1')
      const free = granted(grant, { amount: 0 })
      await one.apply(free.id, free)
      const untold = granted(grant)
      await refusedWith('grant_ended', one.apply(untold.id, untold))
    },
  },
  {
    name: 'lets either a use or a revocation come first, and nothing after a revocation',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 5; round += 1) {
        const grant = await minted(one, { uses: 100 })
        const request = granted(grant)
        const { accepted } = await tally([
          one.apply(request.id, request),
          two.grants.apply(grant.id, revoking(approverNamed('bo'))),
        ])
        const after = await now(one, grant)
        assert.equal(after.state, 'revoked')
        assert.equal(after.uses, accepted - 1)
        const late = granted(grant)
        await refusedWith('grant_ended', two.apply(late.id, late))
        assert.equal(await two.get(late.id), undefined)
      }
    },
  },
  {
    name: 'is looked at before a call that it could cover is asked',
    async run({ open, pass }) {
      const store = await open()
      if (!store.ask) return
      await minted(store, { lasts: 1_000 })
      const request = asking({ tenant: store.tenant })
      assert.equal(await store.ask(request), undefined)
      assert.equal(await store.get(request.id), undefined)
      await pass(1_010)
      const asked = await store.ask(request)
      assert.deepEqual(await store.get(request.id), asked?.approval)
    },
  },
  {
    name: 'covers nothing from its end on, and says so in the record',
    async run({ open, pass }) {
      const store = await open()
      const grant = await minted(store, { lasts: 1_000 })
      await refusedWith('not_due', store.grants.apply(grant.id, ending()))
      await pass(1_010)
      const request = granted(grant)
      await refusedWith('grant_ended', store.apply(request.id, request))
      const { agent, tool } = grant.scope
      const call = { agent, tool, digest: request.digest }
      assert.deepEqual((await store.before(call)).grants, [])
      assert.deepEqual(
        (await store.grants.due()).map(({ id }) => id),
        [grant.id],
      )
      assert.equal((await store.grants.apply(grant.id, ending())).state, 'expired')
      assert.deepEqual(await store.grants.due(), [])
      assert.deepEqual(await grantEvents(store), ['grant.minted', 'grant.expired'])
    },
  },
  {
    name: 'loses what it covered and why when words are erased, once it is over',
    async run({ open, pass }) {
      const store = await open()
      const words = { reason: 'ana is on holiday', most: 500 }
      const old = await minted(store, { ...words, lasts: 1_000 })
      const used = granted(old, { amount: 7 })
      await store.apply(used.id, used)
      const young = await minted(store, words)
      await refusedWith('not_due', store.grants.apply(young.id, erasing()))
      await pass(1_010)
      await store.grants.apply(old.id, ending())
      await pass(20)
      await store.erase(await store.now())
      const after = await now(store, old)
      assert.deepEqual(
        [after.erased, after.reason, after.limits, after.spent, after.uses, after.state],
        [true, undefined, { uses: 3 }, '0', 1, 'expired'],
      )
      assert.ok(!JSON.stringify(after).includes('lte'))
      assert.deepEqual(await now(store, young), young)
      const revision = after.revision
      await store.erase(await store.now())
      assert.equal((await now(store, old)).revision, revision)
      assert.deepEqual(await grantEvents(store), [
        'grant.minted',
        'grant.used',
        'grant.minted',
        'grant.expired',
        'grant.erased',
      ])
      const late = granted(after)
      await refusedWith('grant_ended', store.apply(late.id, late))
    },
  },
  {
    name: 'invalidates a yes by a grant that was revoked before its claim',
    async run({ open }) {
      const store = await open()
      const grant = await minted(store)
      const request = granted(grant, { unclaimed: true })
      const { approval } = await store.apply(request.id, request)
      assert.deepEqual([approval.status, approval.execution], ['approved', undefined])
      const other = granted(grant, { unclaimed: true })
      const kept = (await store.apply(other.id, other)).approval
      const claim = { ...claiming(kept), grant: grant.id }
      assert.equal((await store.apply(kept.id, claim)).approval.execution?.state, 'running')
      await store.grants.apply(grant.id, revoking(approverNamed('ana')))
      const late = { ...claiming(approval), grant: grant.id }
      await refusedWith('invalidated', store.apply(approval.id, late))
      const { status, reason } = await current(store, approval)
      assert.deepEqual([status, reason], ['invalidated', 'revoked'])
    },
  },
  {
    name: 'makes a grant together with a yes, or neither',
    async run({ open }) {
      const store = await open()
      const { type: _, commandId: __, tenant: ___, by: ____, ...wanted } = minting()
      const approval = await asked(store)
      await store.apply(approval.id, { ...deciding(approval), grant: wanted })
      const grant = await now(store, wanted)
      assert.deepEqual([grant.from, grant.by.subject], [approval.id, 'ana'])
      const both = await asked(store, { yeses: 2 })
      const more = { ...wanted, id: `${wanted.id}-2` }
      await refusedWith('not_grantable', store.apply(both.id, { ...deciding(both), grant: more }))
      assert.equal(await store.grants.get(more.id), undefined)
      assert.deepEqual((await current(store, both)).decisions, [])
    },
  },
  {
    name: 'keeps grants apart by tenant, and lists them page by page',
    async run({ open }) {
      const store = await open()
      const made = [await minted(store), await minted(store), await minted(store)]
      const first = await store.grants.list({ state: ['live'] }, { limit: 2 })
      const second = await store.grants.list(
        { state: ['live'] },
        { limit: 2, after: first.next ?? '' },
      )
      assert.deepEqual(
        [...first.grants, ...second.grants].map(({ id }) => id),
        made.map(({ id }) => id).reverse(),
      )
      assert.equal(second.next, undefined)
      assert.deepEqual((await store.grants.list({ tool: 'other' })).grants, [])
      const foreign = minting({ tenant: 'another-tenant' })
      await refusedWith('invalid_command', store.grants.apply(foreign.id, foreign))
    },
  },
]

function ending() {
  return { type: 'end', commandId: crypto.randomUUID() } as const
}

function erasing() {
  return { type: 'erase', commandId: crypto.randomUUID() } as const
}
