import { expect, test } from 'vitest'
import type { RuleClause } from '../../../../src/api/policy/rules.ts'
import { changedOperator, operatorsFor, shownText, textOf, valueFrom } from './clause-value.ts'

test.each([
  ['10', 'gt', undefined, 10],
  ['10', 'eq', 'string', '10'],
  ['10', 'eq', 'number', 10],
  ['true', 'eq', 'boolean', true],
  ['', 'gt', 'number', ''],
  ['1e999', 'gt', 'number', '1e999'],
  ['a,b\nc', 'in', 'string', ['a,b', 'c']],
  ['1\n2', 'not_in', 'number', [1, 2]],
  ['^1', 'pattern', 'number', '^1'],
] as const)('%j under %s for a %s is %j', (text, op, type, value) => {
  expect(valueFrom(text, op, type)).toEqual(value)
})

/** What is in the field after these keys, each typed at its end. */
function typing(keys: string, op: RuleClause['op'], type: string): RuleClause['value'] {
  let clause: RuleClause = { path: 'a', op, value: '' }
  let typed: string | undefined
  for (const key of keys) {
    typed = `${shownText(typed, clause, type)}${key}`
    clause = { ...clause, value: valueFrom(typed, op, type) }
  }
  return clause.value
}

test('what is typed key by key is what the rule says', () => {
  expect(typing('1.5', 'gt', 'number')).toBe(1.5)
  expect(typing('0.05', 'lte', 'number')).toBe(0.05)
  expect(typing('-10.0', 'eq', 'number')).toBe(-10)
  expect(typing('DE\nFR', 'in', 'string')).toEqual(['DE', 'FR'])
  // A value that came from elsewhere stands there, whatever was typed before.
  expect(shownText('1.', { path: 'a', op: 'gt', value: 7 }, 'number')).toBe('7')
})

test('a value stays when the operator changes', () => {
  const clause = { path: 'a', op: 'eq', value: 5 } as const
  const list = changedOperator(clause, 'in', 'number')
  expect(list).toEqual({ path: 'a', op: 'in', value: [5] })
  expect(textOf(changedOperator(list, 'gt', 'number').value)).toBe('5')
})

test('only operators that can hold are offered', () => {
  expect(operatorsFor('boolean')).toEqual(['eq', 'ne'])
  expect(operatorsFor('string')).not.toContain('gt')
  expect(operatorsFor(undefined)).toHaveLength(9)
})
