import type { Call } from '../../src/base/call.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Writing } from './bodies.ts'
import type { DeadlyPlace } from './worker-config.ts'

type Placed = Pick<Call, 'tool' | 'run'>

/**
 * Workflows stop at their places, and say so in the log. The process dies by kill -9 when the last of
 * them is there.
 */
export function deadlyPlaces(places: readonly DeadlyPlace[], { write }: Writing) {
  const left = new Set(places.map(({ of }) => of))
  /** Approvals do not hold the arguments that name a workflow, so its run is remembered. */
  const ids = new Map<string | undefined, string>()

  function stop(id: string): Promise<never> {
    left.delete(id)
    if (left.size === 0) process.kill(process.pid, 'SIGKILL')
    write(`reached ${id}`)
    return new Promise(() => {})
  }

  const isPlace = (place: string, id: string | undefined) =>
    places.some(({ at, of }) => at === place && of === id)

  return {
    seen({ args, run }: Call): void {
      if (typeof args.id === 'string') ids.set(run, args.id)
    },
    async reached(point: string, { tool, run }: Placed): Promise<void> {
      const id = ids.get(run)
      if (id !== undefined && isPlace(`${tool} ${point}`, id)) await stop(id)
    },
    async inTool({ id }: JsonObject): Promise<void> {
      if (typeof id === 'string' && isPlace('pay tool', id)) await stop(id)
    },
  }
}
