/** Wall clocks: of this machine, or of the time zone that the reader chose. */
import { settings } from '../settings.ts'

const formats = new Map<string, Intl.DateTimeFormat | undefined>()

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) formats.set(zone, madeFor(zone))
  return formats.get(zone)
}

function madeFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  } catch {
    // A zone that this browser does not know: the clock of the machine.
    return undefined
  }
}

export function isZone(zone: string): boolean {
  return formatOf(zone) !== undefined
}

/** How far the wall clock is ahead of UTC then, in milliseconds. */
export function aheadOfUtc(at: number, zone = settings().zone): number {
  const format = zone === '' ? undefined : formatOf(zone)
  if (format === undefined) return -new Date(at).getTimezoneOffset() * 60_000
  // Swedish writes `2026-11-17 15:30:00`: as UTC, it is the wall clock as a number.
  const wall = Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
  return wall - Math.floor(at / 1_000) * 1_000
}

const LAST = 8.64e15

/** A date whose UTC fields are those of the wall clock. */
export function wallClock(at: number): Date {
  // A lock may end with the last instant of all, after which there are no dates.
  const ahead = Math.abs(at) < LAST ? aheadOfUtc(at) : 0
  return new Date(Math.min(at + ahead, LAST))
}

/** When a day begins, or the one so many days later. Months count from 1, as they are written. */
export function midnight(year: number, month: number, day: number): number {
  const wall = Date.UTC(year, month - 1, day)
  // Twice: the first guess may lie on the other side of a change of clocks.
  const guess = wall - aheadOfUtc(wall)
  const found = wall - aheadOfUtc(guess)
  // Where clocks go on at midnight there is none: the day begins with the change.
  return found + aheadOfUtc(found) < wall ? guess : found
}
