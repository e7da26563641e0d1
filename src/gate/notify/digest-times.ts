import { isZone, momentOf, wallOf } from '../../base/on-call/wall-clock.ts'

/** When one channel tells a person of all that has come up since: every so often, or once a day. */
export interface Digest {
  readonly channel: string
  /** Minutes. */
  readonly every?: number
  /** On the wall of the person: `09:00`. */
  readonly at?: string
  readonly zone?: string
}

const MINUTE = 60_000
const DAY = 24 * 60
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/

/** Why this is no digest, as a clause; undefined: it is. */
export function digestProblem({ every, at, zone }: Digest): string | undefined {
  if ((every === undefined) === (at === undefined)) {
    return 'it has either `every` or `at`, and not both'
  }
  if (at === undefined) return zone === undefined ? undefined : '`zone` belongs to `at`'
  if (!TIME.test(at)) return 'times are written as 09:00'
  if (zone === undefined) return '`at` needs a `zone`'
  return isZone(zone) ? undefined : `${JSON.stringify(zone)} is not a time zone`
}

/** The first time after this moment: the same for all that comes up until then. */
export function nextDigest({ every = DAY, at, zone = 'UTC' }: Digest, after: number): number {
  if (at === undefined) {
    const length = every * MINUTE
    return (Math.floor(after / length) + 1) * length
  }
  const minute = 60 * Number(at.slice(0, 2)) + Number(at.slice(3, 5))
  const { day } = wallOf(zone, after)
  const today = momentOf(zone, day, minute)
  return today > after ? today : momentOf(zone, day + 1, minute)
}
