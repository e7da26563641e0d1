import type { AskedCall } from './approval.ts'
import type { Directory } from './command.ts'
import type { Lock } from './lock.ts'
import { canFillAll } from './matching.ts'
import type { PersonName } from './person.ts'
import type { Approver, Escalation, Requirement } from './requirement.ts'

/**
 * The first requirement nobody could ever meet, as far as anybody knows now. People added later by
 * escalation count, groups by claim may hold anyone, and so may an open directory.
 */
export function unanswerable(
  requirements: readonly Requirement[],
  call: AskedCall,
  directory: Directory,
  removed: readonly PersonName[] = [],
): Requirement | undefined {
  return requirements.find((requirement) => !canAnswer(requirement, call, directory, removed))
}

/** Everybody who was removed: policies may still name them. */
export function removedPeople(locks: readonly Lock[]): PersonName[] {
  return locks.flatMap(({ removed, target }) =>
    removed && 'person' in target ? [target.person] : [],
  )
}

/** Names of the people who may fill a place; `anyone` when that cannot be known. */
type Candidates = ReadonlySet<string> | 'anyone'

function canAnswer(
  requirement: Requirement,
  call: AskedCall,
  directory: Directory,
  removed: readonly PersonName[],
): boolean {
  const { level, approvers, quorum, escalate } = requirement
  const self = level === 'confirm' && call.principal !== undefined && canSignIn(call.principal)
  return (self || named()) && filled()

  function named(): boolean {
    if (approvers.length === 0 && quorum.length > 0) return true
    const anybody: readonly Approver[] = approvers.length === 0 || level === 'confirm' ? ['*'] : []
    const pool = candidates([...approvers, ...anybody, ...added(undefined)])
    return pool === 'anyone' || pool.size > 0
  }

  function filled(): boolean {
    const seats = quorum.flatMap(({ group, n }) => {
      const pool = candidates([{ group }, ...added(group)])
      return pool === 'anyone' ? [] : Array.from({ length: n }, () => pool)
    })
    const people = [...new Set(seats.flatMap((pool) => [...pool]))]
    return canFillAll(seats.length, people.length, (place, person) =>
      Boolean(seats[place]?.has(people[person] ?? '')),
    )
  }

  function added(group: string | undefined): Approver[] {
    const stands = (step: Escalation) => step.for === undefined || step.for === group
    return escalate.filter(stands).map(({ to }) => to)
  }

  function candidates(from: readonly Approver[]): Candidates {
    const pool = new Set<string>()
    for (const approver of from) {
      const people = resolve(approver, directory)
      if (people === 'anyone') return 'anyone'
      for (const person of people) {
        if (removed.some((gone) => overlap(person, gone))) continue
        if (level === 'confirm' || !namesStake(person, call)) pool.add(nameOf(person))
      }
    }
    return pool
  }
}

function resolve(approver: Approver, directory: Directory): readonly PersonName[] | 'anyone' {
  if (approver === '*') return directory.approvers === 'open' ? 'anyone' : directory.approvers
  if ('email' in approver) return [byEmail(approver.email)]
  if (!Object.hasOwn(directory.groups, approver.group)) return []
  const group = directory.groups[approver.group]
  return group === undefined ? [] : 'claim' in group ? 'anyone' : group.emails.map(byEmail)
}

/** A bare word for the acting user matches no login, so nobody could ever answer as that user. */
function canSignIn({ issuer, subject, email }: PersonName): boolean {
  return issuer !== undefined || (email ?? subject).includes('@')
}

function byEmail(email: string): PersonName {
  return { subject: email, email }
}

function nameOf({ issuer, subject, email }: PersonName): string {
  return email === undefined ? JSON.stringify([issuer ?? '', subject]) : email.toLowerCase()
}

function namesStake(person: PersonName, { principal, requester, agent }: AskedCall): boolean {
  return [principal, requester, { subject: agent }].some(
    (name) => name !== undefined && overlap(person, name),
  )
}

function overlap(a: PersonName, b: PersonName): boolean {
  if (a.issuer !== undefined && b.issuer !== undefined) {
    if (a.issuer === b.issuer && a.subject === b.subject) return true
  } else if (a.subject === b.subject) {
    return true
  }
  const known = words(a)
  return words(b).some((word) => known.includes(word))
}

function words({ issuer, subject, email }: PersonName): string[] {
  return [email, issuer === undefined ? subject : undefined].flatMap((word) =>
    word === undefined ? [] : word.toLowerCase(),
  )
}
