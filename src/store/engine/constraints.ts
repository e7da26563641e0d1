import { type Hold, readHold } from '../../approval/holds/hold.ts'
import { type Lock, readLock } from '../../approval/locks/lock.ts'
import { readStandIn, type StandIn } from '../../approval/people/stand-in.ts'
import { HOLD_RECORD } from '../records/hold-record.ts'
import { LOCK_RECORD } from '../records/lock-record.ts'
import { STAND_IN_RECORD } from '../records/stand-in-record.ts'

/** What people said that holds for every approval, read in the transaction of each command. */
export interface Held {
  readonly locks: readonly Lock[]
  readonly standIns: readonly StandIn[]
  /** What must not be erased. */
  readonly holds: readonly Hold[]
}

export const HELD_NOTHING: Held = { locks: [], standIns: [], holds: [] }

/** Kinds of records that are read there, as SQL. */
export const HELD_KINDS = `'${LOCK_RECORD}', '${STAND_IN_RECORD}', '${HOLD_RECORD}'`

export interface HeldRow {
  readonly kind: string
  readonly id: string
  readonly value: unknown
}

/** Those past their end as well: whether one holds is not for a store to say. */
export function heldOf(rows: readonly HeldRow[]): Held {
  return {
    locks: rows.filter(({ kind }) => kind === LOCK_RECORD).map(({ value }) => readLock(value)),
    standIns: rows
      .filter(({ kind }) => kind === STAND_IN_RECORD)
      .map(({ id, value }) => readStandIn(id, value)),
    holds: rows.filter(({ kind }) => kind === HOLD_RECORD).map(({ value }) => readHold(value)),
  }
}
