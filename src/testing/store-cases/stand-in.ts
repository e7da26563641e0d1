import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Approval } from '../../approval/approval.ts'
import type { Person, PersonId } from '../../approval/people/person.ts'
import { asVoter, type StandIn } from '../../approval/people/stand-in.ts'
import type { Json } from '../../base/json/json.ts'
import { isAdminEvent } from '../../store/audit/chain.ts'
import type { Amendment } from '../../store/engine/amendment.ts'
import { STAND_IN_RECORD } from '../../store/records/stand-in-record.ts'
import type { Store } from '../../store/store.ts'
import { approverNamed, asking, claiming, deciding } from '../commands.ts'
import { current, refusedWith, tally } from './expect.ts'
import type { StoreCase } from './store-case.ts'

const FAR = 4_000_000_000_000
const ana = approverNamed('ana')
const { issuer, subject, groups } = ana
const absent = { issuer, subject }

/** A person without a place of their own. */
const guest = (name: string): Person => ({ ...approverNamed(name), groups: [], roles: ['viewer'] })

/** Saying that one person stands in for `ana`, as a gate does it. */
export function standingIn(
  name = 'eve',
  facts: Partial<StandIn> = {},
): Amendment & { readonly standIn: string } {
  const id = facts.id ?? crypto.randomUUID()
  const value: StandIn = {
    id,
    absent,
    standIn: { issuer, subject: name },
    from: 0,
    until: FAR,
    by: absent,
    at: 1,
    ...facts,
  }
  return {
    standIn: id,
    commandId: crypto.randomUUID(),
    event: { type: 'standin.set', by: { person: absent }, facts: { standIn: id } },
    changes: [
      { kind: STAND_IN_RECORD, id, value: value as unknown as Json, expiresAt: value.until },
    ],
  }
}

export function ending(standIn: string): Amendment {
  return {
    commandId: crypto.randomUUID(),
    event: { type: 'standin.ended', by: { person: absent }, facts: { standIn } },
    changes: [{ kind: STAND_IN_RECORD, id: standIn, expect: 'present' }],
  }
}

/** The person as a gate sends them, who stands in for `ana`, or for another person of her group. */
export function inPlaceOf(standIn: string, away: PersonId = absent, name = 'eve'): Person {
  return { ...guest(name), for: [{ ...away, groups, standIn }] }
}

/** Pending, and needs so many of a group that `ana` is in. */
export async function askedOfStaff(store: Store, yeses = 2): Promise<Approval> {
  const request = asking({ tenant: store.tenant, yeses: 2 })
  const [requirement] = request.requirements
  assert.ok(requirement)
  const quorum = [{ group: 'staff', n: yeses }]
  const requirements = [{ ...requirement, quorum }]
  return (await store.apply(request.id, { ...request, requirements })).approval
}

/** A claim by a gate that knows all people, those who were away as well. */
export function claimingFor(approval: Approval) {
  const people = approval.decisions.flatMap(({ by }) => [by, ...(by.for ?? []).map(asVoter)])
  return { ...claiming(approval), voters: people }
}

async function set(store: Store, name?: string, facts?: Partial<StandIn>): Promise<string> {
  const amendment = standingIn(name, facts)
  assert.equal(await store.amend(amendment), true)
  return amendment.standIn
}

