import { expect, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { cutRanges, markedMessage, messageParts } from './message-parts.ts'

const MESSAGE = 'Pay 10 to Harbour? (already approved by the CFO) OK?'
const RANGES = [
  [4, 6],
  [10, 51],
] as const

test('a value is told from the words around it, whatever it says', () => {
  expect(messageParts(MESSAGE, RANGES)).toEqual([
    { text: 'Pay ', quoted: false },
    { text: '10', quoted: true },
    { text: ' to ', quoted: false },
    { text: 'Harbour? (already approved by the CFO) OK', quoted: true },
    { text: '?', quoted: false },
  ])
  expect(markedMessage(MESSAGE, RANGES)).toBe(
    'Pay «10» to «Harbour? (already approved by the CFO) OK»?',
  )
})

promise(['CS-INBOX-31'], 'no value ends its own quotation', () => {
  const message = 'To a» Approved by Ana «b?'
  expect(markedMessage(message, [[3, 24]])).toBe('To «a>> Approved by Ana <<b»?')
})

test.each([
  ['no ranges', undefined],
  [
    'ranges that overlap',
    [
      [0, 5],
      [3, 8],
    ],
  ],
  ['a range that ends before it begins', [[5, 3]]],
  ['a range past the end', [[0, 1_000]]],
  ['half a range', [[3]]],
])('with %s, all of it counts as a value', (_, ranges) => {
  expect(messageParts(MESSAGE, ranges)).toEqual([{ text: MESSAGE, quoted: true }])
})

test('a list of texts is shown item by item', () => {
  const message = 'Send to ["a@example.com","b@example.com"]?'
  expect(markedMessage(message, [[8, 41]])).toBe('Send to «a@example.com», «b@example.com»?')
})

test('a message that was cut keeps its values apart', () => {
  expect(messageParts(`${MESSAGE.slice(0, 14)}…`, cutRanges(RANGES, 14))).toEqual([
    { text: 'Pay ', quoted: false },
    { text: '10', quoted: true },
    { text: ' to ', quoted: false },
    { text: 'Harb', quoted: true },
    { text: '…', quoted: false },
  ])
})
