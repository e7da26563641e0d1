import type { Filter } from '../store.ts'

/*
 * No index holds when an approval was asked, so that asking pays for none. Positions are given out in
 * nearly the same order: a few looks at single rows find which of them a span of time can be among.
 */

/** Positions of what was asked in a span of time, and of some around it. */
export interface Positions {
  readonly from: number
  /** Not among them any more. */
  readonly to: number
}

/** When the first approval at this position or behind it was asked; undefined behind the last. */
export type AskedAt = (position: number) => Promise<number | undefined>

/**
 * How far the order of positions and the order of times can differ: a position is given out after
 * the time was read, and a store waits for a lock no longer than this.
 */
const SLACK_MS = 5 * 60_000

/** Undefined where the filter names no time. */
export async function positionsBetween(
  { since, until }: Pick<Filter, 'since' | 'until'>,
  { last, askedAt }: { readonly last: () => Promise<number>; readonly askedAt: AskedAt },
): Promise<Positions | undefined> {
  if (since === undefined && until === undefined) return undefined
  const end = (await last()) + 1
  const first = (time: number) => firstSince(time, end, askedAt)
  return {
    from: since === undefined ? 0 : await first(since - SLACK_MS),
    to: until === undefined ? end : await first(until + SLACK_MS + 1),
  }
}

/** The least position from which on everything was asked at this time or later. */
async function firstSince(time: number, end: number, askedAt: AskedAt): Promise<number> {
  let [low, high] = [0, end]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const at = await askedAt(middle)
    if (at === undefined || at >= time) high = middle
    else low = middle + 1
  }
  return low
}
