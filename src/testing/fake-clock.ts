export interface FakeClock {
  /** Milliseconds since 1970, as a store reads it. */
  readonly now: () => number
  advance(ms: number): void
}

/** A clock that only moves when it is told to. */
export function fakeClock(start = Date.UTC(2030, 0, 1)): FakeClock {
  let time = start
  return {
    now: () => time,
    advance(ms) {
      time += ms
    },
  }
}
