/** The machine's clock, some time ago: what happened yesterday is seeded as of yesterday. */
export interface SeedClock {
  readonly now: () => number
  /** Only forwards, as time goes; `ago` is counted from the machine's own time. */
  goTo(ago: number): void
  /** Lets this much more time pass, from then on. */
  advance(ms: number): void
}

export function seedClock(ago: number): SeedClock {
  let offset = -ago
  return {
    now: () => Date.now() + offset,
    goTo(next) {
      if (-next < offset) throw new Error('the clock of a store never goes back')
      offset = -next
    },
    advance(ms) {
      offset += ms
    },
  }
}
