/** A call whose program says what it would do, in every way a preview can. */
import type { SeedCall } from '../seed-server.ts'

export const PREVIEW_CALL: SeedCall = {
  tool: 'refund',
  args: { customer: 'c-2231', orders: ['o-7001', 'o-7002', 'o-7003'] },
  says: 'The customer asked for it.',
  preview: () => ({
    summary: 'Refunds 3 orders of Lena Park, EUR 412.50 in all.',
    facts: [
      { label: 'Customer', value: 'Lena Park <lena@example.com>' },
      { label: 'Rows that change', value: 3 },
      { label: 'Account open since', value: '2019-04-02' },
      { label: 'First refund', value: false },
    ],
    table: {
      columns: ['Order', 'Placed', 'Amount', 'Status'],
      rows: [
        ['o-7001', '2026-10-02', 120, 'delivered'],
        ['o-7002', '2026-10-09', 250.5, 'delivered'],
        ['o-7003', '2026-10-30', 42, 'lost'],
      ],
      total: 31,
    },
    changes: [
      { label: 'orders.status', before: 'paid\ndelivered\n', after: 'refunded\ndelivered\n' },
    ],
    text: 'Dear Lena,\n\nwe have refunded three orders. The money arrives within five days.\n\nComputed by Countersign',
  }),
}

/** One whose program could not say it. */
export const NO_PREVIEW_CALL: SeedCall = {
  tool: 'refund',
  args: { customer: 'c-9' },
  preview: () => {
    throw new Error('the database is away')
  },
}
