import type ICAL from 'ical.js'
import { foldAddress } from '../../base/address.ts'
import type { OnCallNow } from '../../base/on-call/on-call.ts'
import { isZone, momentOf } from '../../base/on-call/wall-clock.ts'
import { assertBounded } from './bounded-rules.ts'

/** One event of a calendar, as far as it says who is on call. */
export interface Shift {
  readonly people: readonly string[]
  readonly from: number
  readonly until: number
}

/** The shifts of a calendar around a moment; a calendar of turns has few of them at once. */
export type Calendar = (from: number, until: number) => readonly Shift[]

const DAY = 86_400_000
/** How far ahead the next shift is looked for. */
const AHEAD = 60 * DAY
/** Shifts are not longer than this. */
const LONGEST = 60 * DAY
/** Repetitions that are looked at in one calendar: hourly shifts for about seven years. */
const MOST_TURNS = 60_000

/** Throws when the text is no calendar, or one that takes too long; so does what it resolves to. */
export async function readCalendar(text: string): Promise<Calendar> {
  const { default: ical } = await import('ical.js')
  const series = seriesIn(ical, text)
  return (from, until) => {
    const budget = { left: MOST_TURNS }
    return series.flatMap((event) => shiftsOf(ical, event, { from, until }, budget))
  }
}

/** Its time zones are found in it: a table that all calendars share would let one move another. */
function seriesIn(ical: typeof ICAL, text: string): readonly ICAL.Event[] {
  const root = new ical.Component(
    ical.parse(text) as ConstructorParameters<typeof ICAL.Component>[0],
  )
  if (root.name !== 'vcalendar') throw new TypeError('it is no calendar')
  assertBounded(root)
  const events = root.getAllSubcomponents('vevent').map((one) => new ical.Event(one))
  const moved = events.filter((one) => one.isRecurrenceException())
  const series = events.filter((one) => !one.isRecurrenceException())
  const byUid = new Map(series.map((one) => [one.uid, one]))
  for (const one of moved) byUid.get(one.uid)?.relateException(one)
  return series
}

function shiftsOf(
  ical: typeof ICAL,
  event: ICAL.Event,
  { from, until }: Omit<Shift, 'people'>,
  budget: { left: number },
): Shift[] {
  if (isCancelled(event)) return []
  const shifts: Shift[] = []
  const add = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time) => {
    const zone = zoneOf(item)
    const [begins, ends] = [momentIn(start, zone), momentIn(end, zone)]
    const shift = { people: peopleOf(item), from: begins, until: ends }
    if (shift.until > from && shift.from < until && !isCancelled(item)) shifts.push(shift)
  }
  if (!event.isRecurring()) {
    add(event, event.startDate, event.endDate)
    return shifts
  }
  const turns = event.iterator()
  while (budget.left-- > 0) {
    const next = turns.next() as ICAL.Time | null
    // To the day: there may be thousands of them. A turn that was moved may lie a little before its place.
    const day = next ? Date.UTC(next.year, next.month - 1, next.day) : Number.POSITIVE_INFINITY
    if (!next || day > until + LONGEST) return shifts
    if (day < from - 2 * LONGEST) continue
    const { item, startDate, endDate } = event.getOccurrenceDetails(next)
    add(item, startDate, endDate)
  }
  throw new RangeError(`its events repeat more than ${MOST_TURNS} times`)

  function momentIn(time: ICAL.Time, zone: string | undefined): number {
    if (time.zone !== ical.Timezone.localTimezone) return time.toUnixTime() * 1_000
    const { year, month, day, hour, minute, second } = time
    const midnight = Date.UTC(year, month - 1, day)
    // A day, or a time without a zone: in UTC, whatever zone this machine is in.
    if (zone === undefined || time.isDate) {
      return midnight + ((hour * 60 + minute) * 60 + second) * 1_000
    }
    return momentOf(zone, midnight / DAY, hour * 60 + minute) + second * 1_000
  }
}

/** The zone that an event names. The calendar need not say what that is where all know it. */
function zoneOf({ component }: ICAL.Event): string | undefined {
  const property = component.getFirstProperty('dtstart')
  const zone = property?.getFirstParameter('tzid')
  if (!zone) return undefined
  const isKnown = isZone(zone) || Boolean(component.getTimeZoneByID(zone))
  if (!isKnown) throw new TypeError('it names a time zone that it does not define')
  return zone
}

function isCancelled({ component }: ICAL.Event): boolean {
  return String(component.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED'
}

const ADDRESS = /[^\s@,;:<>"()]+@[^\s@,;:<>"()]+/g

/** Who attends; where the event names no attendee, the addresses in its title. */
function peopleOf({ component, summary }: ICAL.Event): readonly string[] {
  const invited = component.getAllProperties('attendee')
  const attend = invited
    .filter((one) => one.getFirstParameter('partstat')?.toUpperCase() !== 'DECLINED')
    .flatMap((one) => String(one.getFirstValue()).match(/^mailto:(?<address>.+)$/i)?.[1] ?? [])
  const isNamed = invited.some((one) => /^mailto:./i.test(String(one.getFirstValue())))
  const named = isNamed ? attend : (String(summary ?? '').match(ADDRESS) ?? [])
  return [...new Set(named.map(foldAddress))]
}

/** Who is on call by a calendar, until that changes. */
export function onCallByCalendar(calendar: Calendar, at: number): OnCallNow {
  const shifts = calendar(at, at + AHEAD)
  const now = peopleAt(shifts, at)
  const changes = [...new Set(shifts.flatMap(({ from, until }) => [from, until]))]
    .filter((moment) => moment > at && moment < at + AHEAD)
    .sort((a, b) => a - b)
  const until = changes.find((moment) => !areSame(peopleAt(shifts, moment), now))
  if (until === undefined) return { people: now }
  return { people: now, until, next: { people: peopleAt(shifts, until), from: until } }
}

function peopleAt(shifts: readonly Shift[], at: number): readonly string[] {
  const own = shifts.filter(({ from, until }) => from <= at && at < until)
  return [...new Set(own.flatMap(({ people }) => people))].sort()
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index])
}
