import { expect, test } from 'vitest'
import { onCallByCalendar, readCalendar } from './calendar.ts'

const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')
const calendar = (...parts: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//', ...parts, 'END:VCALENDAR', ''].join('\r\n')

const BERLIN = `BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
DTSTART:19700329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19701025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE`.replaceAll('\n', '\r\n')

async function peopleAt(text: string, at: string) {
  return onCallByCalendar(await readCalendar(text), Date.parse(at))
}

test('shifts one after the other, as schedules export them', async () => {
  const text = calendar(
    event(
      'UID:1',
      'DTSTART:20260105T080000Z',
      'DTEND:20260112T080000Z',
      'SUMMARY:On call: Ana@Example.com',
    ),
    event(
      'UID:2',
      'DTSTART:20260112T080000Z',
      'DTEND:20260119T080000Z',
      'ATTENDEE;CN=Bo:mailto:bo@example.com',
      'SUMMARY:cy@example.com',
    ),
  )
  const from = Date.parse('2026-01-12T08:00:00Z')
  expect(await peopleAt(text, '2026-01-06T00:00:00Z')).toEqual({
    people: ['ana@example.com'],
    until: from,
    next: { people: ['bo@example.com'], from },
  })
  expect((await peopleAt(text, '2026-01-12T08:00:00Z')).people).toEqual(['bo@example.com'])
  expect((await peopleAt(text, '2026-01-19T08:00:00Z')).people).toEqual([])
})

test('a series in a time zone, with a turn that was moved and one that was called off', async () => {
  const series = event(
    'UID:s',
    'DTSTART;TZID=Europe/Berlin:20260105T090000',
    'DTEND;TZID=Europe/Berlin:20260105T170000',
    'RRULE:FREQ=WEEKLY',
    'EXDATE;TZID=Europe/Berlin:20260119T090000',
    'ATTENDEE:mailto:ana@example.com',
  )
  const moved = event(
    'UID:s',
    'RECURRENCE-ID;TZID=Europe/Berlin:20260112T090000',
    'DTSTART;TZID=Europe/Berlin:20260113T090000',
    'DTEND;TZID=Europe/Berlin:20260113T170000',
    'ATTENDEE:mailto:bo@example.com',
  )
  const text = calendar(BERLIN, series, moved)
  const who = async (at: string) => (await peopleAt(text, at)).people
  expect(await who('2026-01-05T08:00:00Z')).toEqual(['ana@example.com'])
  expect(await who('2026-01-05T07:59:00Z')).toEqual([])
  expect(await who('2026-01-12T10:00:00Z')).toEqual([])
  expect(await who('2026-01-13T10:00:00Z')).toEqual(['bo@example.com'])
  expect(await who('2026-01-19T10:00:00Z')).toEqual([])
  // In summer nine o'clock is an hour earlier.
  expect(await who('2026-07-06T07:00:00Z')).toEqual(['ana@example.com'])
})

test('a cancelled event puts no person on call', async () => {
  const text = calendar(
    event(
      'UID:1',
      'STATUS:CANCELLED',
      'DTSTART:20260105T080000Z',
      'DTEND:20260112T080000Z',
      'SUMMARY:ana@example.com',
    ),
  )
  expect((await peopleAt(text, '2026-01-06T00:00:00Z')).people).toEqual([])
})

test.each([
  ['no calendar', 'hello'],
  ['nothing', ''],
  ['a page', '<html></html>'],
  ['an event alone', event('UID:1', 'DTSTART:20260105T080000Z')],
])('%s is refused', async (_, text) => {
  await expect(readCalendar(text)).rejects.toThrow()
})

test('an event that repeats every second is refused instead of being counted', async () => {
  const text = calendar(
    event(
      'UID:1',
      'DTSTART:20200105T080000Z',
      'DTEND:20200105T080001Z',
      'RRULE:FREQ=SECONDLY',
      'SUMMARY:ana@example.com',
    ),
  )
  await expect(readCalendar(text)).rejects.toThrow('repetitions')
})

test.each([
  'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
  'FREQ=MONTHLY;INTERVAL=2;BYMONTH=2',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;BYSETPOS=9;BYDAY=MO',
  'FREQ=WEEKLY;BYHOUR=25',
])('a rule that may have no next turn is refused: %s', async (rule) => {
  const from = ['DTSTART:20260106T080000Z', 'DTEND:20260106T090000Z']
  const text = calendar(event('UID:1', ...from, `RRULE:${rule}`, 'SUMMARY:ana@example.com'))
  await expect(readCalendar(text)).rejects.toThrow()
})

test.each([
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR',
  'FREQ=DAILY',
  'FREQ=MONTHLY;BYDAY=1TU',
  'FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=6',
  'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=6',
])('a rule that calendars write is read: %s', async (rule) => {
  const from = ['DTSTART:20260106T080000Z', 'DTEND:20260106T090000Z']
  const text = calendar(event('UID:1', ...from, `RRULE:${rule}`, 'SUMMARY:ana@example.com'))
  const now = onCallByCalendar(await readCalendar(text), Date.parse('2026-01-06T08:30:00Z'))
  expect(now.people).toEqual(['ana@example.com'])
})

test('a time zone that changes every second is refused instead of being counted', async () => {
  const zone = BERLIN.replace('FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'FREQ=SECONDLY')
  const shift = event(
    'UID:1',
    'DTSTART;TZID=Europe/Berlin:20260105T090000',
    'DTEND;TZID=Europe/Berlin:20260105T170000',
    'SUMMARY:ana@example.com',
  )
  const at = Date.parse('2026-01-05T10:00:00Z')
  const found = async () => onCallByCalendar(await readCalendar(calendar(zone, shift)), at)
  await expect(found()).rejects.toThrow()
})

const inBerlin = (...lines: readonly string[]) =>
  event(
    'UID:1',
    'DTSTART;TZID=Europe/Berlin:20260706T090000',
    'DTEND;TZID=Europe/Berlin:20260706T170000',
    ...lines,
  )

test('one calendar does not move the time zones of another', async () => {
  const lying = BERLIN.replaceAll('+0200', '-1100').replaceAll('+0100', '-1000')
  const first = calendar(lying, inBerlin('SUMMARY:bo@example.com'))
  const other = calendar(inBerlin('SUMMARY:ana@example.com'))
  await peopleAt(first, '2026-07-06T10:00:00Z')
  expect((await peopleAt(other, '2026-07-06T07:00:00Z')).people).toEqual(['ana@example.com'])
  expect((await peopleAt(other, '2026-07-06T06:59:00Z')).people).toEqual([])
})

test('a zone that all know need not be defined; one that no one knows is refused', async () => {
  const daily = inBerlin('RRULE:FREQ=DAILY', 'SUMMARY:ana@example.com')
  const who = async (at: string) => (await peopleAt(calendar(daily), at)).people
  expect(await who('2026-07-07T07:00:00Z')).toEqual(['ana@example.com'])
  // In winter nine o'clock is an hour later.
  expect(await who('2026-12-07T07:30:00Z')).toEqual([])
  expect(await who('2026-12-07T08:00:00Z')).toEqual(['ana@example.com'])
  const strange = calendar(daily.replaceAll('Europe/Berlin', 'Our Office'))
  await expect(peopleAt(strange, '2026-07-07T07:00:00Z')).rejects.toThrow()
})

test('a person who declined is not on call', async () => {
  const both = inBerlin(
    'ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com',
    'ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.com',
    'SUMMARY:ana@example.com',
  )
  const at = '2026-07-06T10:00:00Z'
  expect((await peopleAt(calendar(BERLIN, both), at)).people).toEqual(['bo@example.com'])
  const alone = inBerlin(
    'ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com',
    'SUMMARY:ana@example.com',
  )
  expect((await peopleAt(calendar(BERLIN, alone), at)).people).toEqual([])
})
