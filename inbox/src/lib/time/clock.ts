/** Times as people read them. All of them come from the server's clock. */
import { language, number } from '../language/language.ts'
import { plural, t } from '../language/t.ts'
import { wallClock } from './zone.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Under this it is marked, in the list and on the card. */
export const URGENT = 15 * MINUTE

const dayOf = (date: Date) => Math.floor(date.getTime() / DAY)
const two = (number: number) => String(number).padStart(2, '0')

/** What is left, for a countdown: `38:12`, `1 h 10 m`, `22 h`, `3 d`. */
export function timeLeft(ms: number): string {
  if (ms <= 0) return '0:00'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}:${two(Math.floor((ms % MINUTE) / SECOND))}`
  const hours = Math.floor(ms / HOUR)
  if (ms < 10 * HOUR) {
    const minutes = Math.floor((ms % HOUR) / MINUTE)
    return minutes === 0
      ? t('{hours} h', { hours })
      : t('{hours} h {minutes} m', { hours, minutes: two(minutes) })
  }
  return ms < 2 * DAY ? t('{hours} h', { hours }) : t('{days} d', { days: Math.floor(ms / DAY) })
}

/** How long something took: `6 ms`, `1.8 s`, `2 m 10 s`, `3 h`. */
export function took(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * SECOND)
    return `${number(ms / SECOND, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR) {
    const seconds = Math.floor((ms % MINUTE) / SECOND)
    const minutes = Math.floor(ms / MINUTE)
    return seconds === 0
      ? t('{minutes} m', { minutes })
      : t('{minutes} m {seconds} s', { minutes, seconds })
  }
  return timeLeft(ms)
}

/** A length in a rule: `15 min`, `8 h`, `2 days`. */
export function span(ms: number): string {
  const parts: string[] = []
  const days = Math.floor(ms / DAY)
  const hours = Math.floor((ms % DAY) / HOUR)
  const minutes = Math.floor((ms % HOUR) / MINUTE)
  const seconds = Math.floor((ms % MINUTE) / SECOND)
  if (days > 1) parts.push(plural(days, '{n} day', '{n} days'))
  const allHours = days === 1 ? hours + 24 : hours
  if (allHours > 0) parts.push(t('{hours} h', { hours: allHours }))
  if (minutes > 0) parts.push(`${minutes} min`)
  if (seconds > 0) parts.push(`${seconds} s`)
  return parts.length > 0 ? parts.join(' ') : `${ms} ms`
}

/** `10:03:14`; on another day `14 Mar 10:03`. */
export function clock(at: number, now: number, seconds = true): string {
  const date = wallClock(at)
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
  if (dayOf(date) === dayOf(wallClock(now))) {
    return seconds ? `${time}:${two(date.getUTCSeconds())}` : time
  }
  return `${day(at)} ${time}`
}

/** `10:03:14.226` */
export function exact(at: number): string {
  const date = wallClock(at)
  const ms = String(date.getUTCMilliseconds()).padStart(3, '0')
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}.${ms}`
}

/** `Intl` writes September in four letters for the British, and the day last for Americans. */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `14 Mar` */
export function day(at: number): string {
  return utcDay(wallClock(at).getTime())
}

/** The day that it is in UTC, whatever day that is here. */
export function utcDay(at: number): string {
  const date = new Date(at)
  return language() === 'en'
    ? `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
    : date.toLocaleDateString(language(), { day: 'numeric', month: 'short', timeZone: 'UTC' })
}
