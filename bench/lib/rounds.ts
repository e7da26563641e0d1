/** Something that decides, in its own loop, so that no engine spoils another's call site. */
export interface Contestant {
  readonly name: string
  /** Goes once through its calls. The sum keeps the work from being optimised away. */
  readonly run: () => number
  readonly decisions: number
}

export interface Timing {
  readonly name: string
  readonly ns: number
  /** How many times the time of each other contestant, by name. */
  readonly times: Readonly<Record<string, number>>
}

/**
 * Rounds in which everybody runs once, after a warm-up. Rates differ from minute to minute, ratios
 * inside one round hardly do; so the result is the median of the ratios.
 */
export function race(contestants: readonly Contestant[], rounds: number): Timing[] {
  const warmUp = Math.ceil(rounds / 4)
  const measured = contestants.map(() => [] as number[])
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const ns = timeOf(contestant)
      if (round >= warmUp) measured[index]?.push(ns)
    }
  }
  return contestants.map(({ name }, index) => {
    const own = measured[index] ?? []
    const times = contestants.map((other, at): [string, number] => [
      other.name,
      median(own.map((ns, round) => ns / (measured[at]?.[round] ?? Number.NaN))),
    ])
    return { name, ns: median(own), times: Object.fromEntries(times) }
  })
}

// Short enough that most slices are over before the system gives the processor to someone else.
const SLICE_MS = 1

function timeOf({ run, decisions }: Contestant): number {
  // Once without the clock: otherwise everybody pays for what the one before left in the caches.
  let sum = run()
  let runs = 0
  let elapsed = 0
  const start = performance.now()
  while (elapsed < SLICE_MS) {
    sum += run()
    runs++
    elapsed = performance.now() - start
  }
  if (!Number.isFinite(sum)) throw new Error('the sum of levels is not a number')
  return (elapsed * 1_000_000) / (runs * decisions)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
