/*
 * People and agents' tokens over HTTP. A signed-in person sees who decides here; what only admins
 * need to know is left out for the others.
 */

export type WireRole = 'viewer' | 'approver' | 'admin'

/** Who a person is: nothing else names one for good. */
export interface PersonKey {
  readonly issuer: string
  readonly subject: string
}

export interface WireAccount extends PersonKey {
  /** Names the person in paths. */
  readonly id: string
  readonly name?: string
  readonly email?: string
  /** The address is vouched for: only then does it count. */
  readonly emailVerified?: boolean
  readonly roles: readonly WireRole[]
  /** What the issuer says this person belongs to; for admins. */
  readonly claims?: readonly string[]
}

/** One line of `GET /v1/people`. */
export interface WireMember extends WireAccount {
  /** Groups of the policy that this person is in. */
  readonly groups: readonly string[]
  /** Locked: they can neither sign in nor decide, and their yeses do not count. */
  readonly locked?: true
  /** The reader. */
  readonly you?: true
  /** For admins: when they last signed in, and how many sessions they have now. */
  readonly lastSignInAt?: number
  readonly sessions?: number
}

/** `GET /v1/people`. */
export interface PeopleList {
  readonly people: readonly WireMember[]
  /** For admins: who was removed and stays out until they are added again. */
  readonly removed?: readonly WireRemoved[]
  /** Names of the policy's groups. */
  readonly groups: readonly string[]
  readonly now: number
  /** What the reader may do about others. */
  readonly can: readonly 'change'[]
}

export interface WireRemoved extends PersonKey {
  readonly email?: string
  readonly at: number
}

/** One line of `GET /v1/tokens`: an agent's credential, without its secret. */
export interface WireToken {
  readonly prefix: string
  readonly agent: string
  readonly principal?: string
  /** It names its users itself, and records their answers to what they are to confirm. */
  readonly vouches?: true
  readonly createdAt: number
  /** From then on it is worth nothing. */
  readonly expiresAt?: number
  /** Exact to a few minutes. */
  readonly lastUsedAt?: number
}

export interface TokenList {
  readonly tokens: readonly WireToken[]
  readonly now: number
}

/** `POST /v1/tokens`. */
export interface NewTokenBody {
  readonly agent: string
  readonly principal?: string
  readonly vouches?: boolean
  /** How long it lives; for good unless set. */
  readonly days?: number
}

export interface MadeToken {
  /** Seen this once. */
  readonly token: string
  readonly made: WireToken
}

/** `DELETE /v1/people/:id/sessions`. */
export interface EndedSessions {
  readonly ended: number
}

/** `DELETE /v1/people/:id`. */
export interface RemovedPerson {
  readonly person: WireAccount
  /** Pending approvals that the remaining approvers cannot approve, and the rule that asks. */
  readonly unreachable: readonly {
    readonly id: string
    readonly rule: string
    /** What is missing: `finance needs 2, only bo@example.com is left`. */
    readonly says: string
  }[]
}
