import { foldAddress } from '../../base/address.ts'
import { ASSURANCES, type Assurance, type Terms } from '../../base/oversight.ts'

export { ASSURANCES, type Assurance } from '../../base/oversight.ts'

export const ROLES = ['viewer', 'approver', 'author', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * An authenticated person and what is true of them now. Who they are is (issuer, subject) and
 * nothing else; groups are already resolved, from verified e-mail addresses or claims.
 */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly email?: string
  readonly emailVerified?: boolean
  readonly groups: readonly string[]
  readonly roles: readonly Role[]
  readonly assurance: Assurance
  /** Locked or removed people keep their name in the record and decide nothing. */
  readonly locked?: boolean
  /** Whose places this person may fill as well, because they are away. */
  readonly for?: readonly Absent[]
}

/** A person who is away: as much of them as decides which places are theirs. */
export interface Absent extends Omit<Person, 'roles' | 'assurance' | 'for'> {
  /** Names the record that says who stands in. */
  readonly standIn: string
}

/** What decides places. An absent person lends those that name them, and none that a role gives. */
export type Named = Omit<Absent, 'standIn'> & Partial<Pick<Person, 'roles'>>

/** A person's identity. The only part of a person that events carry. */
export interface PersonId {
  readonly issuer: string
  readonly subject: string
}

/**
 * How a call names a person: as much as its door knew. Without an issuer the subject is an
 * unauthenticated string, so it can exclude a person from approving but never let one in.
 */
export interface PersonName {
  readonly issuer?: string
  readonly subject: string
  readonly email?: string
}

/** The people and the agent that a call names. None of them decides alone about a `review`. */
export interface Parties {
  readonly principal?: PersonName
  readonly requester?: PersonName
  readonly agent: string
}

export function samePerson(a: PersonId, b: PersonId): boolean {
  return a.issuer === b.issuer && a.subject === b.subject
}

export function personId({ issuer, subject }: PersonId): PersonId {
  return { issuer, subject }
}

/** An address counts only when the issuer vouches for it. The case of A-Z never matters. */
export function verifiedEmail({ email, emailVerified }: Named): string | undefined {
  return emailVerified === true && email ? foldAddress(email) : undefined
}

/** Certain enough to let a person in. */
export function isSurely(person: Named, name: PersonName): boolean {
  if (name.issuer !== undefined) return samePerson(person, { ...name, issuer: name.issuer })
  const email = verifiedEmail(person)
  return email !== undefined && email === foldAddress(name.email ?? name.subject)
}

/**
 * Certain enough to keep a person out. A name that a door could not authenticate, or an unverified
 * address, may well be the same person under another login.
 */
export function mayBe(person: Named, name: PersonName): boolean {
  if (isSurely(person, name)) return true
  const known = loose([name.email, name.issuer === undefined ? name.subject : undefined])
  return loose([person.email, person.subject]).some((word) => known.includes(word))
}

/** By the rules of Unicode: more words are alike, so that more people are kept out. */
function loose(words: readonly (string | undefined)[]): string[] {
  return words.flatMap((word) => (word === undefined ? [] : word.toLowerCase()))
}

export function isActingUser(person: Named, { principal }: Pick<Parties, 'principal'>): boolean {
  return principal !== undefined && isSurely(person, principal)
}

/** The requester, the agent and the acting user never satisfy `review`. */
export function hasStake(person: Named, call: Parties): boolean {
  const named = [call.principal, call.requester, { subject: call.agent }]
  return named.some((name) => name !== undefined && mayBe(person, name))
}

export function isSureEnough(
  { assurance }: Person,
  { minAssurance }: Pick<Terms, 'minAssurance'>,
): boolean {
  return ASSURANCES.indexOf(assurance) >= ASSURANCES.indexOf(minAssurance)
}
