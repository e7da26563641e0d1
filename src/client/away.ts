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

const LONGEST = 60_000

/** Resolves after what the server asked for, else after `ms`; at once when the caller gave up. */
export function pauseAfter(
  error: unknown,
  ms: number,
  { signal, most = LONGEST }: { readonly signal?: AbortSignal | undefined; most?: number } = {},
): Promise<void> {
  const asked = isCountersignError(error) ? error.details.retryAfter : undefined
  const wait = typeof asked === 'number' ? Math.max(ms, asked * 1_000) : ms
  // Many callers that wait equally long would all come back at once.
  return pause(Math.min(wait * (1 + Math.random() / 2), most, LONGEST), signal)
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
