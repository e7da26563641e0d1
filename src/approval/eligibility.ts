import type { Approval, AskedCall, Escalated } from './approval.ts'
import { hasStake, isActingUser, samePerson, verifiedEmail } from './identity.ts'
import { canFillAll } from './matching.ts'
import type { Person } from './person.ts'
import type { Approver, Escalation, Requirement } from './requirement.ts'

/** Somebody who said yes: who they were then, and who they are now where that was looked up. */
export interface Voter {
  readonly voted: Person
  readonly today?: Person
}

/** Everything besides the person that decides who may answer. */
export type Question = Pick<Approval, 'requirements' | 'call' | 'escalated'>

/** Whether this person's yes could count towards any requirement. */
export function isEligible(question: Question, person: Person): boolean {
  return question.requirements.some((_, index) => {
    const asked = asks(question, index)
    return (
      asked !== undefined && places(asked.requirement).some((place) => fits(asked, place, person))
    )
  })
}

/** Whether these yeses meet every requirement. One person may count in several of them. */
export function allMet(question: Question, voters: readonly Voter[]): boolean {
  const heads = distinctPeople(voters)
  return (
    question.requirements.length > 0 &&
    question.requirements.every((_, index) => {
      const asked = asks(question, index)
      return asked !== undefined && isMet(asked, heads)
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

function isMet(asked: Asked, heads: readonly (readonly Voter[])[]): boolean {
  const fill = (place: Place, head: readonly Voter[] | undefined) =>
    head?.some(
      ({ voted, today }) =>
        fits(asked, place, voted) && (today === undefined || fits(asked, place, today)),
    ) ?? false
  const named = places(asked.requirement).filter((place) => place.group === undefined)
  if (!named.every((place) => heads.some((head) => fill(place, head)))) return false
  const seats = asked.requirement.quorum.flatMap((part) =>
    Array.from({ length: part.n }, () => part),
  )
  return canFillAll(seats.length, heads.length, (place, person) =>
    fill(seats[place] ?? ANYONE, heads[person]),
  )
}

function fits({ requirement, added, call }: Asked, place: Place, person: Person): boolean {
  if (person.locked) return false
  if (requirement.level === 'approve' && hasStake(person, call)) return false
  const stands = added.some(
    ({ to, for: group }) => (group === undefined || group === place.group) && isNamed(person, to),
  )
  if (stands) return true
  if (place.group !== undefined) return person.groups.includes(place.group)
  if (requirement.approvers.some((approver) => isNamed(person, approver))) return true
  if (requirement.level === 'confirm') {
    return isActingUser(person, call) || isNamed(person, '*')
  }
  return requirement.approvers.length === 0 && isNamed(person, '*')
}

function isNamed(person: Person, approver: Approver): boolean {
  if (approver === '*') return person.roles.includes('approver')
  if ('group' in approver) return person.groups.includes(approver.group)
  return verifiedEmail(person) === approver.email.toLowerCase()
}

/**
 * Votes sorted by human being. Two logins with one address are one person, verified or not, so
 * that a second account does not fill a second place.
 */
function distinctPeople(voters: readonly Voter[]): Voter[][] {
  const heads: Voter[][] = []
  for (const voter of voters) {
    const mine = heads.filter((head) => head.some((other) => sameHuman(voter, other)))
    const merged = [voter, ...mine.flat()]
    for (const head of mine) heads.splice(heads.indexOf(head), 1)
    heads.push(merged)
  }
  return heads
}

function sameHuman(a: Voter, b: Voter): boolean {
  if (samePerson(a.voted, b.voted)) return true
  const addresses = emails(a)
  return emails(b).some((email) => addresses.includes(email))
}

function emails({ voted, today }: Voter): string[] {
  return [voted, today].flatMap((person) => person?.email?.toLowerCase() ?? [])
}
