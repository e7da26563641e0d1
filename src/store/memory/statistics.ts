import type { CounterTable, Progress } from '../statistics/roll-up.ts'
import { addCounts, type Counter, NOTHING, type Sum } from '../statistics/statistics.ts'

export function createMemoryCounters(): CounterTable {
  const kept = new Map<string, Counter>()
  let progress: Progress | undefined
  return {
    progress: async () => progress,
    async read({ from, to }) {
      const wanted = [...kept.values()].filter(({ day }) => day >= from && day <= to)
      const sums = new Map<string, Sum>()
      for (const { dimension, key, counts } of wanted) {
        if (dimension === 'all') continue
        const name = `${dimension} ${key}`
        const before = sums.get(name)?.counts ?? NOTHING
        sums.set(name, { dimension, key, counts: addCounts(before, counts) })
      }
      return {
        days: wanted.filter(({ dimension }) => dimension === 'all'),
        sums: [...sums.values()],
      }
    },
    async merge({ from, to, days, change }) {
      if (progress?.cursor !== from?.cursor) return
      const known = [...kept.values()].filter(({ day }) => days.includes(day))
      for (const one of change(known)) kept.set(`${one.day} ${one.dimension} ${one.key}`, one)
      progress = to
    },
    async clear() {
      kept.clear()
      progress = undefined
    },
  }
}
