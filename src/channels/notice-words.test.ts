import { expect, test } from 'vitest'
import type { Notice } from '../gate/notify/channel.ts'
import { noticeTitle, roomTitle } from './notice-words.ts'

const approval = { tool: 'pay', risk: 'L4', status: 'pending' }
const told = (kind: string, more: object = {}) =>
  ({ kind, question: true, to: [], approval, ...more }) as unknown as Notice

test.each([
  ['requested', { question: true }, 'L4: pay waits for you'],
  ['reminded', {}, 'L4: pay still waits for you'],
  ['changed', {}, 'L4: pay changed and waits for you'],
  ['unreachable', {}, 'L4: pay lacks people who may decide'],
  ['assigned', {}, 'L4: pay: assigned to you'],
  ['questioned', {}, 'L4: pay: an approver asks something before deciding'],
  ['denied', { question: false }, 'pay: denied'],
  ['succeeded', { question: false }, 'pay: ran'],
  ['reminded', { approval: { ...approval, riskGuessed: true } }, 'pay still waits for you'],
  [
    'reminded',
    { approval: { ...approval, tool: 'a\u202eb' } },
    'L4: a‹U+202E›b still waits for you',
  ],
])('a notice of kind %s with %j is called so', (kind, more, title) => {
  expect(noticeTitle(told(kind, more))).toBe(title)
})

test('in a room an assignment says whose it is', () => {
  const to = [{ email: 'ana@example.com' }]
  expect(roomTitle(told('assigned', { to }))).toBe('L4: pay: assigned to ana@example.com')
})
