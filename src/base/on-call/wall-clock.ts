const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** What a clock and a calendar on a wall show. */
export interface Wall {
  /** Since 1970-01-01. */
  readonly day: number
  /** After midnight. */
  readonly minute: number
}

const clocks = new Map<string, Intl.DateTimeFormat>()

export function isZone(zone: string): boolean {
  try {
    clockIn(zone)
    return true
  } catch {
    return false
  }
}

export function wallOf(zone: string, at: number): Wall {
  const shown = shownAt(zone, at)
  const day = Math.floor(shown / DAY)
  return { day, minute: Math.floor((shown - day * DAY) / MINUTE) }
}

/** When the clock shows this; the first time, where it does so twice. A time that it skips is moved by the jump. */
export function momentOf(zone: string, day: number, minute: number): number {
  const wanted = day * DAY + minute * MINUTE
  // What the clock shows a day before and after tells both of its offsets around this time.
  const offsets = [wanted - DAY, wanted + DAY].map((at) => shownAt(zone, at) - at)
  const found = offsets
    .map((offset) => wanted - offset)
    .filter((at) => shownAt(zone, at) === wanted)
  return found.length > 0 ? Math.min(...found) : wanted - Math.min(...offsets)
}

/** As if the wall were in UTC; to the minute. */
function shownAt(zone: string, at: number): number {
  const parts = clockIn(zone).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((one) => one.type === type)?.value)
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
}

/** Making one takes longer than asking it. */
function clockIn(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  })
  clocks.set(zone, made)
  return made
}
