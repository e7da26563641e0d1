import type { Sent } from '../command.ts'
import type { Person } from '../people/person.ts'
import type { GrantLimits, GrantScope } from './grant.ts'

/** What a person wants to permit from now on. */
export interface NewGrant {
  readonly id: string
  readonly scope: GrantScope
  readonly limits: GrantLimits
  /** How long it lasts, in milliseconds of the store's clock. */
  readonly lasts: number
  readonly reason?: string
}

export type GrantCommand = Mint | Revoke | EndGrant | EraseGrant

export interface Mint extends Sent, NewGrant {
  readonly type: 'mint'
  readonly tenant: string
  readonly by: Person
  readonly from?: string
}

export interface Revoke extends Sent {
  readonly type: 'revoke'
  /** Absent: the system, because the database is a copy. */
  readonly by?: Person
}

/** By the sweeper, once its time is over. */
export interface EndGrant extends Sent {
  readonly type: 'end'
}

/** By the sweeper, when what people wrote is no longer kept. */
export interface EraseGrant extends Sent {
  readonly type: 'erase'
}
