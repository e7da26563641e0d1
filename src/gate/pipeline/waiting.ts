import type { Sweeper } from '../background/sweep.ts'

/** Which approvals callers in this process depend on. */
export interface Waiting {
  /** Does something that depends on an approval, and keeps an eye on the clock meanwhile. */
  during<T>(id: string, work: () => Promise<T>): Promise<T>
  /** No other caller here depends on it. */
  isAlone(id: string): boolean
  readonly size: number
}

/**
 * While a caller waits, this process sweeps: questions end by themselves, and the process that asks
 * may be the only one there is.
 */
export function createWaiting(startSweeping: () => Sweeper): Waiting {
  const counts = new Map<string, number>()
  let sweeper: Sweeper | undefined

  function leave(id: string): void {
    const left = (counts.get(id) ?? 1) - 1
    if (left > 0) counts.set(id, left)
    else counts.delete(id)
    if (counts.size > 0) return
    void sweeper?.stop()
    sweeper = undefined
  }

  return {
    during(id, work) {
      counts.set(id, (counts.get(id) ?? 0) + 1)
      sweeper ??= startSweeping()
      return work().finally(() => leave(id))
    },
    isAlone: (id) => (counts.get(id) ?? 0) <= 1,
    get size() {
      return counts.size
    },
  }
}
