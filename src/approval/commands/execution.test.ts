import { expect, test } from 'vitest'
import {
  accepted,
  after,
  asked,
  claimOf,
  eve,
  kim,
  MINUTE,
  outcome,
  root,
  SECOND,
  send,
  yes,
} from '../../../test/approval/asking.ts'
import type { Approval } from '../approval.ts'
import type { Finish } from '../command.ts'
import { step } from '../step.ts'

const approved = after(asked(), yes(kim))
const running = after(approved, claimOf(approved))
const leased = after(approved, claimOf(approved, { holder: { claim: 'claim-1', lease: MINUTE } }))
const claimedAt = running.execution?.claimedAt ?? 0
const unknown = accepted(step(running, send('lost', {}), claimedAt + 30_001)).approval

function finish(outcome: 'succeeded' | 'failed', rest: Partial<Finish> = {}) {
  return send('finish', { claim: 'claim-1', outcome, ...rest })
}

test('the holder of the claim says how it ended', () => {
  const { approval, content, events } = accepted(
    step(running, finish('succeeded', { result: { paid: true } }), claimedAt + SECOND),
  )
  expect(approval.execution).toMatchObject({ state: 'succeeded', endedAt: claimedAt + SECOND })
  expect(content).toMatchObject([{ kind: 'result', value: { paid: true } }])
  expect(approval.execution?.result).toBe(content[0]?.key)
  expect(JSON.stringify(events)).not.toContain('paid')
})

test('no other process does', () => {
  const other = send('finish', { claim: 'claim-2', outcome: 'succeeded' })
  expect(outcome(step(running, other, claimedAt))).toBe('not_the_claimer')
  expect(outcome(step(unknown, other, unknown.changedAt))).toBe('not_the_claimer')
})

test.each<[string, Partial<Finish>, string | undefined]>([
  ['a result', { result: [1] }, undefined],
  ['no result', {}, undefined],
  ['null', { result: null }, undefined],
  ['a result of 256 KB', { result: 'x'.repeat(262_142) }, undefined],
  ['a larger one', { result: 'x'.repeat(262_143) }, 'too_large'],
  ['something that is not JSON', { result: (() => 1) as never }, 'invalid'],
  ['a result the policy drops', { result: [1], drop: true }, 'dropped'],
])('%s never costs the outcome: %s', (_, rest, noResult) => {
  const { approval, content } = accepted(step(running, finish('succeeded', rest), claimedAt))
  expect(approval.execution?.state).toBe('succeeded')
  expect(approval.execution?.noResult).toBe(noResult)
  expect(content).toHaveLength(rest.result !== undefined && !noResult ? 1 : 0)
})

test('a process silent for more than 30 seconds is lost', () => {
  const lost = (lastSeen?: number) => send('lost', lastSeen === undefined ? {} : { lastSeen })
  expect(outcome(step(running, lost(), claimedAt + 30_000))).toBe('not_due')
  expect(outcome(step(running, lost(), claimedAt + 30_001))).toBe('unknown')
  const alive = claimedAt + MINUTE
  expect(outcome(step(running, lost(alive), alive + 30_000))).toBe('not_due')
  expect(outcome(step(running, lost(alive), alive + 30_001))).toBe('unknown')
  // A heartbeat from before the claim says nothing against it.
  expect(outcome(step(running, lost(0), claimedAt + 30_000))).toBe('not_due')
})

test('the holder of the claim says at once that it does not know', () => {
  const lost = (claim: string) => send('lost', { claim })
  const { approval, events } = accepted(step(running, lost('claim-1'), claimedAt + SECOND))
  expect(approval.execution).toMatchObject({ state: 'unknown', lostAt: claimedAt + SECOND })
  expect(events).toMatchObject([{ type: 'lost', by: { agent: running.call.agent } }])
  expect(outcome(step(leased, lost('claim-1'), claimedAt))).toBe('unknown')
  for (const one of [running, unknown]) {
    expect(outcome(step(one, lost('claim-2'), one.changedAt))).toBe('not_the_claimer')
  }
  const done = after(running, finish('succeeded'))
  expect(outcome(step(done, lost('claim-1'), done.changedAt))).toBe('not_running')
  expect(outcome(step(approved, lost('claim-1'), approved.changedAt))).toBe('not_running')
})

test('a lease lives until it lapses, and can be renewed', () => {
  const renew = (claim = 'claim-1') => send('renew', { claim, lease: 2 * MINUTE })
  expect(outcome(step(leased, send('lost', {}), claimedAt + MINUTE))).toBe('not_due')
  expect(outcome(step(leased, send('lost', {}), claimedAt + MINUTE + 1))).toBe('unknown')
  expect(outcome(step(leased, renew('claim-2'), claimedAt))).toBe('not_the_claimer')
  const longer = accepted(step(leased, renew(), claimedAt + 30 * SECOND)).approval
  expect(longer.execution?.leaseUntil).toBe(claimedAt + 150 * SECOND)
  expect(accepted(step(longer, renew(), claimedAt)).approval).toBe(longer)
  expect(outcome(step(running, renew(), claimedAt))).toBe('not_due')
})

test('an end that comes after the loss counts, and is marked late', () => {
  const { approval, events } = accepted(step(unknown, finish('failed'), unknown.changedAt + MINUTE))
  expect(approval.execution).toMatchObject({ state: 'failed', late: true })
  expect(events).toMatchObject([{ type: 'finished', facts: { late: true } }])
})

test('the same end twice is one end, another end is refused and recorded', () => {
  const done = after(running, finish('succeeded'))
  expect(accepted(step(done, finish('succeeded'), done.changedAt)).approval).toBe(done)
  expect(step(done, finish('failed'), done.changedAt)).toMatchObject({
    code: 'already_finished',
    events: [{ type: 'late', code: 'already_finished' }],
  })
})

test.each<[string, Approval, Parameters<typeof send<'resolve'>>[1]['by'], string]>([
  ['an approver', unknown, kim, 'succeeded'],
  ['an admin', unknown, root, 'succeeded'],
  ['a stranger', unknown, eve, 'not_permitted'],
  ['a locked admin', unknown, { ...root, locked: true }, 'not_permitted'],
  ['an admin, while it is running', running, root, 'not_due'],
  ['an admin, before it ran', approved, root, 'not_due'],
  ['an admin, after it ended', after(running, finish('failed')), root, 'already_finished'],
])('%s writes down what happened: %#', (_, approval, by, result) => {
  const resolve = send('resolve', { by, outcome: 'succeeded', reason: 'saw it in the ledger' })
  expect(outcome(step(approval, resolve, approval.changedAt))).toBe(result)
})

test('what a person wrote down stands, and there is no way back', () => {
  const resolve = (outcome: 'succeeded' | 'failed') => send('resolve', { by: root, outcome })
  const resolved = after(unknown, resolve('failed'))
  expect(resolved.execution?.resolvedBy).toEqual({ issuer: root.issuer, subject: 'root' })
  expect(accepted(step(resolved, resolve('failed'), resolved.changedAt)).approval).toBe(resolved)
  expect(outcome(step(resolved, resolve('succeeded'), resolved.changedAt))).toBe('already_finished')
  const late = step(resolved, finish('failed'), resolved.changedAt)
  expect(late).toMatchObject({ code: 'already_finished', events: [{ type: 'late' }] })
  expect(outcome(step(resolved, claimOf(resolved), resolved.changedAt))).toBe('already_claimed')
})
