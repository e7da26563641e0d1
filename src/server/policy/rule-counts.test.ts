import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { NOTHING, OTHER_KEYS } from '../../store/statistics/statistics.ts'
import { ruleCounts } from './rule-counts.ts'

const asked = (source: string, rule: string, times: number) => ({
  dimension: 'rule' as const,
  key: JSON.stringify([source, rule]),
  counts: { ...NOTHING, asked: times },
})
const counted = { days: [], isBehind: false }

promise(['CS-RULES-4'], 'a governance rule is counted under its own name, whatever it is', () => {
  const sums = [
    asked('governance', 'governance.big', 1),
    asked('governance', 'governance.big.condition', 20),
    asked('tool', 'tools.pay.approval.condition[0]', 3),
    asked('tool', 'tools.pay.approval.condition[1]', 4),
  ]
  const { rules } = ruleCounts({ ...counted, sums }, 30)
  expect(Object.fromEntries(rules.map((one) => [one.rule, one.asked]))).toEqual({
    'governance.big': 1,
    'governance.big.condition': 20,
    'tools.pay.approval': 7,
  })
})

promise(['CS-RULES-4'], 'numbers that may be too small say so', () => {
  const other = { ...asked('', '', 5), key: OTHER_KEYS }
  const sums = [asked('tool', 'tools.pay.approval', 3)]
  expect(ruleCounts({ ...counted, sums }, 30).behind).toBeUndefined()
  expect(ruleCounts({ ...counted, sums: [...sums, other] }, 30).behind).toBe(true)
})
