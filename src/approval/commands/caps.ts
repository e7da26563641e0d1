/** How much of people's attention one agent may take. */
export interface Caps {
  /** Questions that wait at once. */
  readonly pending?: number
  /** Questions asked in the last minute. */
  readonly perMinute?: number
}

/** What an agent has asked already, counted by the store under its locks. */
export interface Load {
  readonly pending: number
  readonly lately: number
}

export const LATELY_MS = 60_000

/** Why one more question is too many; undefined when it is not. */
export function overCap({ pending, perMinute }: Caps, load: Load): string | undefined {
  if (pending !== undefined && load.pending >= pending) {
    return `at most ${pending} may wait at once`
  }
  return perMinute !== undefined && load.lately >= perMinute
    ? `at most ${perMinute} may be asked in a minute`
    : undefined
}
