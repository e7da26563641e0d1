import { foldAddress } from '../../base/address.ts'
import type { AskedCall } from '../approval.ts'
import type { Named, PersonId, PersonName } from './person.ts'

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

export function isActingUser(person: Named, { principal }: AskedCall): boolean {
  return principal !== undefined && isSurely(person, principal)
}

/** The requester, the agent and the acting user never satisfy `review`. */
export function hasStake(person: Named, call: AskedCall): boolean {
  const named = [call.principal, call.requester, { subject: call.agent }]
  return named.some((name) => name !== undefined && mayBe(person, name))
}
