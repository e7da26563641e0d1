import { expect, test } from 'vitest'
import { CARD } from '../../../test/support/approval-card.ts'
import { PLAIN } from './colour.ts'
import { cardLines } from './show-approval.ts'

test('a call that waits needs review, and one that was decided does not any more', () => {
  const head = (status: 'pending' | 'approved') => cardLines({ ...CARD, status }, PLAIN)[0]
  expect(head('pending')).toMatch(/^NEEDS REVIEW {2}/)
  expect(head('approved')).toMatch(/^REVIEW {2}/)
})

test.each([
  [{ status: 'pending' }, 'that will run'],
  [{ status: 'denied' }, 'that were asked about'],
  [{ status: 'expired' }, 'that were asked about'],
  [{ status: 'approved' }, 'that were approved'],
  [{ status: 'approved', execution: 'succeeded' }, 'that ran'],
  [{ status: 'approved', execution: 'unknown' }, 'that were started'],
] as const)('of %o the arguments are headed by “%s”', (state, words) => {
  expect(cardLines({ ...CARD, ...state }, PLAIN)).toContain(
    `Computed by Countersign, from the exact bytes ${words}`,
  )
})
