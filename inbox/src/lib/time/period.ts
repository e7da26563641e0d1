import { msg } from '../language/t.ts'
import { midnight, wallClock } from './zone.ts'

export const PERIODS = {
  any: msg('Any time'),
  today: msg('Today'),
  '7d': msg('Last 7 days'),
  '30d': msg('Last 30 days'),
  dates: msg('Dates…'),
} as const

/** A time to look at, as people choose it. */
export interface Span {
  readonly period: keyof typeof PERIODS
  /** As a date field has it: `2026-11-17`. With `dates` only. */
  readonly from: string
  readonly to: string
}

interface Times {
  readonly since?: number
  readonly until?: number
}

/** Days begin and end at midnight where the reader is. */
export function spanOf({ period, from, to }: Span, now: number): Times {
  const daysAgo = (days: number) => {
    const date = wallClock(now)
    return midnight(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate() - days)
  }
  switch (period) {
    case 'any':
      return {}
    case 'today':
      return { since: daysAgo(0) }
    // Whole days, so that the same filter is asked for all day long.
    case '7d':
      return { since: daysAgo(6) }
    case '30d':
      return { since: daysAgo(29) }
    case 'dates': {
      const [first, last] = [timeOf(from, 0), timeOf(to, 1)]
      return {
        ...(first === undefined ? {} : { since: first }),
        ...(last === undefined ? {} : { until: last - 1 }),
      }
    }
  }
}

/** Midnight of a day, or of the one so many days later. */
function timeOf(date: string, later: number): number | undefined {
  if (date === '') return undefined
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const time = midnight(year, month, day + later)
  return Number.isNaN(time) || time < 0 ? undefined : time
}
