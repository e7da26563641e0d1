import { parseDuration } from './duration.ts'
import { CountersignError } from './errors.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** When a waiting workflow looks by itself. A lost wake-up costs that much time and nothing else. */
const LOOKS: readonly number[] = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR]

/** Engines bound how many steps a workflow has, so a question of many weeks is looked at less often. */
const MOST_LOOKS = 150

/** Just after the end, so that the look finds the question expired. */
const AFTER_END = 250

export interface LookOptions {
  /** Pauses between looks, such as `['10s', '1m']`; the last one repeats. 1m, 5m, 15m, 1h unless set. */
  readonly looks?: readonly string[] | undefined
}

/** Milliseconds until look `n`, and never later than the end of the question. */
export function pauseBefore(
  n: number,
  { decideBy, now, looks }: { decideBy: number; now: number; looks: readonly number[] },
): number {
  const left = decideBy - now
  const usual = lookAt(looks, n)
  // Over by this clock and not by that of the store: then the usual pause, or it would never rest.
  if (left <= 0) return usual
  const pause = n < looks.length ? usual : Math.max(usual, left / MOST_LOOKS)
  return Math.ceil(Math.min(pause, left + AFTER_END))
}

/** Milliseconds until the next try to reach a server or store that is away. */
export function pauseAway(n: number, looks: readonly number[]): number {
  return Math.min(5_000 * 2 ** n, lookAt(looks, n), HOUR)
}

export function lookAt(looks: readonly number[], n: number): number {
  return looks[Math.min(n, looks.length - 1)] ?? HOUR
}

export function looksOf({ looks }: LookOptions): readonly number[] {
  if (looks === undefined || looks.length === 0) return LOOKS
  return looks.map((text) => {
    const read = parseDuration(text)
    if (read.ok) return read.value
    throw new CountersignError('invalid_value', `looks: ${read.problem}`, {
      hint: "Give durations such as ['10s', '1m', '1h'].",
    })
  })
}
