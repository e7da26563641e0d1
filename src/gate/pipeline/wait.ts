import type { Approval } from '../../approval/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import { isPassing, sleep } from '../background/background.ts'
import type { GateContext } from '../context.ts'
import type { Listeners } from '../listeners.ts'

/** Why a caller stopped waiting before there was an answer. */
export type Stopped = 'aborted' | 'lapsed'

export interface Patience {
  readonly signal: AbortSignal | undefined
  /** When it ends, on the clock of `performance.now()`; with the question itself unless set. */
  readonly until: number | undefined
}

export function patienceOf(signal: AbortSignal | undefined, waitFor: number | undefined): Patience {
  return { signal, until: waitFor === undefined ? undefined : performance.now() + waitFor }
}

export interface Waited {
  /** As it was when waiting ended. */
  readonly approval: Approval
  readonly stopped?: Stopped
}

// A store that is gone for longer than this is not coming back in time for this call.
const STORE_PATIENCE = 30_000
const FIRST_PAUSE = 50

/**
 * Parks until the approval is as `isOver` wants it, or the caller's patience ends. Holds no
 * connection, and leaves nothing behind when it returns.
 */
export async function waitUntil(
  { store, listeners }: GateContext,
  asked: Approval,
  isOver: (approval: Approval) => boolean,
  patience: Patience,
): Promise<Waited> {
  let approval = asked
  if (isOver(approval)) return { approval }
  const end = endOf(patience)
  let troubleSince: number | undefined
  let pause = FIRST_PAUSE
  try {
    while (!isOver(approval)) {
      if (end.stopped()) return { approval, stopped: end.stopped() ?? 'aborted' }
      try {
        const before = approval
        approval = await store.waitFor(approval.id, approval.revision, end.signal)
        tellOfUpkeep(listeners, before, approval)
        troubleSince = undefined
        pause = FIRST_PAUSE
      } catch (error) {
        const stopped = end.stopped()
        if (stopped) return { approval, stopped }
        if (!isPassing(error) || isCountersignError(error, 'approval_not_found')) throw error
        troubleSince ??= performance.now()
        if (performance.now() - troubleSince > STORE_PATIENCE) throw error
        await sleep(pause)
        pause = Math.min(2 * pause, 1_000)
      }
    }
    return { approval }
  } finally {
    end.release()
  }
}

/** Emits upkeep to those who wait here, whichever process did it. */
export function tellOfUpkeep(listeners: Listeners, before: Approval, approval: Approval): void {
  if (approval.reminders > before.reminders) listeners.emit('reminded', { approval })
  if (approval.escalated.length > before.escalated.length) {
    listeners.emit('escalated', { approval })
  }
}

interface End {
  readonly signal: AbortSignal | undefined
  stopped(): Stopped | undefined
  release(): void
}

/** The caller's signal and its patience as one; a waiter with neither owns nothing at all. */
function endOf({ signal, until }: Patience): End {
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
