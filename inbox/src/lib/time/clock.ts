/** Times as people read them. All of them come from the server's clock. */
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
    return minutes === 0 ? `${hours} h` : `${hours} h ${two(minutes)} m`
  }
  return ms < 2 * DAY ? `${hours} h` : `${Math.floor(ms / DAY)} d`
}

/** How long something took: `6 ms`, `1.8 s`, `2 m 10 s`, `3 h`. */
export function took(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR) {
    const seconds = Math.floor((ms % MINUTE) / SECOND)
    return `${Math.floor(ms / MINUTE)} m${seconds === 0 ? '' : ` ${seconds} s`}`
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
  if (days > 1) parts.push(`${days} days`)
  const allHours = days === 1 ? hours + 24 : hours
  if (allHours > 0) parts.push(`${allHours} h`)
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

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `14 Mar` */
export function day(at: number): string {
  return utcDay(wallClock(at).getTime())
}

/** The day that it is in UTC, whatever day that is here. */
export function utcDay(at: number): string {
  const date = new Date(at)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}
