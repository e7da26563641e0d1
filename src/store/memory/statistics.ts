import type { CounterTable, Progress } from '../statistics/roll-up.ts'
import type { Counter } from '../statistics/statistics.ts'

export function createMemoryCounters(): CounterTable {
  const kept = new Map<string, Counter>()
  let progress: Progress | undefined
  return {
    progress: async () => progress,
    async counters({ from, to }) {
      return [...kept.values()].filter(({ day }) => day >= from && day <= to)
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
