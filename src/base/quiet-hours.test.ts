import { expect, test } from 'vitest'
import { quietProblem, quietUntil } from './quiet-hours.ts'

const night = { zone: 'Europe/Berlin', from: '22:00', to: '07:00' }
const at = (text: string) => Date.parse(text)
const iso = (moment: number | undefined) => moment && new Date(moment).toISOString()

test.each([
  ['before', '2026-11-17T20:59:59Z', undefined],
  ['at the first moment', '2026-11-17T21:00:00Z', '2026-11-18T06:00:00.000Z'],
  ['after midnight', '2026-11-18T03:12:34Z', '2026-11-18T06:00:00.000Z'],
  ['at their end', '2026-11-18T06:00:00Z', undefined],
  // The night in which the clock goes forward has an hour less, the other one an hour more.
  ['in spring', '2026-03-28T21:30:00Z', '2026-03-29T05:00:00.000Z'],
  ['in autumn', '2026-10-24T20:30:00Z', '2026-10-25T06:00:00.000Z'],
])('quiet hours of Berlin: %s', (_, now, end) => {
  expect(iso(quietUntil(night, at(now)))).toBe(end)
})

test('an end that the clock jumps over is the moment after the jump', () => {
  const quiet = { ...night, to: '02:30' }
  expect(iso(quietUntil(quiet, at('2026-03-28T22:00:00Z')))).toBe('2026-03-29T01:00:00.000Z')
})

test.each([
  [{ ...night, zone: 'Mars/Base' }, 'is not a time zone'],
  [{ ...night, from: '7pm' }, 'written as 22:00'],
  [{ ...night, from: '07:00' }, 'end when they begin'],
  [{ ...night, from: '08:00' }, 'longer than 16 hours'],
])('%j are none', (quiet, problem) => {
  expect(quietProblem(quiet)).toContain(problem)
  expect(quietProblem(night)).toBeUndefined()
})
