import { expect } from 'vitest'
import {
  accepted,
  ana,
  asked,
  bo,
  claimOf,
  eve,
  HOUR,
  MINUTE,
  NOON,
  outcome,
  root,
  twoFinance,
  yes,
} from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../approval.ts'
import type { Command } from '../command.ts'
import type { Lock } from '../locks/lock.ts'
import { step } from '../step.ts'
import type { Person } from './person.ts'
import { readmission } from './removed.ts'
import type { StandIn } from './stand-in.ts'

const given = NOON + MINUTE
const removed = NOON + 2 * MINUTE
const back = NOON + 3 * MINUTE
const later = NOON + 4 * MINUTE

function readded({ issuer, subject, email }: Person): Lock {
  const tombstone: Lock = {
    id: `removed-${subject}`,
    target: { person: { issuer, subject, ...(email ? { email } : {}) } },
    by: { issuer: root.issuer, subject: root.subject },
    reason: 'they were removed',
    at: removed,
    removed: true,
  }
  return readmission(tombstone, `readded-${subject}`, back)
}

function told(
  approval: Approval,
  command: Command,
  now: number,
  locks: readonly Lock[] = [],
  standIns: readonly StandIn[] = [],
): Approval {
  return accepted(step(approval, command, now, { locks, standIns })).approval
}

const half = () => told(asked({ requirements: [twoFinance] }), yes(ana), given)

promise(
  ['CS-PEOPLE-6'],
  'a yes from before a removal does not count, and can be said again',
  () => {
    const without = told(half(), yes(bo), later, [readded(ana)])
    expect(without.status).toBe('pending')
    expect(without.decisions.map((one) => [one.by.subject, one.void ?? false])).toEqual([
      ['ana', true],
      ['bo', false],
    ])
    expect(told(without, yes(ana), later, [readded(ana)]).status).toBe('approved')
  },
)

promise(['CS-PEOPLE-6'], 'a yes from after a person came back counts like any other', () => {
  const after = told(asked({ requirements: [twoFinance] }), yes(ana), later, [readded(ana)])
  expect(told(after, yes(bo), later, [readded(ana)]).status).toBe('approved')
})

promise(
  ['CS-PEOPLE-6'],
  'an approval that rests on a yes from before a removal is not spent',
  () => {
    const approved = told(half(), yes(bo), given)
    const voters = [ana, bo]
    const done = step(approved, { ...claimOf(approved), voters }, later, { locks: [readded(ana)] })
    expect(done).toMatchObject({ ok: false, approval: { status: 'invalidated', reason: 'voter' } })
    expect(step(approved, { ...claimOf(approved), voters }, later)).toMatchObject({ ok: true })
  },
)

promise(['CS-PEOPLE-6'], 'the place of a removed person is not lent afterwards', () => {
  const standIn: StandIn = {
    id: 'eve-for-ana',
    absent: { issuer: ana.issuer, subject: 'ana' },
    standIn: { issuer: eve.issuer, subject: 'eve' },
    from: NOON,
    until: later,
    by: { issuer: ana.issuer, subject: 'ana' },
    at: NOON,
  }
  const { roles: _, assurance: __, ...named } = ana
  const deputy: Person = { ...eve, for: [{ ...named, standIn: 'eve-for-ana' }] }
  const lent = told(asked({ requirements: [twoFinance] }), yes(deputy), given, [], [standIn])
  expect(told(lent, yes(bo), later, [], [standIn]).status).toBe('approved')
  const without = told(lent, yes(bo), later, [readded(ana)], [standIn])
  expect(without.status).toBe('pending')
  expect(without.decisions[0]?.by.for).toMatchObject([{ subject: 'ana', locked: true }])
})

promise(['CS-PEOPLE-6'], 'a stand-in from before a removal lets no person in afterwards', () => {
  const standIn: StandIn = {
    id: 'eve-for-ana',
    absent: { issuer: ana.issuer, subject: 'ana' },
    standIn: { issuer: eve.issuer, subject: 'eve' },
    from: NOON,
    until: NOON + HOUR,
    by: { issuer: ana.issuer, subject: 'ana' },
    at: removed,
  }
  const { roles: _, assurance: __, ...named } = ana
  const deputy: Person = { ...eve, for: [{ ...named, standIn: 'eve-for-ana' }] }
  const say = (locks: readonly Lock[], at = standIn.at) =>
    outcome(
      step(asked({ requirements: [twoFinance] }), yes(deputy), later, {
        locks,
        standIns: [{ ...standIn, at }],
      }),
    )
  expect([say([]), say([readded(ana)]), say([readded(eve)]), say([readded(ana)], later)]).toEqual([
    'pending',
    'not_an_approver',
    'not_an_approver',
    'pending',
  ])
})
