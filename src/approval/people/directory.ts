import type { AskedCall } from '../approval.ts'
import type { Directory } from '../command.ts'
import type { Lock } from '../locks/lock.ts'
import { canFillAll } from './matching.ts'
import type { PersonName } from './person.ts'
import type { Approver, Escalation, Requirement } from './requirement.ts'

/** A requirement that the remaining people cannot meet. */
export interface Shortage {
  readonly rule: string
  /** As a clause: `finance needs 2, only bo@example.com is left`. */
  readonly says: string
}

/**
 * The first requirement that, as far as is known now, can never be met. People added later by
 * escalation count, groups by claim may hold anyone, and so may an open directory. Stand-ins do not
 * matter: an absent person may still answer, and both together fill one place.
 */
export function unanswerable(
  requirements: readonly Requirement[],
  call: AskedCall,
  directory: Directory,
  gone: readonly PersonName[] = [],
): Shortage | undefined {
  for (const requirement of requirements) {
    const says = missingIn(requirement, call, directory, gone)
    if (says !== undefined) return { rule: requirement.rule, says }
  }
  return undefined
}

/** The people who were removed, or are locked at least until then. Policies may still name them. */
export function goneUntil(locks: readonly Lock[], moment: number): PersonName[] {
  return locks.flatMap(({ until, target }) =>
    'person' in target && (until === undefined || until >= moment) ? [target.person] : [],
  )
}

/** The people who may fill a place, by name; `anyone` when that cannot be known. */
type Candidates = ReadonlyMap<string, PersonName> | 'anyone'

function missingIn(
  requirement: Requirement,
  call: AskedCall,
  directory: Directory,
  gone: readonly PersonName[],
): string | undefined {
  const { level, approvers, quorum, escalate } = requirement
  const self = level === 'confirm' && call.principal !== undefined && canSignIn(call.principal)
  return (self ? undefined : named()) ?? filled()

  function named(): string | undefined {
    if (approvers.length === 0 && quorum.length > 0) return undefined
    const fallback: readonly Approver[] = approvers.length === 0 || level === 'confirm' ? ['*'] : []
    const asked = [...approvers, ...fallback, ...added(undefined)]
    const pool = candidates(asked)
    if (pool === 'anyone' || pool.size > 0) return undefined
    return `${approverWords(asked)} is asked, and no eligible approver is left`
  }

  function filled(): string | undefined {
    const parts = quorum.flatMap(({ group, n }) => {
      const pool = candidates([{ group }, ...added(group)])
      return pool === 'anyone' ? [] : [{ group, n, pool }]
    })
    const short = parts.find(({ n, pool }) => pool.size < n)
    if (short) return `${short.group} needs ${short.n}, ${leftWords([...short.pool.values()])}`
    const seats = parts.flatMap(({ n, pool }) => Array.from({ length: n }, () => pool))
    const people = new Map(seats.flatMap((pool) => [...pool]))
    const names = [...people.keys()]
    const fits = (place: number, person: number) => Boolean(seats[place]?.has(names[person] ?? ''))
    if (canFillAll(seats.length, names.length, fits)) return undefined
    const groups = parts.map(({ group }) => group).join(' and ')
    return `${groups} need ${seats.length} different people, ${leftWords([...people.values()])}`
  }

  function added(group: string | undefined): Approver[] {
    const stands = (step: Escalation) => step.for === undefined || step.for === group
    return escalate.filter(stands).map(({ to }) => to)
  }

  function candidates(from: readonly Approver[]): Candidates {
    const pool = new Map<string, PersonName>()
    for (const approver of from) {
      const people = resolve(approver, directory)
      if (people === 'anyone') return 'anyone'
      for (const person of people) {
        if (gone.some((one) => overlap(person, one))) continue
        if (level === 'confirm' || !namesStake(person, call)) pool.set(nameOf(person), person)
      }
    }
    return pool
  }
}

function leftWords(people: readonly PersonName[]): string {
  const names = people.map(({ email, subject }) => email ?? subject)
  if (names.length === 0) return 'no eligible approver is left'
  const verb = names.length === 1 ? 'is' : 'are'
  const shown = names.slice(0, MOST_NAMED).join(' and ')
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return `only ${shown}${more} ${verb} left`
}

const MOST_NAMED = 5

function approverWords(approvers: readonly Approver[]): string {
  const words = approvers.map((one) => {
    if (one === '*') return 'anyone with the approver role'
    return 'email' in one ? one.email : one.group
  })
  return [...new Set(words)].slice(0, MOST_NAMED).join(' or ')
}

function resolve(approver: Approver, directory: Directory): readonly PersonName[] | 'anyone' {
  if (approver === '*') return directory.approvers === 'open' ? 'anyone' : directory.approvers
  if ('email' in approver) return [byEmail(approver.email)]
  if (!Object.hasOwn(directory.groups, approver.group)) return []
  const group = directory.groups[approver.group]
  return group === undefined ? [] : 'claim' in group ? 'anyone' : group.emails.map(byEmail)
}

/** A bare word for the acting user matches no login, so that user could never answer. */
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
