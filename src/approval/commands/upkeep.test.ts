import { expect, test } from 'vitest'
import {
  accepted,
  after,
  ana,
  asked,
  asks,
  claimOf,
  eve,
  HOUR,
  kim,
  MINUTE,
  NOON,
  outcome,
  root,
  send,
  someone,
  terms,
  uma,
  yes,
} from '../../../test/approval/asking.ts'
import { dueAt } from '../clock.ts'
import { step } from '../step.ts'

const pending = asked({ terms: { ...terms, remindAfter: 10 * MINUTE } })

test.each([
  ['someone asked', kim, NOON + 90 * MINUTE, 'pending'],
  ['an admin', root, NOON + 90 * MINUTE, 'pending'],
  ['a stranger', eve, NOON + 90 * MINUTE, 'not_permitted'],
  ['the acting user', uma, NOON + 90 * MINUTE, 'not_permitted'],
  ['a locked admin', { ...root, locked: true }, NOON + 90 * MINUTE, 'not_permitted'],
  ['someone asked, to twice the time', kim, NOON + 2 * HOUR, 'pending'],
  ['someone asked, beyond twice the time', kim, NOON + 2 * HOUR + 1, 'extend_too_long'],
  ['someone asked, to an earlier time', kim, NOON + 59 * MINUTE, 'extend_too_long'],
])('%s extends: %#', (_, by, until, result) => {
  const transition = step(pending, send('extend', { by, until }), NOON + MINUTE)
  expect(outcome(transition)).toBe(result)
  if (transition.ok) expect(transition.approval.decideBy).toBe(until)
})

test('extending to the deadline it has changes nothing', () => {
  const same = send('extend', { by: kim, until: pending.decideBy })
  expect(accepted(step(pending, same, NOON)).approval).toBe(pending)
})

test('extending again and again ends at twice the time', () => {
  const once = after(pending, send('extend', { by: kim, until: NOON + 2 * HOUR }))
  const more = send('extend', { by: kim, until: NOON + 3 * HOUR })
  expect(outcome(step(once, more, NOON + HOUR))).toBe('extend_too_long')
})

test('an expired question cannot be extended', () => {
  const late = send('extend', { by: kim, until: NOON + 2 * HOUR })
  const transition = step(pending, late, NOON + HOUR)
  expect(transition).toMatchObject({ ok: false, code: 'expired' })
  expect(transition.approval?.status).toBe('expired')
})

test('reminders come when due, and then start over', () => {
  const remind = () => send('remind', {})
  expect(outcome(step(pending, remind(), NOON + 10 * MINUTE - 1))).toBe('not_due')
  const { approval: once, events } = accepted(step(pending, remind(), NOON + 10 * MINUTE))
  expect(events[0]).toMatchObject({ type: 'reminded', facts: { count: 1 } })
  expect(once).toMatchObject({ reminders: 1, remindedAt: NOON + 10 * MINUTE })
  expect(outcome(step(once, remind(), NOON + 19 * MINUTE))).toBe('not_due')
  expect(outcome(step(once, remind(), NOON + 20 * MINUTE))).toBe('pending')
  expect(outcome(step(asked(), remind(), NOON + 30 * MINUTE))).toBe('not_due')
})

test.each([
  ['the acting user', uma, 'pending'],
  ['an approver', kim, 'pending'],
  ['a stranger', eve, 'not_permitted'],
  ['the acting user, locked,', { ...uma, locked: true }, 'not_permitted'],
])('%s reminds the others, once a minute', (_, by, result) => {
  expect(outcome(step(asked(), send('remind', { by }), NOON + MINUTE))).toBe(result)
  expect(outcome(step(asked(), send('remind', { by }), NOON + MINUTE - 1))).not.toBe('pending')
})

const ladder = asks({
  approvers: [{ group: 'finance' }],
  escalate: [
    { after: 10 * MINUTE, to: { group: 'security' } },
    { after: 20 * MINUTE, to: '*' },
  ],
})

test('a sweeper escalates what is due, all of it, once', () => {
  const approval = asked({ requirements: [ladder] })
  expect(outcome(step(approval, send('escalate', {}), NOON + MINUTE))).toBe('not_due')
  const both = accepted(step(approval, send('escalate', {}), NOON + 20 * MINUTE))
  expect(both.approval.escalated.map((one) => one.step)).toEqual([0, 1])
  expect(both.approval.revision).toBe(approval.revision + 1)
  expect(both.events.map(({ type }) => type)).toEqual(['escalated', 'escalated'])
  expect(outcome(step(both.approval, send('escalate', {}), NOON + 21 * MINUTE))).toBe('not_due')
})

