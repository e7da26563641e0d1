import { expect, test } from 'vitest'
import { asking } from '../../testing/commands.ts'
import { newTip } from '../audit/chain.ts'
import { HELD_NOTHING } from '../engine/constraints.ts'
import { plan } from '../engine/plan.ts'
import { createRecentWrites } from './recent.ts'

function planned() {
  const request = asking()
  const entry = { id: request.id, command: request, resolve: () => {}, reject: () => {} }
  const around = { tenant: 'default', tip: newTip('writer'), newest: 0 }
  return plan([entry], { approvals: [], now: 1_700_000_000_000, ...HELD_NOTHING }, around)
}

test('a change by another that is heard of before our own answer comes after it', () => {
  const recent = createRecentWrites()
  const sentAt = performance.now()
  const [before, after] = [planned(), planned()]
  const idOf = ({ writes }: typeof before) => writes[0]?.after.id ?? ''
  recent.changed(idOf(before))
  recent.wrote(before, sentAt)
  recent.wrote(after, sentAt)
  expect(recent.unchanged(idOf(before))).toBeUndefined()
  expect(recent.unchanged(idOf(after))?.approval.status).toBe('pending')
})
