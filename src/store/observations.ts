import type { Json } from '../base/json/json.ts'

/** Calls that were let through although the policy would have asked: to try another one on. */
export interface Observations {
  /** Durable when it resolves. */
  add(observed: Observed): Promise<void>
  /** Oldest first. */
  list(page?: ObservedPageRequest): Promise<ObservedPage>
}

export interface Observed {
  /** As `policy replay` reads it, secrets masked. Without arguments where they were too large. */
  readonly call: { readonly [key: string]: Json }
  /** What the policy would have said, and why. */
  readonly verdict: string
  readonly reasons: readonly { readonly [key: string]: Json }[]
  /** Of the arguments as they were, before masking. */
  readonly digest: string
  /** Names the policy. */
  readonly policy: string
}

export interface StoredObservation extends Observed {
  readonly at: number
}

export interface ObservedPageRequest {
  /** `next` of the page before. */
  readonly after?: number
  /** At most 500. */
  readonly limit?: number
}

export interface ObservedPage {
  readonly observed: readonly StoredObservation[]
  /** Absent on the last page. */
  readonly next?: number
}

/** The newest that are kept, about: a busy agent must not fill the disk. */
export const OBSERVED_KEPT = 10_000
/** Older ones are cleared away once in so many. */
export const OBSERVED_CLEARED_EVERY = 100
export const MAX_OBSERVED_BYTES = 65_536
const MAX_PAGE = 500

/** What is stored. A call too large to be kept is kept without its arguments. */
export function observedText(observed: Observed): string {
  const text = JSON.stringify(observed)
  if (text.length <= MAX_OBSERVED_BYTES) return text
  const { tool, kind, server, agent } = observed.call
  const names = Object.entries({ kind, tool, server, agent }).filter(([, one]) => one !== undefined)
  return JSON.stringify({ ...observed, call: Object.fromEntries(names), reasons: [] })
}

export interface ObservedRow {
  readonly position: number
  readonly at: number
  readonly body: string
}

/** Of one row more than was asked for, to know whether there is a next page. */
export function observedPage(rows: readonly ObservedRow[], limit: number): ObservedPage {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const observed = page.map(({ at, body }) => ({ ...(JSON.parse(body) as Observed), at }))
  return rows.length > limit && last ? { observed, next: last.position } : { observed }
}

export function observedLimit(limit = MAX_PAGE): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PAGE)
}
