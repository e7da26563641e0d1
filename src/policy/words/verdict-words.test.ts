import { expect, test } from 'vitest'
import { duration } from '../../base/duration-words.ts'
import { evaluate } from '../evaluate/evaluate.ts'
import { combinePolicy } from '../load/combine.ts'
import { loadOwner } from '../load/load.ts'
import { inWords } from './verdict-words.ts'

const PEOPLE =
  'people: { groups: { finance: [a@example.com, b@example.com], ops: { claim: ops } } }'

/** What people read about a tool with this `approval`. */
function words(approval: string, defaults = '{}') {
  const text = `version: 1\n${PEOPLE}\ndefaults: ${defaults}\ntools: { pay: { approval: ${approval} } }\n`
  const loaded = loadOwner({ file: 'countersign.yaml', text })
  if (!loaded.ok) throw new Error(loaded.mistakes[0]?.message)
  return inWords(evaluate(combinePolicy({ owner: loaded.document }), { tool: 'pay', args: {} }))
}

const NEVER = 'Never the requester, the agent or the person it works for.'

test.each([
  ['true', ['A yes from the person the agent works for or anyone with the approver role.']],
  ['{ approvers: [ana@example.com] }', ['A yes from ana@example.com.', NEVER]],
  ['{ approvers: ["*"] }', ['A yes from anyone with the approver role.', NEVER]],
  [
    '{ approvers: [{ group: ops }, ana@example.com] }',
    ['A yes from one of: group ops, ana@example.com.', NEVER],
  ],
  ['{ quorum: [{ group: ops, n: 1 }] }', ['A yes from 1 of group ops.', NEVER]],
  [
    '{ quorum: [{ group: finance, n: 2 }, { group: ops, n: 1 }] }',
    ['A yes from 2 of group finance and 1 of group ops, 3 different people.', NEVER],
  ],
  [
    '{ quorum: [{ group: finance, n: 1 }], escalate: [{ after: 90m, to: "*", for: finance }] }',
    [
      'A yes from 1 of group finance.',
      'After 1 h 30 min also anyone with the approver role in place of group finance.',
      NEVER,
    ],
  ],
  ['false', []],
])('%s is decided by %j', (approval, who) => {
  expect(words(approval).who).toEqual(who)
})

test('terms are said where they say something', () => {
  expect(words('true').terms).toEqual([
    'Decide within 24 h',
    'A yes can be used for 15 min, or 24 h in a suspended run',
  ])
  const strict =
    '{ decide_by: 7 days, use_by: 90s, remind_after: 1h, reason: required_always, edit: [amount, to.name], min_assurance: passkey, grants: false }'
  expect(words(strict, '{ wait_for: 5m }').terms).toEqual([
    'Decide within 7 days',
    'A yes can be used for 1 min 30 s',
    'The agent waits 5 min',
    'Reminder after 1 h',
    'With a passkey',
    'Every answer needs a reason',
    'May change amount, to.name',
    'No standing grants',
  ])
  expect(words('{ edit: false, reason: required }').terms).toContain('No argument may be changed')
  expect(words('{ edit: false, reason: required }').terms).toContain('A no needs a reason')
})

test.each([
  [1_000, '1 s'],
  [86_400_000, '24 h'],
  [172_800_000, '2 days'],
  [176_460_000, '2 days 1 h 1 min'],
  [129_600_000, '36 h'],
  [250, '250 ms'],
])('%i ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
