/*
 * People, as admins see them over HTTP.
 */

export type WireRole = 'viewer' | 'approver' | 'admin'

/** Who somebody is: nothing else names a person for good. */
export interface PersonKey {
  readonly issuer: string
  readonly subject: string
}

export interface WireAccount extends PersonKey {
  /** Names the person in paths. */
  readonly id: string
  readonly name?: string
  readonly email?: string
  /** Somebody vouches for the address: only then does it count. */
  readonly emailVerified?: boolean
  readonly roles: readonly WireRole[]
  /** What the issuer says this person belongs to. */
  readonly claims?: readonly string[]
}

/** `GET /v1/people`. */
export interface PeopleList {
  readonly people: readonly WireAccount[]
}

/** `DELETE /v1/people/:id`. */
export interface RemovedPerson {
  readonly person: WireAccount
  /** Pending approvals that nobody who is left could approve, and the rule that asks for it. */
  readonly unreachable: readonly {
    readonly id: string
    readonly rule: string
    /** What is missing: `finance needs 2, only bo@example.com is left`. */
    readonly says: string
  }[]
}
