import { expect, test } from 'vitest'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { MOST_PICKED, toggled } from './picked.ts'
import { actionWords, notHere, presetOf, repeated } from './selection.ts'

const card = (more: Partial<ApprovalCard> = {}) =>
  ({
    id: 'a',
    digest: 'd1',
    status: 'pending',
    mine: { may: true },
    can: ['approve', 'deny'],
    arguments: '{}',
    ...more,
  }) as ApprovalCard

test('picking twice is not picking, and a range adds what is missing', () => {
  expect([...toggled(new Set(), ['a'])]).toEqual(['a'])
  expect([...toggled(new Set(['a']), ['a'])]).toEqual([])
  expect([...toggled(new Set(['a']), ['a', 'b'])]).toEqual(['a', 'b'])
  const many = Array.from({ length: 80 }, (_, at) => `${at}`)
  expect(toggled(new Set(), many).size).toBe(MOST_PICKED)
})

test('a yes is preset only after everything was shown, and never for a repetition', () => {
  expect(presetOf(card(), false, false)).toBe('open')
  expect(presetOf(card(), false, true)).toBe('approve')
  expect(presetOf(card(), true, true)).toBe('deny')
  expect(presetOf(card({ risk: 'L4' }), false, true)).toBe('open')
  expect([...repeated([card(), card({ id: 'b' }), card({ id: 'c', digest: 'd2' })])]).toEqual(['b'])
})

test.each([
  ['decided meanwhile', { status: 'denied' }],
  ['of others', { mine: { may: false, why: 'Not yours.', because: { code: 'not_asked' } } }],
  ['only to be denied', { can: ['deny'] }],
  ['erased', { arguments: '' }],
  ['of high risk', { risk: 'L5' }],
] as const)('a call %s is not approved in a batch', (_, more) => {
  expect(notHere(card(more))).toBeTypeOf('string')
})

test('the button says what it does', () => {
  expect(actionWords(['approve', 'approve', 'deny', 'open'])).toBe('Approve 2, deny 1')
  expect(actionWords(['deny'])).toBe('Deny 1')
  expect(actionWords(['open'])).toBe('Nothing chosen')
})
