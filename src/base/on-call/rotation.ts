import { momentOf, wallOf } from './wall-clock.ts'

/** People who take turns, by the clock on a wall. */
export interface Rotation {
  /** In the order of their turns. */
  readonly people: readonly string[]
  /** As IANA names it: `Europe/Berlin`. */
  readonly zone: string
  /** The day of the week on which a turn begins, Monday is 0; absent: a turn begins every day. */
  readonly weekday?: number
  /** Minutes after midnight at which a turn begins. */
  readonly minute: number
  /** A day within the first turn of the first person, in days since 1970-01-01. */
  readonly since: number
}

export interface Turn {
  readonly people: readonly string[]
  readonly from: number
  readonly until: number
}

/** Whose turn it is at a moment. Turns follow each other without a gap, also where the clock jumps. */
export function turnAt(rotation: Rotation, at: number): Turn {
  const { people, zone, minute, since, weekday } = rotation
  const length = weekday === undefined ? 1 : 7
  const begin = (day: number) => momentOf(zone, day, minute)
  let day = firstDay(wallOf(zone, at).day, weekday)
  if (begin(day) > at) day -= length
  const turn = (day - firstDay(since, weekday)) / length
  const person = people[((turn % people.length) + people.length) % people.length]
  return {
    people: person === undefined ? [] : [person],
    from: begin(day),
    until: begin(day + length),
  }
}

/** The last day up to this one on which a turn begins. */
function firstDay(day: number, weekday: number | undefined): number {
  return weekday === undefined ? day : day - ((weekdayOf(day) - weekday + 7) % 7)
}

/** The first of January 1970 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}
