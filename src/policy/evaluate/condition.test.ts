import { expect, test } from 'vitest'
import type { Call } from '../../base/call.ts'
import type { Answer } from './answer.ts'
import {
  ALWAYS,
  type Clause,
  type Condition,
  clauseAt,
  isParentPath,
  judgeCondition,
} from './condition.ts'
import { parsePath } from './path.ts'

function at(text: string) {
  const path = parsePath(text)
  if (!path.ok) throw new Error(path.problem)
  return path.value
}

const is = (path: string, value: string | number): Clause =>
  clauseAt(at(path), [{ op: 'eq', value }])
const call = (args: Call['args'], more: Partial<Call> = {}): Call => ({
  tool: 'pay',
  args,
  ...more,
})
const list = (...groups: Clause[][]): Condition => ({ form: 'list', groups })

// What one clause answers, by the argument it looks at.
const args = { yes: 'x', no: 'y', unknown: 3 }
const clauses: Record<Answer, Clause> = {
  yes: is('yes', 'x'),
  no: is('no', 'x'),
  unknown: is('unknown', 'x'),
}

test.each<[Answer, Answer, Answer, Answer]>([
  // a        b          a and b    a or b
  ['yes', 'yes', 'yes', 'yes'],
  ['yes', 'no', 'no', 'yes'],
  ['no', 'yes', 'no', 'yes'],
  ['no', 'no', 'no', 'no'],
  ['yes', 'unknown', 'unknown', 'yes'],
  ['unknown', 'yes', 'unknown', 'yes'],
  ['no', 'unknown', 'no', 'unknown'],
  ['unknown', 'no', 'no', 'unknown'],
  ['unknown', 'unknown', 'unknown', 'unknown'],
])('%s with %s: in one group %s, in two groups %s', (a, b, and, or) => {
  expect(judgeCondition(list([clauses[a], clauses[b]]), call(args)).answer).toBe(and)
  expect(judgeCondition(list([clauses[a]], [clauses[b]]), call(args)).answer).toBe(or)
})

test.each<[string, Clause[][], number]>([
  ['the first that says yes', [[clauses.no], [clauses.yes], [clauses.yes]], 1],
  ['a yes after an unknown', [[clauses.unknown], [clauses.yes]], 1],
  [
    'the first unknown where none says yes',
    [[clauses.no], [clauses.unknown], [clauses.unknown]],
    1,
  ],
  ['none where all say no', [[clauses.no], [clauses.no]], -1],
  ['an empty group', [[clauses.no], []], 1],
])('the group that decided is %s', (_, groups, group) => {
  expect(judgeCondition(list(...groups), call(args)).group).toBe(group)
})

test('no condition at all is yes', () => {
  expect(judgeCondition(ALWAYS, call({}))).toEqual({ answer: 'yes', group: 0, findings: [[]] })
})

test('every clause reports the value it saw, whatever was decided before', () => {
  const { findings } = judgeCondition(
    list([clauses.no, clauses.unknown], [clauses.yes]),
    call(args),
  )
  const seen = findings.map((group) => group.map(({ value, answer }) => [value, answer]))
  expect(seen).toEqual([
    [
      ['y', 'no'],
      [3, 'unknown'],
    ],
    [['x', 'yes']],
  ])
})

const risky = list([is('parent.input.risk_level', 'high')])
const input = { risk_level: 'high' }

test.each<[string, Call, Answer]>([
  ['on a delegation', call({}, { kind: 'agent', parent: { input } }), 'yes'],
  [
    'with another value',
    call({}, { kind: 'agent', parent: { input: { risk_level: 'low' } } }),
    'no',
  ],
  ['without a parent', call({}, { kind: 'agent' }), 'unknown'],
  ['never on a tool', call({}, { parent: { input } }), 'unknown'],
  ['never on a skill', call({}, { kind: 'skill', server: 'a', parent: { input } }), 'unknown'],
  ['never from arguments of that name', call({ parent: { input } }, { kind: 'agent' }), 'unknown'],
])('the input of the parent is read %s', (_, asked, answer) => {
  expect(judgeCondition(risky, asked).answer).toBe(answer)
})

test.each([
  ['parent.input.action', true],
  ['parent.output', false],
  ['parent\\.input.action', false],
  ['my.parent.input', false],
])('%s is about the parent: %s', (text, expected) => {
  expect(isParentPath(at(text))).toBe(expected)
})
