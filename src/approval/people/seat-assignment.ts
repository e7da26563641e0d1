import { samePerson } from './identity.ts'
import type { Named, Person, PersonId } from './person.ts'

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
