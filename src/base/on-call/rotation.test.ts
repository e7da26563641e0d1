import { expect, test } from 'vitest'
import { type Rotation, turnAt } from './rotation.ts'
import { momentOf, wallOf } from './wall-clock.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const people = ['ana', 'bo', 'cy']
/** Mondays at 09:00 in Berlin; the week of 2026-01-05 is Ana's. */
const weekly: Rotation = {
  people,
  zone: 'Europe/Berlin',
  weekday: 0,
  minute: 9 * 60,
  since: Date.UTC(2026, 0, 5) / DAY,
}

test.each([
  ['2026-01-05T07:59:00Z', 'cy'],
  ['2026-01-05T08:00:00Z', 'ana'],
  ['2026-01-12T07:59:00Z', 'ana'],
  ['2026-01-12T08:00:00Z', 'bo'],
  ['2026-01-26T08:00:00Z', 'ana'],
  // Summer time: nine o'clock is an hour earlier.
  ['2026-03-30T06:59:00Z', 'cy'],
  ['2026-03-30T07:00:00Z', 'ana'],
  ['2025-12-29T08:00:00Z', 'cy'],
])('at %s it is the turn of %s', (at, person) => {
  expect(turnAt(weekly, Date.parse(at)).people).toEqual([person])
})

test('a first day in the middle of a week names the turn it lies in', () => {
  const at = Date.parse('2026-01-06T12:00:00Z')
  const since = Date.UTC(2026, 0, 8) / DAY
  expect(turnAt({ ...weekly, since }, at).people).toEqual(['ana'])
})

test.each([
  ['Europe/Berlin', 150],
  ['America/New_York', 90],
  ['Australia/Lord_Howe', 110],
  ['Africa/Casablanca', 150],
])('turns in %s follow each other without gap or overlap for a year', (zone, minute) => {
  const daily: Rotation = { people, zone, minute, since: Date.UTC(2026, 0, 1) / DAY }
  let turn = turnAt(daily, Date.UTC(2026, 0, 1))
  for (let day = 0; day < 400; day++) {
    expect(turn.until - turn.from).toBeGreaterThan(22 * HOUR)
    expect(turn.until - turn.from).toBeLessThan(26 * HOUR)
    expect(turnAt(daily, turn.until - 1)).toEqual(turn)
    const next = turnAt(daily, turn.until)
    expect(next.from).toBe(turn.until)
    const order = people.indexOf(turn.people[0] ?? '')
    expect(next.people).toEqual([people[(order + 1) % 3]])
    turn = next
  }
})

test('a time that the clock skips is moved by the jump', () => {
  // In Berlin the clock went from 02:00 to 03:00 at 01:00 UTC.
  const day = Date.UTC(2026, 2, 29) / DAY
  expect(new Date(momentOf('Europe/Berlin', day, 150)).toISOString()).toBe(
    '2026-03-29T01:30:00.000Z',
  )
  expect(wallOf('Europe/Berlin', Date.parse('2026-03-29T01:00:00Z'))).toEqual({ day, minute: 180 })
})
