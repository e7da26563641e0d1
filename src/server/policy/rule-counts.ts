import type { RuleCounts } from '../../api/policy/versions.ts'
import {
  addCounts,
  type Counted,
  type Counts,
  OTHER_KEYS,
} from '../../store/statistics/statistics.ts'

/** How often each rule asked: the groups of one condition, counted apart, are one rule. */
export function ruleCounts({ sums, isBehind }: Counted, days: number): RuleCounts {
  const byRule = new Map<string, Counts>()
  // Rules beyond so many of one day are counted together: any of them may have asked more often.
  const isShared = sums.some(({ dimension, key }) => dimension === 'rule' && key === OTHER_KEYS)
  for (const { dimension, key, counts } of sums) {
    if (dimension !== 'rule' || key === OTHER_KEYS) continue
    const [source, name = ''] = JSON.parse(key) as string[]
    // The name of a governance rule is its author's, and may end like that.
    const isNamed = source === 'governance'
    const rule = isNamed ? name : name.replace(/\.condition(\[\d+\])?$/, '')
    const found = byRule.get(rule)
    byRule.set(rule, found ? addCounts(found, counts) : counts)
  }
  return {
    days,
    rules: [...byRule].map(([rule, { asked, approved, denied, expired, edited }]) => ({
      ...{ rule, asked, approved, denied, expired, edited },
    })),
    ...(isBehind || isShared ? { behind: true as const } : {}),
  }
}
