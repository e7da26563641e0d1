import type { Random } from '../../bench/lib/random.ts'
import type { CommandType } from '../../src/approval/command.ts'
import type { GrantCommand } from '../../src/approval/grants/grant-command.ts'
import type { ProbePoint } from '../../src/gate/probe.ts'
import type { StorePoint } from '../../src/store/store.ts'
import { isRare } from './script.ts'

/** A place in the life of a call, as the process that dies there reports it. */
export type Place =
  | `gate ${ProbePoint}`
  | `${CommandType | GrantCommand['type']} ${StorePoint}`
  | 'outcome notice.taken' // a notice of how it ended is about to be sent
  | 'outcome notice.sent' // it was sent, and nobody wrote that down
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

/** Stands still and is killed; goes on while it is killed; freezes itself until it is thawed. */
export type How = 'hold' | 'race' | 'freeze'

export interface Point {
  readonly place: Place
  readonly how: How
  readonly only?: 'sqlite' | 'postgres'
}

const hold = (place: Place): Point => ({ place, how: 'hold' })
const race = (place: Place): Point => ({ place, how: 'race' })

/**
 * Inside the transaction of a command. A server is sent all that is written with the commit, and
 * carries it out as a whole: a process can only die before and after it is sent.
 */
const inside = (
  place: `${CommandType | GrantCommand['type']} ${'changed' | 'recorded'}`,
): Point[] => {
  const [command] = place.split(' ') as [CommandType]
  return [
    { ...hold(place), only: 'sqlite' },
    {
      ...hold(`${command} ${place.endsWith('changed') ? 'locked' : 'committing'}`),
      only: 'postgres',
    },
  ]
}

/**
 * COMMIT in flight. A file has no flight: there the process is killed while it commits, as near to
 * it as a signal can be. A server has: there the process stands still once COMMIT is on its way.
 */
function commitOf(command: CommandType): Point[] {
  return [
    { ...race(`${command} recorded`), only: 'sqlite' },
    { ...hold(`${command} committing`), only: 'postgres' },
    { ...race(`${command} committing`), only: 'postgres' },
  ]
}

export const POINTS: readonly Point[] = [
  hold('gate call.read'),
  hold('gate verdict.known'),
  ...inside('request changed'),
  ...inside('request recorded'),
  ...commitOf('request'),
  hold('request committed'),
  hold('gate question.stored'),
  hold('gate notice.taken'),
  race('gate notice.taken'),
  hold('gate notice.sent'),
  hold('people before'),
  hold('decide locked'),
  ...inside('decide changed'),
  ...inside('decide recorded'),
  ...commitOf('decide'),
  hold('decide committed'),
  hold('people after'),
  hold('outcome notice.taken'),
  hold('outcome notice.sent'),
  hold('gate answer.known'),
  hold('claim locked'),
  ...inside('claim changed'),
  ...inside('claim recorded'),
  ...commitOf('claim'),
  hold('claim committed'),
  hold('gate claim.committed'),
  hold('tool inside'),
  hold('gate tool.returned'),
  ...inside('finish changed'),
  ...inside('finish recorded'),
  ...commitOf('finish'),
  hold('finish committed'),
  hold('gate outcome.recorded'),
  hold('gate sweep.between_rows'),
  ...inside('expire recorded'),
  ...inside('lost recorded'),
  ...inside('withdraw changed'),
  ...commitOf('withdraw'),
  ...inside('mint recorded'),
  hold('mint committed'),
  ...inside('revoke recorded'),
  hold('revoke committed'),
  ...inside('reveal recorded'),
  hold('reveal committed'),
  ...inside('extend recorded'),
  ...inside('escalate changed'),
  ...inside('escalate recorded'),
  hold('escalate committed'),
  ...inside('remind recorded'),
  hold('remove before'),
  race('remove before'),
  hold('remove after'),
  race('readmit before'),
  hold('readmit after'),
  hold('away before'),
  race('away before'),
  hold('away after'),
  hold('back before'),
  race('back before'),
  hold('back after'),
  hold('switch before'),
  race('switch before'),
  hold('switch after'),
  hold('lock before'),
  race('lock before'),
  hold('lock after'),
  hold('lift before'),
  race('lift before'),
  hold('lift after'),
  race('opening'),
  { ...race('checkpoint'), only: 'sqlite' },
]

export interface Stop extends Point {
  /** The how-manieth time the place is reached. */
  readonly nth: number
  /** Microseconds between reaching it and the kill, where the process goes on meanwhile. */
  readonly delay: number
}

export function pointsFor(store: 'sqlite' | 'postgres'): readonly Point[] {
  const all = POINTS.filter(({ only }) => only === undefined || only === store)
  return [...new Map(all.map((point) => [`${point.how} ${point.place}`, point])).values()]
}

export function stopAt(point: Point, random: Random): Stop {
  const early = point.place === 'opening' || point.place.startsWith('lost ') || isRare(point.place)
  return {
    ...point,
    nth: early ? 1 : 1 + random.below(2),
    delay: point.how === 'race' ? random.below(point.place === 'opening' ? 40_000 : 4_000) : 0,
  }
}
