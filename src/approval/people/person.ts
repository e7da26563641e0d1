import type { Assurance } from '../../base/oversight.ts'

export { ASSURANCES, type Assurance } from '../../base/oversight.ts'

export const ROLES = ['viewer', 'approver', 'admin'] as const
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
