import { parseDuration } from '../../base/duration.ts'
import { usage } from '../failure.ts'

/** A moment: a day, a full ISO time, or how long ago. */
export function timeOf(text: string, { option, now }: { option: string; now: number }): number {
  const duration = parseDuration(text)
  if (duration.ok) return now - duration.value
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(time)) return time
  throw usage(`${option} ${text} is not a time`, 'Write 2026-01-31, 2026-01-31T10:00:00Z or 30d.')
}
