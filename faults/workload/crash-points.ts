import type { Random } from '../../bench/lib/random.ts'
import type { CommandType } from '../../src/approval/command.ts'
import type { GrantCommand } from '../../src/approval/grants/grant-command.ts'
import type { ProbePoint } from '../../src/gate/context.ts'
import type { StorePoint } from '../../src/store/store.ts'
import { isRare } from './script.ts'

/** A place in the life of a call, as the process that dies there reports it. */
export type Place =
  | `gate ${ProbePoint}`
  | `${CommandType | GrantCommand['type']} ${StorePoint}`
  | 'outcome K7' // a notice of how it ended is about to be sent
  | 'outcome K8' // it was sent, and nobody wrote that down
  | 'people before' // somebody is about to answer
  | 'people after' // their answer was acknowledged, and nobody has acted on it
  | 'lock before' // somebody is about to stop something
  | 'lock after' // it is locked, and whoever locked it knows
  | 'lift before' // somebody is about to let it go on
  | 'lift after' // it goes on, and whoever lifted the lock knows
  | 'away before' // somebody is about to stand in for somebody else
  | 'away after' // they do, and whoever said so knows
  | 'back before' // that is about to end, or to be taken back
  | 'back after' // it is over
  | 'remove before' // somebody is about to be removed
  | 'remove after' // they are
  | 'readmit before' // they are about to be added again
  | 'readmit after' // they belong here again
  | 'switch before' // asking is about to be switched
  | 'switch after' // it is
  | 'tool inside' // the tool has started and not ended
  | 'opening' // the database is being opened, created or migrated
  | 'checkpoint' // the log of a SQLite file is being written back

/** `hold`: the process stands still there until it is killed. `race`: it goes on meanwhile. */
/** Stands still and is killed; goes on while it is killed; freezes itself until it is thawed. */
export type How = 'hold' | 'race' | 'freeze'

export interface Point {
  /** The name of the crash point; several places can share one. */
  readonly k: string
  readonly place: Place
  readonly how: How
  readonly only?: 'sqlite' | 'postgres'
}

const hold = (k: string, place: Place): Point => ({ k, place, how: 'hold' })
const race = (k: string, place: Place): Point => ({ k, place, how: 'race' })

/**
 * COMMIT in flight. A file has no flight: there the process is killed while it commits, as near to
 * it as a signal can be. A server has: there the process stands still once COMMIT is on its way.
 */
function commitOf(k: string, command: CommandType): Point[] {
  return [
    { ...race(k, `${command} recorded`) },
    { ...hold(k, `${command} committing`), only: 'postgres' },
    { ...race(k, `${command} committing`), only: 'postgres' },
  ]
}

export const POINTS: readonly Point[] = [
  hold('K1', 'gate K1'),
  hold('K2', 'gate K2'),
  hold('K3', 'request changed'),
  hold('K4', 'request recorded'),
  ...commitOf('K5', 'request'),
  hold('K6', 'request committed'),
  hold('K6', 'gate K6'),
  hold('K7', 'gate K7'),
  race('K7', 'gate K7'),
  hold('K8', 'gate K8'),
  hold('K9', 'people before'),
  hold('K10', 'decide locked'),
  hold('K11', 'decide changed'),
  hold('K13', 'decide recorded'),
  ...commitOf('K14', 'decide'),
  hold('K15', 'decide committed'),
  hold('K16', 'people after'),
  hold('K17', 'outcome K7'),
  hold('K17', 'outcome K8'),
  hold('K18', 'gate K18'),
  hold('K19', 'claim locked'),
  hold('K19', 'claim changed'),
  hold('K19', 'claim recorded'),
  ...commitOf('K20', 'claim'),
  hold('K20', 'claim committed'),
  hold('K21', 'gate K21'),
  hold('K22', 'tool inside'),
  hold('K23', 'gate K23'),
  hold('K24', 'finish changed'),
  hold('K24', 'finish recorded'),
  ...commitOf('K24', 'finish'),
  hold('K25', 'finish committed'),
  hold('K25', 'gate K25'),
  hold('K26', 'gate K26'),
  hold('K27', 'expire recorded'),
  hold('K27', 'lost recorded'),
  hold('K29', 'withdraw changed'),
  ...commitOf('K29', 'withdraw'),
  hold('K13', 'mint recorded'),
  hold('K15', 'mint committed'),
  hold('K13', 'revoke recorded'),
  hold('K15', 'revoke committed'),
  hold('K12', 'reveal recorded'),
  hold('K12', 'reveal committed'),
  hold('K12', 'extend recorded'),
  hold('K28', 'escalate changed'),
  hold('K28', 'escalate recorded'),
  hold('K28', 'escalate committed'),
  hold('K28', 'remind recorded'),
  hold('K31', 'remove before'),
  race('K31', 'remove before'),
  hold('K31', 'remove after'),
  race('K31', 'readmit before'),
  hold('K31', 'readmit after'),
  hold('K38', 'away before'),
  race('K38', 'away before'),
  hold('K38', 'away after'),
  hold('K39', 'back before'),
  race('K39', 'back before'),
  hold('K39', 'back after'),
  hold('K40', 'switch before'),
  race('K40', 'switch before'),
  hold('K40', 'switch after'),
  hold('K36', 'lock before'),
  race('K36', 'lock before'),
  hold('K36', 'lock after'),
  hold('K37', 'lift before'),
  race('K37', 'lift before'),
  hold('K37', 'lift after'),
  race('K33', 'opening'),
  { ...race('K35', 'checkpoint'), only: 'sqlite' },
]

export interface Stop extends Point {
  /** The how-manieth time the place is reached. */
  readonly nth: number
  /** Microseconds between reaching it and the kill, where the process goes on meanwhile. */
  readonly delay: number
}

export function pointsFor(store: 'sqlite' | 'postgres'): readonly Point[] {
  return POINTS.filter(({ only }) => only === undefined || only === store)
}

export function stopAt(point: Point, random: Random): Stop {
  const early = point.place === 'opening' || point.place === 'lost recorded' || isRare(point.place)
  return {
    ...point,
    nth: early ? 1 : 1 + random.below(2),
    delay: point.how === 'race' ? random.below(point.place === 'opening' ? 40_000 : 4_000) : 0,
  }
}
