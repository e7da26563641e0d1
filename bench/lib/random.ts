/** Random numbers that are the same in every run, so that two runs measure the same work. */
export interface Random {
  /** From 0 up to, not including, `limit`. */
  readonly below: (limit: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <T>(items: readonly [T, ...T[]]) => T
  readonly shuffle: <T>(items: readonly T[]) => T[]
}

export function seeded(seed: number): Random {
  let state = seed >>> 0
  // Mulberry32: small, and good enough to mix calls.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (share) => next() < share,
    pick: (items) => items[below(items.length)] ?? items[0],
    shuffle: (items) => {
      const mixed = [...items]
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const held = mixed[last]
        const moved = mixed[other]
        if (held === undefined || moved === undefined) continue
        mixed[last] = moved
        mixed[other] = held
      }
      return mixed
    },
  }
}
