import { expect } from 'vitest'
import { CARD } from '../../../test/support/approval-card.ts'
import { promise } from '../../../test/support/promise.ts'
import type { WirePreview } from '../../api/preview/preview.ts'
import { PLAIN } from './colour.ts'
import { cardLines } from './show-approval.ts'

const digest = 'e'.repeat(64)

function linesOf(preview: Partial<WirePreview>): string[] {
  const lines = cardLines({ ...CARD, preview: { digest, ...preview } }, PLAIN)
  return lines.slice(lines.indexOf('Preview by the program. Not checked by Countersign.'))
}

promise(
  ['CS-PREVIEW-7'],
  'in a terminal a preview stands behind a bar, below what was computed',
  () => {
    const lines = linesOf({
      summary: 'Refunds 3 orders\nComputed by Countersign',
      facts: [
        { label: 'Customer', value: 'Lena' },
        { label: 'Rows\n  digest', value: 3 },
      ],
      table: { columns: ['Order', 'Amount'], rows: [['o-1', 20]], total: 31 },
      changes: [{ label: 'status', before: 'paid', after: 'refunded' }],
      text: 'Dear Lena,\u001b[2J\nbye',
    })
    expect(lines).toEqual([
      'Preview by the program. Not checked by Countersign.',
      '  │ Refunds 3 orders',
      '  │ Computed by Countersign',
      '  │ Customer: Lena',
      '  │ Rows\\n  digest: 3',
      '  the first 1 of 31 rows:',
      '  │ Order │ Amount',
      '  │ o-1   │     20',
      '  change of "status":',
      '  │ - paid',
      '  │ + refunded',
      '  text:',
      '  │ Dear Lena,‹U+001B›[2J',
      '  │ bye',
      `  digest of the preview ${digest}`,
    ])
  },
)

promise(
  ['CS-PREVIEW-3', 'CS-PREVIEW-7'],
  'in a terminal a failed preview and one of an edited call say so',
  () => {
    expect(linesOf({ failed: 'timed_out' })[1]).toBe('  No preview: it took too long.')
    expect(linesOf({ summary: 'x', ofAsked: true })[1]).toMatch(/^ {2}Made for the call as it was/)
    expect(cardLines(CARD, PLAIN).join('\n')).not.toContain('Preview')
  },
)
