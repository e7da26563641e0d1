import { foldAddress } from '../../base/address.ts'
import type { Approver, Escalation, Requirement } from '../../base/oversight.ts'
import type { Approval, AskedCall, Escalated } from '../approval.ts'
import {
  type Absent,
  hasStake,
  isActingUser,
  type Named,
  type Person,
  type PersonId,
  samePerson,
  verifiedEmail,
} from './person.ts'
import { isTakenBack, type StandIn } from './stand-in.ts'

/** Everything besides the person that decides who may answer. */
export type Question = Pick<Approval, 'requirements' | 'call' | 'escalated'>

/** Whether this person's yes could count towards any requirement, for themselves or for another. */
export function isEligible(question: Question, person: Person): boolean {
  return somePlace(question, (asked, place) => fits(asked, place, person)) || isNeeded()

  function isNeeded(): boolean {
    return person.for !== undefined && neededFor(question, person).length > 0
  }
}

/** Those among whom this person stands in for whose places they could not fill in their own right. */
export function neededFor(question: Question, person: Person): readonly Absent[] {
  return (person.for ?? []).filter((away) =>
    somePlace(
      question,
      (asked, place) => !fits(asked, place, person) && lends(asked, place, person, away),
    ),
  )
}

function somePlace(question: Question, test: (asked: Asked, place: Place) => boolean): boolean {
  return question.requirements.some((_, index) => {
    const asked = asks(question, index)
    return asked !== undefined && places(asked.requirement).some((place) => test(asked, place))
  })
}

/** Whether these yeses meet every requirement. One person may count in several of them. */
export function allMet(question: Question, voters: readonly Voter[]): boolean {
  const heads = distinctPeople(voters)
  const ways = lendings(heads)
  return (
    question.requirements.length > 0 &&
    question.requirements.every((_, index) => {
      const asked = asks(question, index)
      return asked !== undefined && ways.some((lent) => isMet(asked, heads, lent))
    })
  )
}

/** One requirement with the people who were added to it since. */
interface Asked {
  readonly requirement: Requirement
  readonly added: readonly Escalation[]
  readonly call: AskedCall
}

function asks({ requirements, call, escalated }: Question, index: number): Asked | undefined {
  const requirement = requirements[index]
  if (!requirement) return undefined
  return { requirement, added: taken(requirement, index, escalated), call }
}

function taken(
  requirement: Requirement,
  index: number,
  escalated: readonly Escalated[],
): readonly Escalation[] {
  return requirement.escalate.filter((_, step) =>
    escalated.some((one) => one.requirement === index && one.step === step),
  )
}

/** A place in a requirement: any one of its approvers, or a member of a group of its quorum. */
type Place = { readonly group?: string }

const ANYONE: Place = {}

function places({ approvers, quorum }: Requirement): Place[] {
  // Without any names it is one person with the approver role, or the acting user at `confirm`.
  const named = approvers.length > 0 || quorum.length === 0 ? [ANYONE] : []
  return [...named, ...quorum]
}

function isMet(
  asked: Asked,
  heads: readonly (readonly Voter[])[],
  usable: ReadonlySet<Lent>,
): boolean {
  const fill = (place: Place, head: readonly Voter[] | undefined) =>
    head?.some((voter) => {
      const people = thenAndNow(voter)
      if (people.every((person) => fits(asked, place, person))) return true
      return voter.lent?.some(
        (lent) =>
          usable.has(lent) &&
          thenAndNow(lent).every((away) =>
            people.every((person) => lends(asked, place, person, away)),
          ),
      )
    }) ?? false
  const named = places(asked.requirement).filter((place) => place.group === undefined)
  if (!named.every((place) => heads.some((head) => fill(place, head)))) return false
  const seats = asked.requirement.quorum.flatMap((part) =>
    Array.from({ length: part.n }, () => part),
  )
  return canFillAll(seats.length, heads.length, (place, person) =>
    fill(seats[place] ?? ANYONE, heads[person]),
  )
}

/**
 * Whether every place can be filled by a person of its own. Someone fit for two places fills one,
 * so counting heads per group is not enough: this looks for a matching, moving people who sit
 * already when that frees a place.
 */
export function canFillAll(
  places: number,
  people: number,
  fits: (place: number, person: number) => boolean,
): boolean {
  if (places > people) return false
  const seats = new Map<number, number>()
  for (let place = 0; place < places; place++) {
    if (!seat(place, people, fits, seats, new Set())) return false
  }
  return true
}

function seat(
  place: number,
  people: number,
  fits: (place: number, person: number) => boolean,
  seats: Map<number, number>,
  tried: Set<number>,
): boolean {
  for (let person = 0; person < people; person++) {
    if (tried.has(person) || !fits(place, person)) continue
    tried.add(person)
    const held = seats.get(person)
    if (held === undefined || seat(held, people, fits, seats, tried)) {
      seats.set(person, place)
      return true
    }
  }
  return false
}

/** Who they were when they answered, and who they are where that was looked up. */
function thenAndNow<T>({ voted, today }: { readonly voted: T; readonly today?: T }): T[] {
  return today === undefined ? [voted] : [voted, today]
}

function fits(asked: Asked, place: Place, person: Person): boolean {
  const { requirement, call } = asked
  if (person.locked) return false
  if (requirement.level === 'review' && hasStake(person, call)) return false
  if (isPlaceOf(asked, place, person)) return true
  if (place.group !== undefined) return false
  if (requirement.level === 'confirm') {
    return isActingUser(person, call) || isNamed(person, '*')
  }
  return requirement.approvers.length === 0 && isNamed(person, '*')
}

/**
 * Whether one person may fill this place for another who is away. Only a place that names the
 * absent person is lent, and only where neither of the two has a stake in the call.
 */
