import { foldAddress } from '../../base/address.ts'
import {
  type Approver,
  ASSURANCES,
  type AskLevel,
  type EditPath,
  type EditRule,
  type Escalation,
  REASON_RULES,
  type Requirement,
  type Terms,
} from '../../base/oversight.ts'
import type { Lock } from '../locks/lock.ts'
import type { Parties, PersonName } from './person.ts'
import { canFillAll } from './quorum.ts'

export type {
  Approver,
  AskLevel as Level,
  EditRule,
  Requirement,
  Terms,
} from '../../base/oversight.ts'

/** What the policy says of one exact call, in the shape its evaluation answers. */
export interface PolicyAnswer {
  readonly verdict: 'allow' | AskLevel | 'deny'
  /** Empty for `allow` and `deny`. */
  readonly requirements: readonly Requirement[]
  /** Absent for `allow` and `deny`. */
  readonly terms?: Terms
  /** Names the active policy, for the record. */
  readonly policy: string
}

export function strictestLevel(requirements: readonly Requirement[]): AskLevel {
  return requirements.some(({ level }) => level === 'review') ? 'review' : 'confirm'
}

/** Everything that was demanded, and what the new arguments demand besides. Nothing is dropped. */
export function mergeRequirements(
  kept: readonly Requirement[],
  added: readonly Requirement[],
): readonly Requirement[] {
  const known = new Set(kept.map(requirementKey))
  return [...kept, ...added.filter((requirement) => !known.has(requirementKey(requirement)))]
}

// Written out member by member, because a database may hand back the same record in another order.
function requirementKey({ source, rule, level, approvers, quorum, escalate }: Requirement): string {
  return JSON.stringify([
    [source, rule, level],
    approvers.map(approverName),
    quorum.map(({ group, n }) => [group, n]),
    escalate.map((step) => [step.after, approverName(step.to), step.for ?? null]),
  ])
}

function approverName(approver: Approver): readonly [string, string] {
  if (approver === '*') return ['role', 'approver']
  return 'email' in approver ? ['email', foldAddress(approver.email)] : ['group', approver.group]
}

/**
 * The stricter of both in everything an answer must bring. The clock that is running keeps its
 * time; the one that starts with the yes takes the shorter.
 */
export function mergeTerms(kept: Terms, added: Terms | undefined): Terms {
  if (!added) return kept
  return {
    ...kept,
    useBy: Math.min(kept.useBy, added.useBy),
    minAssurance: stricter(ASSURANCES, kept.minAssurance, added.minAssurance),
    reason: stricter(REASON_RULES, kept.reason, added.reason),
    edit: bothEdits(kept.edit, added.edit),
    grants: kept.grants && added.grants,
  }
}

function stricter<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}

/** What both allow: of two nested paths the deeper one. */
function bothEdits(a: EditRule, b: EditRule): EditRule {
  if (a === false || b === false) return false
  if (a === true) return b
  if (b === true) return a
  const shared = a.flatMap((one) =>
    b.flatMap((other) =>
      covers(one, other.keys) ? [other] : covers(other, one.keys) ? [one] : [],
    ),
  )
  return shared.length > 0 ? shared : false
}

function covers({ keys }: EditPath, path: readonly string[]): boolean {
  return keys.every((key, index) => path[index] === key)
}

/** The first changed place that may not be changed. */
export function forbiddenChange(
  rule: EditRule,
  changed: readonly (readonly string[])[],
): readonly string[] | undefined {
  if (rule === true) return undefined
  return changed.find((path) => rule === false || !rule.some((allowed) => covers(allowed, path)))
}

/** Who there is to ask, as far as is known. */
export interface Directory {
  readonly groups: {
    readonly [name: string]: { readonly emails: readonly string[] } | { readonly claim: string }
  }
  /** People with the approver role; `open` when people not seen yet may get it. */
  readonly approvers: readonly PersonName[] | 'open'
}

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
  call: Parties,
  directory: Directory,
  gone: readonly PersonName[] = [],
): Shortage | undefined {
  for (const requirement of requirements) {
    const says = missingIn(requirement, call, directory, gone)
    if (says !== undefined) return { rule: requirement.rule, says }
  }
  return undefined
}

/** As much of an open approval as decides whether it can still be approved. */
interface Open {
  readonly requirements: readonly Requirement[]
  readonly call: Parties
  readonly decideBy: number
}

/** What is missing for good, as far as is known now: people who are gone past the deadline. */
export function shortageOf(
  { requirements, call, decideBy }: Open,
  directory: Directory,
  locks: readonly Lock[],
): Shortage | undefined {
  return unanswerable(requirements, call, directory, goneUntil(locks, decideBy))
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
  call: Parties,
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
        if (level === 'confirm' || !namesStake(person, call)) pool.set(personKey(person), person)
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

function personKey({ issuer, subject, email }: PersonName): string {
  return email === undefined ? JSON.stringify([issuer ?? '', subject]) : email.toLowerCase()
}

function namesStake(person: PersonName, { principal, requester, agent }: Parties): boolean {
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
