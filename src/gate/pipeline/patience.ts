import type { Patience, Stopped } from '../backend.ts'

export function patienceOf(signal: AbortSignal | undefined, waitFor: number | undefined): Patience {
  return { signal, until: waitFor === undefined ? undefined : performance.now() + waitFor }
}

/** Only waiting for people can be left: once there is a yes, the call is under way. */
export function detachable(patience: Patience, detach: AbortSignal | undefined): Patience {
  if (!detach) return patience
  const { signal } = patience
  return { ...patience, signal: signal ? AbortSignal.any([signal, detach]) : detach }
}

export interface End {
  readonly signal: AbortSignal | undefined
  stopped(): Stopped | undefined
  release(): void
}

/** The caller's signal and its patience as one; a waiter with neither owns nothing at all. */
export function endOf({ signal, until }: Patience): End {
  if (until === undefined) {
    return {
      signal,
      stopped: () => (signal?.aborted ? 'aborted' : undefined),
      release: () => {},
    }
  }
  const controller = new AbortController()
  let stopped: Stopped | undefined
  const stop = (why: Stopped) => {
    stopped ??= why
    controller.abort()
  }
  const onAbort = () => stop('aborted')
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const cancel = at(until, () => stop('lapsed'))
  return {
    signal: controller.signal,
    stopped: () => stopped,
    release() {
      cancel()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

// Longer delays than this overflow and fire at once.
const LONGEST_TIMER = 2 ** 31 - 1

/** Calls back once, at this moment of `performance.now()`, however far away that is. */
function at(moment: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const arm = () => {
    const left = moment - performance.now()
    timer = left > LONGEST_TIMER ? setTimeout(arm, LONGEST_TIMER) : setTimeout(callback, left)
  }
  arm()
  return () => clearTimeout(timer)
}
