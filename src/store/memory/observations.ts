import type { Hold } from '../../approval/holds/hold.ts'
import { notHeld } from '../engine/erasable.ts'
import {
  OBSERVED_KEPT,
  type Observations,
  type ObservedRow,
  observedLimit,
  observedPage,
  observedText,
} from '../observations.ts'

export interface MemoryObservations {
  readonly observations: Observations
  erase(before: number, holds: readonly Hold[]): number
}

export function createMemoryObservations(clock: () => number): MemoryObservations {
  let rows: ObservedRow[] = []
  let position = 0
  return {
    observations: {
      async add(observed) {
        position += 1
        rows.push({ position, at: clock(), body: observedText(observed) })
        if (rows.length > OBSERVED_KEPT) rows = rows.slice(-OBSERVED_KEPT)
      },
      async list({ after = 0, limit } = {}) {
        const most = observedLimit(limit)
        return observedPage(
          rows.filter((row) => row.position > after),
          most,
        )
      },
    },
    erase(before, holds) {
      const count = rows.length
      const old = rows.filter(({ at }) => at < before)
      const gone = new Set(notHeld(holds, old, new Map()))
      rows = rows.filter((row) => !gone.has(row.position))
      return count - rows.length
    },
  }
}
