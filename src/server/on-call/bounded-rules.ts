import type ICAL from 'ical.js'

/** Its next turn always comes, and soon enough to look for it; other parts may have none at all. */
const PARTS = new Set(['BYDAY', 'BYMONTH', 'BYMONTHDAY'])
const FREQUENCIES = new Set(['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'])
/** Every month has this one. */
const LAST_DAY_OF_ALL = 28
/** So often at most does each month have a weekday for certain. */
const WEEKS_OF_ALL = 4

/** Refuses a calendar with a rule whose next turn could be looked for without end. */
export function assertBounded(component: ICAL.Component): void {
  for (const name of ['rrule', 'exrule']) {
    for (const property of component.getAllProperties(name)) {
      const rule = property.getFirstValue() as ICAL.Recur | null
      const isZone = component.name === 'standard' || component.name === 'daylight'
      if (!rule || !isBounded(rule) || (isZone && rule.freq !== 'YEARLY')) {
        throw new TypeError('it has a rule for repetitions that is not read here')
      }
    }
  }
  for (const inner of component.getAllSubcomponents()) assertBounded(inner)
}

function isBounded({ freq, interval, parts }: ICAL.Recur): boolean {
  const given = Object.entries(parts) as [string, readonly unknown[]][]
  if (!FREQUENCIES.has(freq) || given.some(([part]) => !PARTS.has(part))) return false
  const days = (parts as Record<string, readonly unknown[]>).BYMONTHDAY ?? []
  if (days.length > 0 && !days.some((day) => Math.abs(Number(day)) <= LAST_DAY_OF_ALL)) return false
  const weekdays = (parts as Record<string, readonly unknown[]>).BYDAY ?? []
  const nth = (day: unknown) => Math.abs(Number.parseInt(String(day), 10) || 0)
  if (weekdays.length > 0 && !weekdays.some((day) => nth(day) <= WEEKS_OF_ALL)) return false
  if (interval === 1 || given.length === 0) return true
  // Every second month is never March when the first is February, and so on.
  return (
    (freq === 'WEEKLY' && given.every(([part]) => part === 'BYDAY')) ||
    (freq === 'MONTHLY' && given.length === 1 && !('BYMONTH' in parts)) ||
    (freq === 'YEARLY' && given.every(([part]) => part !== 'BYDAY' || 'BYMONTH' in parts))
  )
}
