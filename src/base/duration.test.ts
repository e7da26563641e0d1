import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  ['1s', SECOND],
  ['90s', 90 * SECOND],
  ['15m', 15 * MINUTE],
  ['1h30m', HOUR + 30 * MINUTE],
  ['1h 30m', HOUR + 30 * MINUTE],
  ['7 days', 7 * DAY],
  ['1 day', DAY],
  ['1 week 2 days 3 hours 4 minutes 5 seconds', 9 * DAY + 3 * HOUR + 4 * MINUTE + 5 * SECOND],
  ['2 min', 2 * MINUTE],
  ['10 sec', 10 * SECOND],
  ['365d', 365 * DAY],
  ['025m', 25 * MINUTE],
])('%s is a duration', (text, ms) => {
  expect(parseDuration(text)).toEqual({ ok: true, value: ms })
})

test.each([
  ['', 'whole numbers with units'],
  ['15', 'whole numbers with units'],
  ['m', 'whole numbers with units'],
  ['1.5h', 'whole numbers with units'],
  ['-1h', 'whole numbers with units'],
  ['+1h', 'whole numbers with units'],
  ['1e3s', 'not a unit'],
  ['1h-30m', 'whole numbers with units'],
  [' 1h', 'whole numbers with units'],
  ['1h ', 'whole numbers with units'],
  ['1  h', 'whole numbers with units'],
  ['1H', 'whole numbers with units'],
  ['PT15M', 'whole numbers with units'],
  ['١٥m', 'whole numbers with units'],
  ['1h\n', 'whole numbers with units'],
  ['9999999999s', 'whole numbers with units'],
  ['5ms', '"ms" is not a unit'],
  ['3 fortnights', '"fortnights" is not a unit'],
  ['1constructor', '"constructor" is not a unit'],
  ['30m1h', 'large to small'],
  ['1h1h', 'large to small'],
  ['1h60min5m', 'large to small'],
  ['0s', 'longer than zero'],
  ['0h0m', 'longer than zero'],
  ['366d', 'at most one year'],
  ['52w2d', 'at most one year'],
  ['999999999w', 'at most one year'],
])('%j is not a duration', (text, problem) => {
  expect(parseDuration(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
})
