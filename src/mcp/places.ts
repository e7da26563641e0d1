import { CountersignError } from '../base/errors.ts'

/** Room for the processes of one server, over all clients. */
export interface Places {
  /** Gives what gives the place back. Throws `server_busy` when there is none. */
  take(alias: string): Promise<() => void>
}

/**
 * At most so many processes of each server. `makeRoom` ends somebody who has not been heard of
 * lately; false when there is nobody like that.
 */
export function createPlaces(most: number, makeRoom: () => Promise<boolean>): Places {
  const taken = new Map<string, number>()
  const count = (alias: string) => taken.get(alias) ?? 0

  return {
    async take(alias) {
      while (count(alias) >= most) {
        if (!(await makeRoom())) throw busy(alias, most)
      }
      taken.set(alias, count(alias) + 1)
      let isBack = false
      return () => {
        if (isBack) return
        isBack = true
        taken.set(alias, count(alias) - 1)
      }
    },
  }
}

function busy(alias: string, most: number): CountersignError {
  return new CountersignError(
    'server_busy',
    `server ${alias} runs as often as it may (${most}), once for each client that uses it`,
    { hint: 'Close sessions that are not needed, or allow more with --mcp-processes.' },
  )
}
