import assert from 'node:assert/strict'
import { approverNamed, deciding } from '../commands.ts'
import { approved, asked, current, refusedWith, tally } from './expect.ts'
import type { StoreCase } from './store-case.ts'

/** Votes are counted under the lock, and a refusal changes nothing. */
export const decisionCases: readonly StoreCase[] = [
  {
    name: 'stores a decision, with one revision and its events',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const { approval: after, events } = await store.apply(approval.id, deciding(approval))
      assert.equal(after.status, 'approved')
      assert.equal(after.revision, 2)
      assert.deepEqual(
        events.map(({ event }) => event.type),
        ['decided', 'approved'],
      )
      assert.deepEqual(await current(store, approval), after)
    },
  },
  {
    name: 'answers the same decision of the same person with the stored one',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store, { yeses: 2 })
      const first = await store.apply(approval.id, deciding(approval))
      const again = await store.apply(approval.id, deciding(approval))
      assert.deepEqual(again.approval, first.approval)
      assert.deepEqual(again.events, [])
    },
  },
  {
    name: 'counts one person once, however often they click at once',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store, { yeses: 2 })
      const clicks = Array.from({ length: 10 }, () => store.apply(approval.id, deciding(approval)))
      assert.equal((await tally(clicks)).accepted, 10)
      const after = await current(store, approval)
      assert.equal(after.status, 'pending')
      assert.equal(after.decisions.length, 1)
    },
  },
  {
    name: 'counts two people who decide at once, and approves exactly once',
    async run({ open, share }) {
      const one = await open()
      const two = (await share?.(one)) ?? one
      for (let round = 0; round < 10; round += 1) {
        const approval = await asked(one, { yeses: 2 })
        await Promise.all([
          one.apply(approval.id, deciding(approval, approverNamed('ana'))),
          two.apply(approval.id, deciding(approval, approverNamed('bo'))),
        ])
        const after = await current(one, approval)
        assert.equal(after.status, 'approved')
        assert.equal(after.revision, 3)
        const types = (await one.events(approval.id)).map(({ event }) => event.type)
        assert.deepEqual(types, ['requested', 'decided', 'decided', 'approved'])
      }
    },
  },
  {
    name: 'lets a person turn their yes into a no, and never back',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store, { yeses: 2 })
      await store.apply(approval.id, deciding(approval, approverNamed('ana')))
      await store.apply(approval.id, deciding(approval, approverNamed('ana'), 'deny'))
      assert.equal((await current(store, approval)).status, 'denied')
      await refusedWith(
        'denied',
        store.apply(approval.id, deciding(approval, approverNamed('ana'))),
      )
    },
  },
  {
    name: 'refuses a late answer and records that it came',
    async run({ open }) {
      const store = await open()
      const approval = await approved(store)
      await refusedWith(
        'already_decided',
        store.apply(approval.id, deciding(approval, approverNamed('bo'))),
      )
      const last = (await store.events(approval.id)).at(-1)
      assert.equal(last?.event.type, 'late')
      assert.equal(last?.refused, 'already_decided')
      assert.deepEqual(await current(store, approval), approval)
    },
  },
  {
    name: 'records who looked at a secret, and changes nothing',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const commandId = crypto.randomUUID()
      const look = { type: 'reveal', commandId, seen: approval.digest, path: ['a', '0'] } as const
      await store.apply(approval.id, { ...look, by: approverNamed('ana') })
      const last = (await store.events(approval.id)).at(-1)
      assert.equal(last?.event.type, 'revealed')
      assert.deepEqual('facts' in last.event ? last.event.facts : {}, { path: ['a', '0'] })
      assert.deepEqual(await current(store, approval), approval)
      await refusedWith(
        'not_permitted',
        store.apply(approval.id, {
          ...look,
          commandId: crypto.randomUUID(),
          by: { ...approverNamed('eve'), roles: ['viewer'] },
        }),
      )
    },
  },
  {
    name: 'changes nothing and records nothing when a rule says no',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store)
      const stranger = { ...approverNamed('eve'), roles: [] as const, groups: [] }
      await refusedWith('not_an_approver', store.apply(approval.id, deciding(approval, stranger)))
      assert.deepEqual(await current(store, approval), approval)
      assert.equal((await store.events(approval.id)).length, 1)
    },
  },
  {
    name: 'has one effect for a command that is sent twice',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store, { yeses: 3 })
      const reminder = {
        type: 'remind',
        commandId: crypto.randomUUID(),
        by: approverNamed('ana'),
      } as const
      const vote = deciding(approval, approverNamed('ana'))
      const first = await store.apply(approval.id, vote)
      assert.deepEqual((await store.apply(approval.id, vote)).approval, first.approval)
      await refusedWith('not_due', store.apply(approval.id, reminder))
      assert.equal((await store.events(approval.id)).length, 2)
    },
  },
  {
    name: 'keeps the order of commands sent one after the other without waiting',
    async run({ open }) {
      const store = await open()
      const approval = await asked(store, { yeses: 3 })
      const people = ['ana', 'bo', 'cy'].map(approverNamed)
      await Promise.all(people.map((by) => store.apply(approval.id, deciding(approval, by))))
      const { decisions, revision } = await current(store, approval)
      assert.deepEqual(
        decisions.map(({ by }) => by.subject),
        ['ana', 'bo', 'cy'],
      )
      assert.equal(revision, 4)
    },
  },
]
