import { expect, test } from 'vitest'
import { call, policyFrom, policyOf, verdictOf } from '../../../test/support/policy.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { Mistake } from '../document.ts'
import { combinePolicy } from './combine.ts'

function mistakes(combine: () => unknown): Pick<Mistake, 'path' | 'kind'>[] {
  try {
    combine()
    return []
  } catch (error) {
    if (!isCountersignError(error, 'policy_invalid')) throw error
    const found = error.details.mistakes as readonly Mistake[]
    return found.map(({ path, kind }) => ({ path, kind }))
  }
}

test('no files at all is a policy: tools in-process run, foreign ones are asked about', () => {
  const policy = combinePolicy({})
  expect(verdictOf(policy, call('pay'))).toBe('allow')
  expect(verdictOf(policy, call('pay', {}, { server: 'api' }))).toBe('confirm')
})

test('ids of rules are unique over all files', () => {
  const rule = 'governance: [{ id: a, approval: true }]'
  const repeated = [{ path: 'governance.a', kind: 'duplicate_id' }]
  expect(mistakes(() => policyOf(rule, rule))).toEqual(repeated)
  expect(mistakes(() => policyOf('tools: {}', rule, rule))).toEqual(repeated)
  expect(
    mistakes(() => policyOf('tools: {}', rule, 'governance: [{ id: A, approval: true }]')),
  ).toEqual([])
})

test('a group is defined once, and the file that comes from outside wins the name', () => {
  const people = 'people: { groups: { it: [ana@example.com] } }'
  const redefined = [{ path: 'people.groups.it', kind: 'group_redefined' }]
  expect(mistakes(() => policyOf(people, people))).toEqual(redefined)
  expect(mistakes(() => policyOf('tools: {}', people, people))).toEqual(redefined)
  const thrown = () => policyOf(people, people)
  expect(thrown).toThrow(/countersign\.yaml.*already defined by governance-0\.yaml/)
})

const asks = (approval: string) => `governance: [{ id: a, approval: ${approval} }]`
const people = (groups: string) => `people: { groups: ${groups} }`

test.each([
  ['a quorum', '{ quorum: [{ group: it, n: 1 }] }', 'unknown_group'],
  ['approvers', '{ approvers: [{ group: it }] }', 'unknown_group'],
  ['escalation', '{ escalate: [{ after: 1h, to: { group: it } }] }', 'unknown_group'],
])('a group that no file defines is refused: %s', (_, approval, kind) => {
  expect(mistakes(() => policyOf('tools: {}', asks(approval)))).toEqual([
    { path: 'governance.a', kind },
  ])
  expect(mistakes(() => policyOf(people('{ it: { claim: x } }'), asks(approval)))).toEqual([])
  expect(
    mistakes(() => policyOf('tools: {}', people('{ it: { claim: x } }'), asks(approval))),
  ).toEqual([])
})

test('a quorum is checked against the people of all files', () => {
  const two = asks('{ quorum: [{ group: it, n: 1 }, { group: ops, n: 1 }] }')
  const ops = people('{ ops: [ana@example.com] }')
  expect(mistakes(() => policyOf(people('{ it: [ana@example.com] }'), ops, two))).toEqual([
    { path: 'governance.a.quorum', kind: 'unsatisfiable_quorum' },
  ])
  expect(mistakes(() => policyOf(people('{ it: [bo@example.com] }'), ops, two))).toEqual([])
})

test('all mistakes are reported together', () => {
  const rule = asks('{ approvers: [{ group: it }] }')
  const found = mistakes(() =>
    policyOf(
      `${asks('true')}\n${people('{ x: { claim: y } }')}`,
      rule,
      people('{ x: { claim: y } }'),
    ),
  )
  expect(found.map(({ kind }) => kind).sort()).toEqual([
    'duplicate_id',
    'group_redefined',
    'unknown_group',
  ])
})

test('warnings of all files are kept', () => {
  const policy = policyFrom({
    owner: 'tools: { pay: { approval: false, risk: L4 } }',
    governance: ['governance: [{ id: a, condition: {}, approval: true }]'],
  })
  expect(policy.warnings.map(({ place }) => place.file)).toEqual([
    'countersign.yaml',
    'governance-0.yaml',
  ])
})
