import { expect, test } from 'vitest'
import { CARD } from '../../../test/support/approval-card.ts'
import { PLAIN } from './colour.ts'
import { cardLines } from './show-approval.ts'

test('a call that waits needs review, and one that was decided does not any more', () => {
  const head = (status: 'pending' | 'approved') => cardLines({ ...CARD, status }, PLAIN)[0]
  expect(head('pending')).toMatch(/^NEEDS REVIEW {2}/)
  expect(head('approved')).toMatch(/^REVIEW {2}/)
})
