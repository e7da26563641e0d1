import type { Stamp } from '../workload/log.ts'
import type { Ended, Invoked } from '../workload/operations.ts'
import type { Evidence } from './check.ts'

export interface Moment {
  readonly life: number
  readonly order: number
}

export const NEVER: Moment = { life: Number.POSITIVE_INFINITY, order: 0 }

export function isBefore(one: Moment, other: Moment): boolean {
  return one.life < other.life || (one.life === other.life && one.order < other.order)
}

/** Lines of several processes in one order. One process lives after the other. */
export function momentsOf({ deliveries }: Evidence): (line: Stamp) => Moment {
  const lives = deliveries.filter(({ phase }) => phase === 'life').map(({ pid }) => pid)
  return ({ pid, order }) => ({ life: lives.lastIndexOf(pid), order })
}

export interface Done {
  readonly asked: Invoked & Stamp
  readonly end?: Ended & Stamp
}

export function operationsOf({ operations }: Evidence): Done[] {
  const asked = new Map<string, Done>()
  for (const line of operations) {
    const before = asked.get(line.op)?.asked
    if (line.phase === 'invoke') asked.set(line.op, { asked: line })
    else if (before) asked.set(line.op, { asked: before, end: line })
  }
  return [...asked.values()]
}
