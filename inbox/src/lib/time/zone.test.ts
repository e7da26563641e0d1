import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { changeSettings } from '../settings.ts'
import { clock, day, exact, utcDay } from './clock.ts'
import { aheadOfUtc, isZone, midnight, wallClock } from './zone.ts'

const HOUR = 3_600_000
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
/** 17 November 2026, 23:30:05 in UTC. */
const AT = Date.UTC(2026, 10, 17, 23, 30, 5)

const choose = (zone: string) => changeSettings({ zone })
// Settings also change how a document looks.
beforeEach(() => void vi.stubGlobal('document', { documentElement: { dataset: {} } }))
afterEach(() => {
  choose('')
  vi.unstubAllGlobals()
})

test('times are those of the zone that was chosen', () => {
  choose('UTC')
  expect([clock(AT, AT), day(AT), exact(AT)]).toEqual(['23:30:05', '17 Nov', '23:30:05.000'])
  choose('Asia/Tokyo')
  expect([clock(AT, AT), day(AT)]).toEqual(['08:30:05', '18 Nov'])
  expect(clock(AT, AT - 20 * HOUR)).toBe('18 Nov 08:30')
  choose('Asia/Kolkata')
  expect(clock(AT, AT, false)).toBe('05:00')
})

test('without a choice, or with one that no browser knows, it is the clock of the machine', () => {
  const own = -new Date(AT).getTimezoneOffset() * 60_000
  expect(aheadOfUtc(AT)).toBe(own)
  choose('Moon/Crater')
  expect(isZone('Moon/Crater')).toBe(false)
  expect(wallClock(AT).getTime()).toBe(AT + own)
})

test('a day begins at its midnight, also on the day on which clocks change', () => {
  choose('Europe/Berlin')
  expect(midnight(2026, 3, 29)).toBe(Date.UTC(2026, 2, 28, 23))
  expect(midnight(2026, 3, 30)).toBe(Date.UTC(2026, 2, 29, 22))
  expect(midnight(2026, 10, 25)).toBe(Date.UTC(2026, 9, 24, 22))
  expect(midnight(2026, 10, 26)).toBe(Date.UTC(2026, 9, 25, 23))
  expect(midnight(2026, 11, 17 - 29)).toBe(midnight(2026, 10, 19))
})

test('the last instant there is has a time, in every zone', () => {
  for (const zone of ['', 'Asia/Tokyo', 'America/Lima', 'UTC']) {
    choose(zone)
    expect(clock(8.64e15, AT)).toMatch(/^1[23] Sep \d\d:\d\d$/)
  }
})

test('a day without a midnight begins when its clocks go on', () => {
  choose('America/Havana')
  expect(midnight(2026, 3, 8)).toBe(Date.UTC(2026, 2, 8, 5))
  choose('America/Santiago')
  expect(midnight(2026, 9, 6)).toBe(Date.UTC(2026, 8, 6, 4))
  choose('Africa/Cairo')
  expect(midnight(2026, 4, 24)).toBe(Date.UTC(2026, 3, 23, 22))
})

test('a day of UTC has its own name in every zone, also where clocks change between the two', () => {
  for (const zone of ['Australia/Sydney', 'Pacific/Auckland', 'Pacific/Honolulu', 'UTC']) {
    choose(zone)
    const days = Array.from({ length: 365 }, (_, at) => Date.UTC(2026, 0, 1 + at))
    expect(days.map(utcDay)).toEqual(
      days.map((at) => `${new Date(at).getUTCDate()} ${MONTHS[new Date(at).getUTCMonth()]}`),
    )
  }
})
