import { foldAddress } from '../../base/address.ts'
import type { Approval, AskedCall, Escalated } from '../approval.ts'
import { hasStake, isActingUser, verifiedEmail } from './identity.ts'
import { canFillAll } from './matching.ts'
import type { Absent, Named, Person } from './person.ts'
import type { Approver, Escalation, Requirement } from './requirement.ts'
import { distinctPeople, type Lent, lendings, type Voter } from './seat-assignment.ts'

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