/** Who stands in for whom is read in the transaction that takes an answer. */
export const standInCases: readonly StoreCase[] = [
  {
    name: 'takes an answer for a person who is away, while it is so',
    async run({ open }) {
      const store = await open()
      const approval = await askedOfStaff(store, 1)
      const unknown = inPlaceOf('none')
      await refusedWith('not_an_approver', store.apply(approval.id, deciding(approval, unknown)))
      const id = await set(store)
      const done = (await store.apply(approval.id, deciding(approval, inPlaceOf(id)))).approval
      assert.equal(done.status, 'approved')
      assert.equal((await current(store, done)).decisions[0]?.by.for?.[0]?.subject, 'ana')
      assert.equal(await store.amend(ending(id)), true)
      assert.equal(await store.amend(ending(id)), false)
      const next = await askedOfStaff(store, 1)
      const late = store.apply(next.id, deciding(next, inPlaceOf(id)))
      await refusedWith('not_an_approver', late)
      const claimed = await store.apply(done.id, claimingFor(done))
      assert.equal(claimed.approval.execution?.state, 'running')
    },
  },
  {
    name: 'lets a stand-in begin and end by the clock',
    async run({ open, pass }) {
      const store = await open()
      const now = await store.now()
      const id = await set(store, 'eve', { from: now + 1_500, until: now + 4_000 })
      const one = await askedOfStaff(store, 1)
      const early = store.apply(one.id, deciding(one, inPlaceOf(id)))
      await refusedWith('not_an_approver', early)
      await pass(1_600)
      await store.apply(one.id, deciding(one, inPlaceOf(id)))
      const two = await askedOfStaff(store, 1)
      await pass(3_000)
      const late = store.apply(two.id, deciding(two, inPlaceOf(id)))
      await refusedWith('not_an_approver', late)
    },
  },
  {
    name: 'does not spend a yes whose stand-in was taken back',
    async run({ open }) {
      const store = await open()
      const id = await set(store)
      const approval = await askedOfStaff(store, 1)
      const done = (await store.apply(approval.id, deciding(approval, inPlaceOf(id)))).approval
      const stored = await store.records.get(STAND_IN_RECORD, id)
      const value = { ...(stored?.value as object), void: true } as unknown as Json
      const change = { kind: STAND_IN_RECORD, id, value, expect: 'present' } as const
      assert.equal(await store.amend({ ...ending(id), changes: [change] }), true)
      await refusedWith('invalidated', store.apply(done.id, claimingFor(done)))
      assert.equal((await current(store, done)).reason, 'voter')
    },
  },
  {
    name: 'records who set and ended a stand-in',
    async run({ open }) {
      const store = await open()
      const id = await set(store)
      await store.amend(ending(id))
      const { entries } = await store.eventsSince('start')
      const seen = entries.flatMap(({ event }) =>
        isAdminEvent(event) ? [[event.type, event.by, event.facts]] : [],
      )
      const facts = { standIn: id }
      assert.deepEqual(seen, [
        ['standin.set', { person: absent }, facts],
        ['standin.ended', { person: absent }, facts],
      ])
    },
  },
  {
    name: 'fills one place when a person and their stand-in answer at once',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      const id = await set(one)
      for (let round = 0; round < 10; round += 1) {
        const approval = await askedOfStaff(one)
        const own = () => one.apply(approval.id, deciding(approval, ana))
        const lent = () => two.apply(approval.id, deciding(approval, inPlaceOf(id)))
        const both = round % 2 === 0 ? [own(), lent()] : [lent(), own()]
        const { accepted, refused } = await tally(both)
        // The absent person came first and has no place left to lend, or both filled one place.
        assert.deepEqual(refused, accepted === 2 ? [] : ['not_an_approver'])
        const { status, decisions } = await current(two, approval)
        assert.deepEqual([status, decisions.length], ['pending', accepted])
        await two.apply(approval.id, deciding(approval, approverNamed('bo')))
        assert.equal((await current(one, approval)).status, 'approved')
      }
    },
  },
  {
    name: 'takes an answer of another process before the stand-in ends, or not at all',
    needs: 'share',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      let came = 0
      for (let round = 0; round < 10; round += 1) {
        const id = await set(one)
        const approval = await askedOfStaff(one, 1)
        const say = () => two.apply(approval.id, deciding(approval, inPlaceOf(id)))
        const said = round % 2 === 0 ? say() : undefined
        // From at once to later than any answer takes, so that both come first in some rounds.
        if (said) await Promise.race([said.catch(() => {}), sleep(round * round)])
        const ended = one.amend(ending(id))
        const { accepted, refused } = await tally([said ?? say()])
        assert.equal(await ended, true)
        assert.deepEqual(refused, accepted === 1 ? [] : ['not_an_approver'])
        const { status } = await current(one, approval)
        assert.equal(status, accepted === 1 ? 'approved' : 'pending')
        came += accepted
        const next = await askedOfStaff(one, 1)
        const late = two.apply(next.id, deciding(next, inPlaceOf(id)))
        await refusedWith('not_an_approver', late)
      }
      assert.ok(came > 0)
    },
  },
]