test('a person asked escalates early, one step at a time', () => {
  const approval = asked({ requirements: [ladder] })
  expect(outcome(step(approval, send('escalate', { by: eve }), NOON))).toBe('not_permitted')
  const once = after(approval, send('escalate', { by: ana }))
  expect(once.escalated.map((one) => one.step)).toEqual([0])
  expect(outcome(step(once, yes(kim), NOON + MINUTE))).toBe('not_an_approver')
  const twice = after(once, send('escalate', { by: ana }))
  expect(twice.escalated.map((one) => one.step)).toEqual([0, 1])
  expect(outcome(step(twice, send('escalate', { by: ana }), NOON + MINUTE))).toBe('not_due')
})

test('expiry: never before the deadline, always from it on', () => {
  const expire = send('expire', {})
  expect(outcome(step(pending, expire, pending.decideBy - 1))).toBe('not_due')
  expect(outcome(step(pending, expire, pending.decideBy))).toBe('expired(undecided)')
  const approved = after(pending, yes(kim))
  expect(outcome(step(approved, expire, pending.decideBy))).toBe('expired(unused)')
  expect(outcome(step(approved, expire, (approved.useBy ?? 0) - 1))).toBe('not_due')
  expect(outcome(step(approved, expire, approved.useBy ?? 0))).toBe('expired(unused)')
})

test('a question that dies was decided then, a yes that dies keeps the time it was given', () => {
  const expire = send('expire', {})
  const dead = accepted(step(pending, expire, pending.decideBy)).approval
  expect(dead.decidedAt).toBe(pending.decideBy)
  const approved = after(pending, yes(kim))
  const unused = accepted(step(approved, expire, approved.useBy ?? 0)).approval
  expect(unused.decidedAt).toBe(approved.decidedAt)
})

test('the sweeper is told when to look next', () => {
  const approval = asked({ requirements: [ladder], terms: { ...terms, remindAfter: 15 * MINUTE } })
  expect(dueAt(approval)).toBe(NOON + 10 * MINUTE)
  const escalated = accepted(step(approval, send('escalate', {}), NOON + 10 * MINUTE)).approval
  expect(dueAt(escalated)).toBe(NOON + 15 * MINUTE)
  expect(dueAt(asked())).toBe(NOON + HOUR)
  const approved = after(asked(), yes(kim))
  expect(dueAt(approved)).toBe(approved.useBy)
  const lease = { claim: 'c', lease: 60_000 }
  const leased = after(approved, claimOf(approved, { holder: lease }))
  expect(dueAt(leased)).toBe((leased.execution?.claimedAt ?? 0) + 60_000)
  expect(dueAt(after(approved, claimOf(approved)))).toBeUndefined()
  expect(dueAt(after(asked(), send('invalidate', { reason: 'restored' })))).toBeUndefined()
})

test.each<[string, Parameters<typeof send<'withdraw'>>[1]['by'], string]>([
  ['the asking agent', { agent: 'billing-bot' }, 'withdrawn'],
  ['another agent', { agent: 'other-bot' }, 'not_the_asker'],
  ['the acting user', { person: uma }, 'withdrawn'],
  ['an approver', { person: kim }, 'not_the_asker'],
  ['an admin', { person: root }, 'not_the_asker'],
  [
    'someone with the acting user’s address, unverified',
    { person: someone('x', { email: 'uma@example.com', emailVerified: false }) },
    'not_the_asker',
  ],
])('%s withdraws: %#', (_, by, result) => {
  expect(outcome(step(asked(), send('withdraw', { by }), NOON))).toBe(result)
})

test('the same thing said twice is said once', () => {
  const gone = after(asked(), send('invalidate', { reason: 'tool' }))
  expect(accepted(step(gone, send('invalidate', { reason: 'tool' }), NOON)).approval).toBe(gone)
  expect(outcome(step(gone, send('invalidate', { reason: 'policy' }), NOON))).toBe('invalidated')
  const back = after(asked(), send('withdraw', { by: { agent: 'billing-bot' } }))
  expect(accepted(step(back, send('withdraw', { by: { person: uma } }), NOON)).approval).toBe(back)
})

test('only an admin or the gate invalidates', () => {
  expect(outcome(step(asked(), send('invalidate', { reason: 'voter', by: kim }), NOON))).toBe(
    'not_permitted',
  )
  for (const reason of ['policy', 'tool', 'voter', 'restored', 'edit_refused'] as const) {
    expect(outcome(step(asked(), send('invalidate', { reason }), NOON))).toBe(
      `invalidated(${reason})`,
    )
    expect(outcome(step(asked(), send('invalidate', { reason, by: root }), NOON))).toBe(
      `invalidated(${reason})`,
    )
  }
})
