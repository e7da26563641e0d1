import { expect, test } from 'vitest'
import {
  accepted,
  ana,
  asked,
  bo,
  call,
  claimOf,
  kim,
  MINUTE,
  NOON,
  no,
  requestFor,
  root,
  someone,
  twoFinance,
  yes,
} from '../../../test/approval/asking.ts'
import type { Approval } from '../approval.ts'
import type { Command } from '../command.ts'
import { step } from '../step.ts'
import { type Lock, type LockTarget, lockOn, lockOnPerson, readLock } from './lock.ts'

const soon = NOON + MINUTE
const { issuer, subject } = root

function lock(target: LockTarget, facts: Partial<Lock> = {}): Lock {
  return { id: 'l1', target, by: { issuer, subject }, reason: 'looking', at: NOON, ...facts }
}

function code(approval: Approval | undefined, command: Command, ...locks: Lock[]): string {
  const done = step(approval, command, soon, { locks })
  return done.ok ? 'ok' : done.code
}

const given = () => accepted(step(asked(), yes(kim), soon)).approval

test.each<[LockTarget, boolean]>([
  [{ everything: true }, true],
  [{ agent: 'billing-bot' }, true],
  [{ agent: 'Billing' }, true],
  [{ agent: 'billing' }, false],
  [{ tool: 'transfer_money' }, true],
  [{ tool: 'transfer' }, false],
  [{ server: 'bank' }, true],
  [{ server: 'bank', tool: 'transfer_money' }, true],
  [{ server: 'bank', tool: 'read' }, false],
  [{ server: 'files', tool: 'transfer_money' }, false],
  [{ approval: 'apr-1' }, true],
  [{ approval: 'apr-2' }, false],
  [{ person: { issuer: kim.issuer, subject: 'kim' } }, false],
])('%j holds a call back: %s', (target, expected) => {
  const what = { ...call, server: 'bank', alias: 'Billing', approval: 'apr-1' }
  expect(lockOn([lock(target)], what, soon) !== undefined).toBe(expected)
})

test('a lock holds up to its end, and not a moment longer', () => {
  const locks = [lock({ everything: true }, { until: soon })]
  expect(lockOn(locks, call, soon - 1)).toBeDefined()
  expect(lockOn(locks, call, soon)).toBeUndefined()
})

test('a person is locked under every login that may be theirs', () => {
  const locks = [lock({ person: { issuer: 'other', subject: 'x', email: 'Ana@Example.com' } })]
  expect(lockOnPerson(locks, ana, soon)).toBeDefined()
  expect(lockOnPerson(locks, bo, soon)).toBeUndefined()
})

test('nothing locked is asked, approved or claimed, and the approval stays as it was', () => {
  const all = lock({ everything: true })
  expect(code(undefined, requestFor(), all)).toBe('locked')
  expect(code(asked(), requestFor(), all)).toBe('locked')
  expect(code(asked(), yes(kim), all)).toBe('locked')
  const approved = given()
  const claim = step(approved, claimOf(approved), soon, { locks: [all] })
  expect(claim).toMatchObject({ ok: false, code: 'locked', events: [] })
  expect(claim.approval).toBeUndefined()
  expect(code(approved, claimOf(approved))).toBe('ok')
})

test('a no is heard under a lock, except on an approval that is locked itself', () => {
  expect(code(asked(), no(kim), lock({ everything: true }))).toBe('ok')
  expect(code(asked(), no(kim), lock({ approval: 'apr-1' }))).toBe('locked')
  // Whichever comes first in the list.
  const both = [lock({ everything: true }), lock({ approval: 'apr-1' })]
  expect(code(asked(), no(kim), ...both)).toBe('locked')
})

test('what ran before the lock is still told to a caller that asks again', () => {
  const approved = given()
  const running = accepted(step(approved, claimOf(approved), soon)).approval
  expect(code(running, requestFor(), lock({ everything: true }))).toBe('ok')
})

test('the same yes again is the stored one, and approves nothing under a lock', () => {
  const half = accepted(step(asked({ requirements: [twoFinance] }), yes(ana), soon)).approval
  const again = step(half, yes(ana), soon, { locks: [lock({ everything: true })] })
  expect(again).toMatchObject({ ok: true, approval: half })
})

test('a locked person decides nothing, and their earlier yes stops counting', () => {
  const onAna = lock({ person: { issuer: ana.issuer, subject: ana.subject } })
  for (const command of [yes(ana), no(ana)]) expect(code(asked(), command, onAna)).toBe('locked')
  const half = accepted(step(asked({ requirements: [twoFinance] }), yes(ana), soon)).approval
  const second = step(half, yes(bo), soon, { locks: [onAna] })
  expect(second).toMatchObject({ ok: true, approval: { status: 'pending' } })
  const whole = accepted(step(half, yes(bo), soon)).approval
  expect(step(whole, claimOf(whole), soon, { locks: [onAna] })).toMatchObject({
    code: 'invalidated',
    approval: { reason: 'voter' },
  })
})

test('a lock that cannot be read holds back everything', () => {
  const good = lock({ tool: 'pay' }, { until: soon })
  expect(readLock(good)).toEqual(good)
  for (const junk of [null, {}, { ...good, target: {} }, { ...good, target: { tool: 1 } }]) {
    expect(lockOn([readLock(junk)], call, soon)).toBeDefined()
  }
  const strange = { ...good, target: { tool: 'pay', server: 'x', agent: 'y' } }
  expect(readLock(strange).target).toEqual({ everything: true })
})

test('another login does not escape a lock on its address', () => {
  const home = someone('ana-home', { email: 'ana@example.com', roles: ['approver'] })
  const onAna = lock({ person: { issuer: ana.issuer, subject: 'ana', email: 'ana@example.com' } })
  expect(code(asked(), yes(home), onAna)).toBe('locked')
})
