import { isCountersignError } from '../../src/base/errors.ts'
import type { Place } from './crash-points.ts'
import type { Ended, Invoked } from './operations.ts'
import type { Stage } from './workload.ts'

/** Codes after which whoever sent it sends it again. */
export const NOT_THROUGH = /^(store_|outcome_unknown|clock_behind|internal|locked|person_changed)/

export function codeOf(error: unknown): string {
  // The driver's own error when a read meets a server that is away.
  return isCountersignError(error) ? error.code : 'store_unavailable'
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A store that is away comes back. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      if (attempt > 100) throw error
    }
    await pause(100)
  }
}

interface Task {
  readonly about: Omit<Invoked, 'phase' | 'op' | 'key'>
  /** Named in the points: about to be sent, and acknowledged. */
  readonly name: 'lock' | 'lift' | 'away' | 'back' | 'remove' | 'readmit' | 'switch'
  run(): Promise<Omit<Ended, 'phase' | 'op'>>
}

/**
 * What somebody does besides answering, written down before and after, and done again while it does
 * not get through. What came of it once it was acknowledged; undefined when it never was.
 */
export async function carryOut(
  { log, reach }: Stage,
  { about, name, run }: Task,
): Promise<Omit<Ended, 'phase' | 'op'> | undefined> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const op = crypto.randomUUID()
    log.write({ phase: 'invoke', op, key: '', ...about })
    reach(`${name} before` satisfies Place)
    try {
      const done = await run()
      log.write({ phase: 'ok', op, ...done })
      reach(`${name} after` satisfies Place)
      return done
    } catch (error) {
      const code = codeOf(error)
      log.write({ phase: 'fail', op, code })
      if (!NOT_THROUGH.test(code)) return undefined
    }
    await pause(100)
  }
  return undefined
}
