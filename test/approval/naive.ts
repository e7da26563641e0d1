import type { Approval } from '../../src/approval/approval.ts'
import type { Person } from '../../src/approval/people/person.ts'
import type { Approver, Requirement } from '../../src/approval/people/requirement.ts'

/**
 * A second reading of who may approve what: slow, and written without looking at the first. It
 * tries every way of seating people instead of being clever.
 */
export function naivelyApproved(approval: Approval): boolean {
  const yeses = approval.decisions
    .filter(
      ({ verdict, digest, void: voided }) =>
        verdict === 'approve' && digest === approval.digest && !voided,
    )
    .map(({ by }) => by)
  return approval.requirements.every((requirement, index) => {
    const steps = requirement.escalate.filter((_, step) =>
      approval.escalated.some((taken) => taken.requirement === index && taken.step === step),
    )
    const may = (person: Person, group?: string) =>
      mayFill(approval, requirement, steps, person, group)
    const seats = requirement.quorum.flatMap(({ group, n }) => Array<string>(n).fill(group))
    const needsAnyone = requirement.approvers.length > 0 || requirement.quorum.length === 0
    if (needsAnyone && !yeses.some((person) => may(person))) return false
    return seatings(yeses, seats.length).some((seating) =>
      seating.every((person, seat) => may(person, seats[seat])),
    )
  })
}

function mayFill(
  { call }: Approval,
  { level, approvers }: Requirement,
  steps: Requirement['escalate'],
  person: Person,
  group: string | undefined,
): boolean {
  const isPrincipal =
    call.principal?.subject === person.subject && call.principal.issuer === person.issuer
  const isRequester =
    call.requester?.subject === person.subject && call.requester.issuer === person.issuer
  if (person.locked) return false
  if (level === 'review' && (isPrincipal || isRequester || person.subject === call.agent))
    return false
  for (const step of steps) {
    if (step.for !== undefined && step.for !== group) continue
    if (matches(person, step.to)) return true
  }
  if (group !== undefined) return person.groups.includes(group)
  for (const approver of approvers) if (matches(person, approver)) return true
  if (level === 'confirm') return isPrincipal || person.roles.includes('approver')
  return approvers.length === 0 && person.roles.includes('approver')
}

function matches(person: Person, approver: Approver): boolean {
  if (approver === '*') return person.roles.includes('approver')
  if ('group' in approver) return person.groups.includes(approver.group)
  return (
    person.emailVerified === true && person.email?.toLowerCase() === approver.email.toLowerCase()
  )
}

/** Every list of `seats` different people. */
function seatings(people: readonly Person[], seats: number): Person[][] {
  if (seats === 0) return [[]]
  return people.flatMap((person) => {
    const others = people.filter((other) => other.subject !== person.subject)
    return seatings(others, seats - 1).map((rest) => [person, ...rest])
  })
}
