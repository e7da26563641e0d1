import { expect, test } from 'vitest'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import type { Status } from '../../../../src/api/common.ts'
import { announcement, groupIdentical, type Item, steady } from './list-model.ts'

const row = (id: string, digest = id): ApprovalRow => ({
  id,
  revision: 1,
  status: 'pending',
  level: 'confirm',
  kind: 'tool',
  tool: 'send',
  door: 'test',
  agent: 'bot',
  message: '',
  digest,
  askedAt: 0,
  decideBy: 1,
  met: { have: 0, need: 1 },
  mine: { may: true },
  risk: 'L4',
})
const items = (...ids: string[]) => groupIdentical(ids.map((id) => row(id)))
const names = (list: readonly Item[]) =>
  list.map(({ row: { id }, settled }) => (settled ? `${id}:${settled.status}` : id))
const lastStatus = (known: Record<string, Status>) => (id: string) => known[id]
const quiet = lastStatus({})

test('calls with one digest are one line that knows all of them', () => {
  const [first, second] = groupIdentical([row('a', 'x'), row('b', 'y'), row('c', 'x')])
  expect(first?.ids).toEqual(['a', 'c'])
  expect(second?.ids).toEqual(['b'])
})

test('untouched, the list follows the server', () => {
  const next = steady(items('a', 'b'), items('c', 'a', 'b'), {
    hold: false,
    now: 0,
    lastStatus: quiet,
  })
  expect(names(next.items)).toEqual(['c', 'a', 'b'])
})

test('under the pointer nothing moves: what came is counted, what went says how', () => {
  const next = steady(items('a', 'b'), items('c', 'b'), {
    hold: true,
    now: 0,
    lastStatus: lastStatus({ a: 'denied' }),
  })
  expect(names(next.items)).toEqual(['a:denied', 'b'])
  expect(next.arrived).toBe(1)
})

test('what was decided stays four seconds where it was', () => {
  const known = lastStatus({ b: 'approved' })
  const first = steady(items('a', 'b', 'c'), items('a', 'c'), {
    hold: false,
    now: 0,
    lastStatus: known,
  })
  expect(names(first.items)).toEqual(['a', 'b:approved', 'c'])
  const later = steady(first.items, items('a', 'c'), { hold: false, now: 4_001, lastStatus: known })
  expect(names(later.items)).toEqual(['a', 'c'])
})

test('what only stopped matching goes at once', () => {
  const next = steady(items('a', 'b'), items('a'), { hold: false, now: 0, lastStatus: quiet })
  expect(names(next.items)).toEqual(['a'])
})

test('a call that this page answered leaves with what the server said of it', () => {
  const leaving = (answer: { met?: { have: number; need: number }; message?: string }) =>
    steady([{ row: { ...row('a'), message: 'Pay 500?', values: [[4, 7]] }, ids: ['a'] }], [], {
      hold: false,
      now: 0,
      lastStatus: lastStatus({ a: 'pending' }),
      answered: () => answer,
    }).items[0]?.row
  const met = { have: 1, need: 2 }
  expect(leaving({ met })).toMatchObject({ met, message: 'Pay 500?', values: [[4, 7]] })
  const edited = leaving({ met, message: 'Pay 3?' })
  // The positions of the old question would mark the wrong characters of the new one.
  expect([edited?.message, edited?.values]).toEqual(['Pay 3?', undefined])
  expect(leaving({})).toMatchObject({ met: { have: 0, need: 1 } })
})

test('one of several identical calls may go without moving the line', () => {
  const before = groupIdentical([row('a', 'x'), row('b', 'x')])
  const next = steady(before, groupIdentical([row('b', 'x')]), {
    hold: true,
    now: 0,
    lastStatus: lastStatus({ a: 'approved' }),
  })
  expect(names(next.items)).toEqual(['b'])
  expect(next.arrived).toBe(0)
})

test('new calls are announced with how many are risky', () => {
  expect(announcement(new Set(['a']), [row('a')])).toBe('')
  expect(announcement(new Set(), [row('a'), { ...row('b'), risk: 'L1' }])).toBe(
    '2 new calls, 1 high risk',
  )
})
