import type { Approval } from '../../approval/approval.ts'
import type { Patience, Stopped } from '../backend.ts'
import type { Sweeper } from '../background/sweep.ts'

/*
 * A caller that waits for people: how long it does, what this process does meanwhile, and the line
 * that says so on a terminal.
 */

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

/** Which approvals callers in this process depend on. */
export interface Waiting {
  /** Does something that depends on an approval, and keeps an eye on the clock meanwhile. */
  during<T>(id: string, work: () => Promise<T>): Promise<T>
  /** No other caller here depends on it. */
  isAlone(id: string): boolean
  readonly size: number
}

/**
 * While a caller waits, this process sweeps: questions end by themselves, and the process that asks
 * may be the only one there is.
 */
export function createWaiting(startSweeping: () => Sweeper): Waiting {
  const counts = new Map<string, number>()
  let sweeper: Sweeper | undefined

  function leave(id: string): void {
    const left = (counts.get(id) ?? 1) - 1
    if (left > 0) counts.set(id, left)
    else counts.delete(id)
    if (counts.size > 0) return
    void sweeper?.stop()
    sweeper = undefined
  }

  return {
    during(id, work) {
      counts.set(id, (counts.get(id) ?? 0) + 1)
      sweeper ??= startSweeping()
      return work().finally(() => leave(id))
    },
    isAlone: (id) => (counts.get(id) ?? 0) <= 1,
    get size() {
      return counts.size
    },
  }
}

/** Prints one line about a call that waits for a person. Returns the way to take it back. */
export type Announce = (waiting: Pick<Approval, 'id'> & { readonly tool: string }) => () => void

export interface AnnounceOptions {
  /**
   * A program that waits says so, once for each call, on stderr. `false` keeps it quiet; a function
   * gets the line instead.
   */
  readonly announce?: boolean | ((line: string) => void) | undefined
}

/** Answers that come at once, as in tests, are not worth a line. */
const AFTER_MS = 1_000

const QUIET: Announce = () => () => {}

export function createAnnounce(
  { announce = true }: AnnounceOptions,
  whereToDecide: (id: string) => string,
): Announce {
  if (announce === false) return QUIET
  const print = announce === true ? toStderr : announce
  return ({ id, tool }) => {
    const timer = setTimeout(() => {
      print(`countersign: ${tool} waits for a person. Decide: ${whereToDecide(id)}`)
    }, AFTER_MS)
    // What waits keeps the process alive by itself; this line alone is no reason to.
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer)
  }
}

function toStderr(line: string): void {
  const { console } = globalThis as { console?: { error(line: string): void } }
  console?.error(line)
}
