import type { RuleClause } from '../../../../src/api/policy/rules.ts'
import { OPERATOR_WORDS, type Operator } from '../../lib/approval/operator-words.ts'

type Scalar = string | number | boolean

const NUMBERS: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']
export const LISTS: readonly Operator[] = ['in', 'not_in']

/** Those that can test a value of this type; all of them where it is not known. */
export function operatorsFor(type: string | undefined): readonly Operator[] {
  const all = Object.keys(OPERATOR_WORDS) as Operator[]
  if (type === 'number') return all.filter((op) => op !== 'pattern')
  if (type === 'string') return all.filter((op) => !NUMBERS.includes(op))
  return type === 'boolean' ? ['eq', 'ne'] : all
}

/** What stands in the field. Items of a list are on lines of their own: a text may hold a comma. */
export function textOf(value: RuleClause['value']): string {
  return Array.isArray(value) ? value.map(String).join('\n') : String(value)
}

/** The value that was typed: of the argument's own type, so that a condition can hold at all. */
export function valueFrom(
  text: string,
  op: Operator,
  type: string | undefined,
): RuleClause['value'] {
  if (LISTS.includes(op)) {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => scalarFrom(line, type))
  }
  return scalarFrom(text, NUMBERS.includes(op) ? 'number' : op === 'pattern' ? 'string' : type)
}

function scalarFrom(text: string, type: string | undefined): Scalar {
  if (type === 'boolean') return text === 'true'
  if (type !== 'number') return text
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}

/**
 * What stands in the field while it is typed in: `1.` and an empty line at the end say no more than
 * `1` and no line, and must not be taken away, or `1.5` ends as `15`.
 */
export function shownText(
  typed: string | undefined,
  { op, value }: RuleClause,
  type: string | undefined,
): string {
  const isSame =
    typed !== undefined && JSON.stringify(valueFrom(typed, op, type)) === JSON.stringify(value)
  return isSame ? typed : textOf(value)
}

/** The same value under another operator. */
export function changedOperator(
  clause: RuleClause,
  op: Operator,
  type: string | undefined,
): RuleClause {
  return { ...clause, op, value: valueFrom(textOf(clause.value), op, type) }
}
