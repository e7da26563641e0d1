import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KEYS = ['approval', 'condition', 'message_template', 'decide_by', 'use_by', 'risk']

test.each<[written: string, meant: string | undefined]>([
  ['aproval', 'approval'],
  ['approvla', 'approval'],
  ['Approval', 'approval'],
  ['conditon', 'condition'],
  ['conditions', 'condition'],
  ['messageTemplate', 'message_template'],
  ['message-template', 'message_template'],
  ['decideBy', 'decide_by'],
  ['rsik', 'risk'],
  ['colour', undefined],
  ['', undefined],
  ['x', undefined],
  ['a'.repeat(100_000), undefined],
])('%s → %s', (written, meant) => {
  expect(nearest(written, KEYS)).toBe(meant)
})

test('a short code is not taken for its neighbour', () => {
  expect(nearest('L9', ['L0', 'L1'])).toBeUndefined()
  expect(nearest('l1', ['L0', 'L1'])).toBe('L1')
})
