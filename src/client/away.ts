import { Refused } from '../api/client.ts'
import { ERRORS, isCountersignError } from '../base/errors.ts'

/**
 * A server that cannot be reached, is about to stop or has no time: it said nothing about what it
 * was asked, and the same may be sent again.
 */
export function isAway(error: unknown): boolean {
  if (!isCountersignError(error)) return false
  return error.code === 'too_many_requests' || ERRORS[error.code].http === 503
}

/** Whether the server certainly did nothing: it counted the request, and looked no further. */
export function isUnheard(error: unknown): boolean {
  return isCountersignError(error, 'too_many_requests')
}

/** A balancer says these while it has no server to send a request to. */
const BETWEEN_SERVERS = new Set([502, 503, 504])

/**
 * Whether another server, or this one in a moment, may take what was sent. An address that never
 * answered is more likely wrong than restarting, and one that points elsewhere stays so.
 */
function isPassing(error: unknown, hasAnswered: boolean): boolean {
  if (!isAway(error)) return false
  if (!isCountersignError(error, 'server_unreachable')) return true
  const { cause } = error
  if (cause instanceof Refused) return BETWEEN_SERVERS.has(cause.status)
  return cause !== undefined && hasAnswered
}

export interface Repeating {
  /** Milliseconds from the first attempt on; no attempt begins later. */
  readonly within: number
  readonly hasAnswered: () => boolean
  readonly signal?: AbortSignal | undefined
}

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 2_000

/** For what may be sent twice. Throws what the last attempt did. */
export async function repeated<T>(
  send: () => Promise<T>,
  { within, hasAnswered, signal }: Repeating,
): Promise<T> {
  let left = within
  for (let attempt = 0; ; attempt += 1) {
    const sent = performance.now()
    try {
      return await send()
    } catch (error) {
      const wait = spread(error, Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE))
      left -= performance.now() - sent + wait
      if (signal?.aborted || left < 0 || !isPassing(error, hasAnswered())) throw error
      await pause(wait, signal)
      if (signal?.aborted) throw error
    }
  }
}

const LONGEST = 60_000

/** Resolves after what the server asked for, else after `ms`; at once when the caller gave up. */
export function pauseAfter(
  error: unknown,
  ms: number,
  { signal, most = LONGEST }: { readonly signal?: AbortSignal | undefined; most?: number } = {},
): Promise<void> {
  return pause(Math.min(spread(error, ms), most, LONGEST), signal)
}

function spread(error: unknown, ms: number): number {
  const asked = isCountersignError(error) ? error.details.retryAfter : undefined
  const wait = typeof asked === 'number' ? Math.max(ms, asked * 1_000) : ms
  // Many callers that wait equally long would all come back at once.
  return wait * (1 + Math.random() / 2)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
