import { CountersignError } from '../../base/errors.ts'

/** How often one name may do something. Counted in this process; nothing is stored. */
export interface RateLimit {
  /** Throws `too_many_requests` when this name is over its limit. */
  check(name: string): void
  count(name: string): void
  /** Both. */
  take(name: string): void
}

export interface RateLimitOptions {
  readonly most: number
  readonly windowMs: number
  /** What there were too many of, for the sentence. */
  readonly what: string
  readonly now?: () => number
}

/** Names remembered at once. A sender with more addresses than that is no client of ours. */
const NAMES = 10_000

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { most, windowMs, what, now = () => performance.now() } = options
  const windows = new Map<string, { readonly since: number; count: number }>()

  function current(name: string) {
    const found = windows.get(name)
    if (found && now() - found.since < windowMs) return found
    windows.delete(name)
    return undefined
  }

  function check(name: string, found = current(name)): void {
    if (!found || found.count < most) return
    const wait = Math.ceil((windowMs - (now() - found.since)) / 1_000)
    throw new CountersignError('too_many_requests', `too many ${what}`, {
      hint: `Wait ${wait} ${wait === 1 ? 'second' : 'seconds'}.`,
      details: { retryAfter: wait },
    })
  }

  function count(name: string, found = current(name)): void {
    if (found) {
      found.count += 1
      return
    }
    // The oldest window goes first: a Map keeps the order in which names came.
    const [oldest] = windows.size >= NAMES ? windows.keys() : []
    if (oldest !== undefined) windows.delete(oldest)
    windows.set(name, { since: now(), count: 1 })
  }

  return {
    check: (name) => check(name),
    count: (name) => count(name),
    take(name) {
      const found = current(name)
      check(name, found)
      count(name, found)
    },
  }
}