function lends(asked: Asked, place: Place, person: Person, away: Named): boolean {
  if (person.locked || away.locked) return false
  if (hasStake(person, asked.call) || hasStake(away, asked.call)) return false
  const { roles: _, ...named } = away
  return isPlaceOf(asked, place, named)
}

function isPlaceOf({ requirement, added }: Asked, place: Place, person: Named): boolean {
  const stands = added.some(
    ({ to, for: group }) => (group === undefined || group === place.group) && isNamed(person, to),
  )
  if (stands) return true
  return place.group === undefined
    ? requirement.approvers.some((approver) => isNamed(person, approver))
    : person.groups.includes(place.group)
}

function isNamed(person: Named, approver: Approver): boolean {
  if (approver === '*') return person.roles?.includes('approver') ?? false
  if ('group' in approver) return person.groups.includes(approver.group)
  return verifiedEmail(person) === foldAddress(approver.email)
}

/** A person who approved: who they were then, and who they are now where that was looked up. */
export interface Voter {
  readonly voted: Person
  readonly today?: Person
  /** Those in whose places they approved, if any. */
  readonly lent?: readonly Lent[]
}

/** An absent person whose place is lent: as they were then, and as they are now. */
export interface Lent {
  readonly voted: Named
  readonly today?: Named
}

/** The votes of one human being. */
type Head = readonly Voter[]

/** All ways are tried up to here; beyond, those that spread what is lent over the most people. */
const MOST_WAYS = 256

const NOTHING_LENT: readonly ReadonlySet<Lent>[] = [new Set()]

/**
 * Every way to lend the places of those who are away: each to one of the people who answered for
 * them, because a place is filled once. A person who answered for themselves lends nothing.
 */
export function lendings(heads: readonly Head[]): readonly ReadonlySet<Lent>[] {
  const loans = heads.flatMap((head) => loansOf(head, heads))
  if (loans.length === 0) return NOTHING_LENT
  let ways: readonly (readonly Choice[])[] = [[]]
  for (const choices of byAbsent(loans)) {
    const isFew = ways.length * choices.length <= MOST_WAYS
    ways = ways.flatMap((way) =>
      (isFew ? choices : [idlest(way, choices)]).map((choice) => [...way, choice]),
    )
  }
  return ways.map((way) => new Set(way.flatMap(({ lent }) => lent)))
}

/** One of an absent person's stand-ins, with what they could use of that. */
interface Choice {
  readonly head: Head
  readonly lent: readonly Lent[]
}

type Choices = readonly [Choice, ...Choice[]]

function idlest(way: readonly Choice[], choices: Choices): Choice {
  const uses = ({ head }: Choice) => way.filter((one) => one.head === head).length
  return choices.reduce((best, one) => (uses(one) < uses(best) ? one : best))
}

interface Loan {
  readonly head: Head
  readonly lent: Lent
}

function loansOf(head: Head, heads: readonly Head[]): Loan[] {
  return head
    .flatMap(({ lent = [] }) => lent)
    .filter((lent) => !heads.some((other) => other.some((voter) => sameHuman(voter, lent))))
    .map((lent) => ({ head, lent }))
}

/** For each absent person, the people who answered for them. */
function byAbsent(loans: readonly Loan[]): Choices[] {
  return byHuman(loans, ({ lent }) => lent).map((own) => {
    const heads = [...new Set(own.map(({ head }) => head))]
    return heads.map((head) => ({
      head,
      lent: own.filter((loan) => loan.head === head).map(({ lent }) => lent),
    })) as unknown as Choices
  })
}

/**
 * Votes sorted by human being. Two logins with one address are one person, verified or not, so
 * that a second account does not fill a second place.
 */
export function distinctPeople(voters: readonly Voter[]): Voter[][] {
  return byHuman(voters, (voter) => voter)
}

function byHuman<T>(items: readonly T[], whose: (item: T) => ThenAndNow): T[][] {
  const humans: T[][] = []
  for (const item of items) {
    const mine = humans.filter((own) => own.some((one) => sameHuman(whose(item), whose(one))))
    const merged = [item, ...mine.flat()]
    for (const own of mine) humans.splice(humans.indexOf(own), 1)
    humans.push(merged)
  }
  return humans
}

interface ThenAndNow {
  readonly voted: PersonId & { readonly email?: string }
  readonly today?: PersonId & { readonly email?: string }
}

function sameHuman(a: ThenAndNow, b: ThenAndNow): boolean {
  if (samePerson(a.voted, b.voted)) return true
  const addresses = emails(a)
  return emails(b).some((email) => addresses.includes(email))
}

function emails({ voted, today }: ThenAndNow): string[] {
  return [voted, today].flatMap((person) => person?.email?.toLowerCase() ?? [])
}

/** Every yes to exactly this call that stands. */
export function standingYeses({ digest, decisions }: Pick<Approval, 'digest' | 'decisions'>) {
  return decisions.filter((one) => one.verdict === 'approve' && one.digest === digest && !one.void)
}

/**
 * Every person whose approval is valid, with what is now known of them and of those they stood in
 * for. An absent person's return changes nothing: the approval was given while they were away.
 */
export function yeses(
  answered: Pick<Approval, 'digest' | 'decisions'>,
  known: readonly Person[],
  standIns: readonly StandIn[],
): Voter[] {
  const seenAs = <T extends PersonId>(voted: T) => {
    const today = known.find((person) => samePerson(person, voted))
    return today ? { voted, today } : { voted }
  }
  return standingYeses(answered).map(({ by }) => {
    const lent = by.for?.filter((away) => !isTakenBack(standIns, away)).map(seenAs)
    return { ...seenAs(by), ...(lent ? { lent } : {}) }
  })
}
