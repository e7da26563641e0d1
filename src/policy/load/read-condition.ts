import { CountersignError } from '../../base/errors.ts'
import type { Condition } from '../evaluate/condition.ts'
import { condition } from '../grammar/grammar-condition.ts'
import { createReport, formatMistake } from '../read/read-report.ts'
import { treeOf } from '../read/read-value.ts'

/**
 * A condition that stands alone, outside of any file: one map with `args_match`, or a list of them.
 * Throws `invalid_value` with everything that is wrong. One that holds whatever the arguments are
 * is refused: it limits nothing.
 */
export function readCondition(
  value: unknown,
  { delegation }: { readonly delegation: boolean },
): Condition {
  const report = createReport()
  const place = { file: 'condition', line: 0, column: 0 }
  const tree = treeOf(value, '', place, report)
  const read = condition(delegation).read(tree, { path: '', report, homes: new Map() })
  const mistakes = report.mistakes()
  if (read === undefined || mistakes.length > 0) {
    throw new CountersignError('invalid_value', mistakes.map(formatMistake).join('\n'))
  }
  const isOpen = read.groups.some((group) => group.every(({ matcher }) => matcher.length === 0))
  if (read.groups.length > 0 && !isOpen) return read
  throw new CountersignError('invalid_value', 'condition: it says nothing about any argument', {
    hint: 'Name at least one argument and what it may be, such as { "amount": { "lte": 50 } }.',
  })
}
