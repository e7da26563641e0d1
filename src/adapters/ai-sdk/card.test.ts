import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { approvalCard, type ToolPart } from './card.ts'

const WAITS: ToolPart = {
  type: 'tool-pay',
  state: 'approval-requested',
  input: { amount: 5, to: 'Lena' },
  approval: { id: 'a1' },
}

promise(['CF-20'], 'the card shows the tool and every argument', () => {
  expect(approvalCard(WAITS)).toEqual({
    toolName: 'pay',
    question: 'Approve pay with {"amount":5,"to":"Lena"}?',
    rows: [
      { name: 'amount', value: '5' },
      { name: 'to', value: '"Lena"' },
    ],
    step: 'asks',
    approvalId: 'a1',
  })
})

test('only a question that is open can be answered', () => {
  for (const [state, step] of [
    ['approval-responded', 'answered'],
    ['output-available', 'ran'],
    ['output-denied', 'denied'],
    ['output-error', 'failed'],
  ]) {
    const card = approvalCard({ ...WAITS, state: String(state) })
    expect(card).toMatchObject({ step })
    expect(card).not.toHaveProperty('approvalId')
  }
  expect(approvalCard({ ...WAITS, state: 'constructor' })).toBeUndefined()
  expect(approvalCard({ type: 'tool-read', state: 'output-available', input: {} })).toBeUndefined()
})

test('characters that hide or turn text are shown as numbers', () => {
  const card = approvalCard({ ...WAITS, input: { to: 'a\u202Eb' } })
  expect(card?.rows[0]?.value).toBe('"a\\u{202e}b"')
})
