import { id, members, name, optional, personId, type Reader, text, time, yes } from '../shape.ts'
import { type Absent, type Person, type PersonId, samePerson } from './person.ts'

/** One person decides in the place of another, from one moment until another. */
export interface StandIn {
  readonly id: string
  /** Who is away. They may answer all the same. */
  readonly absent: NamedLogin
  /** Who fills their places meanwhile. */
  readonly standIn: NamedLogin
  readonly from: number
  readonly until: number
  readonly by: PersonId
  readonly at: number
  readonly reason?: string
  /** Taken back as if it had never been: what was said under it stops counting. */
  readonly void?: true
}

/** A login, with its address where that is verified. */
export interface NamedLogin extends PersonId {
  readonly email?: string
}

export const MAX_STAND_IN_MS = 90 * 86_400_000

export function isInForce({ from, until, void: isVoid }: StandIn, now: number): boolean {
  return !isVoid && from <= now && now < until
}

/** Not over and not taken back; perhaps still to come. */
export function isAhead({ until, void: isVoid }: StandIn, now: number): boolean {
  return !isVoid && now < until
}

/** Those for whom this person may answer now. */
export function standInsOf(
  standIns: readonly StandIn[],
  person: PersonId,
  now: number,
): readonly StandIn[] {
  return standIns.filter((one) => isInForce(one, now) && samePerson(one.standIn, person))
}

/** The person, with only those they stand in for at this moment, whatever the sender claimed. */
export function standingNow(person: Person, standIns: readonly StandIn[], now: number): Person {
  if (person.for === undefined) return person
  const mine = standInsOf(standIns, person, now)
  const absent = person.for.filter((away) =>
    mine.some((one) => one.id === away.standIn && samePerson(one.absent, away)),
  )
  return standingFor(person, absent)
}

/** The person, standing in for exactly these. */
export function standingFor(person: Person, absent: readonly Absent[]): Person {
  const { for: _, ...own } = person
  return absent.length === 0 ? own : { ...own, for: absent }
}

/** Whether what was said under it still counts. That it has ended since is no reason why not. */
export function isTakenBack(standIns: readonly StandIn[], { standIn }: Absent): boolean {
  return standIns.some((one) => one.id === standIn && one.void)
}

/** As a voter whose facts are looked up like those of any other. */
export function asVoter({ standIn: _, ...absent }: Absent): Person {
  return { ...absent, roles: [], assurance: 'elicitation' }
}

const login: Reader<NamedLogin> = members<NamedLogin>({
  issuer: name,
  subject: name,
  email: optional(name),
})

const standIn: Reader<StandIn> = members<StandIn>({
  id,
  absent: login,
  standIn: login,
  from: time,
  until: time,
  by: personId,
  at: time,
  reason: optional(text(4_096)),
  void: optional(yes),
})

/** A record, as a stand-in. An unreadable one lets no person in and keeps no decision valid. */
export function readStandIn(key: string, value: unknown): StandIn {
  try {
    const read = standIn(value)
    if (read.id === key) return read
  } catch {}
  const unreadable = { issuer: 'countersign', subject: 'unreadable' }
  return {
    id: key,
    absent: unreadable,
    standIn: unreadable,
    from: 0,
    until: 0,
    by: unreadable,
    at: 0,
    void: true,
  }
}
