import { type ErrorCode, isCountersignError } from '../../base/errors.ts'

/** Work that outlives the call it belongs to: writing down what already happened. */
export interface Background {
  /**
   * Tries until it is done, is refused for good, or half a minute has passed. Resolves to what
   * became of it; never rejects.
   */
  persist(task: () => Promise<unknown>): Promise<Persisted>
  /**
   * The same, and then goes on now and then for a day: a record that stays wrong while this process
   * lives would keep others waiting for as long.
   */
  insist(task: () => Promise<unknown>): Promise<Persisted>
  /** Resolves when nothing is left to do within half a minute. */
  idle(): Promise<void>
}

export type Persisted = 'done' | 'refused' | 'gave up'

const GIVE_UP_AFTER = 30_000
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 2_000
const NOW_AND_THEN = 30_000
const DAY = 24 * 60 * 60 * 1_000

/** Refusals that have nothing to do with the command itself: the same one may pass later. */
const PASSING: readonly ErrorCode[] = [
  'store_busy',
  'store_unavailable',
  'store_replaced',
  'outcome_unknown',
  'clock_behind',
  'internal',
]

export function isPassing(error: unknown): boolean {
  return !isCountersignError(error) || PASSING.includes(error.code)
}

/** Whether the store itself failed, as opposed to refusing this one thing. */
export function isStoreFailure(error: unknown): boolean {
  return isPassing(error) || (isCountersignError(error) && error.code.startsWith('store_'))
}

export function createBackground(): Background {
  const running = new Set<Promise<unknown>>()

  function persist(task: () => Promise<unknown>): Promise<Persisted> {
    const work = tryOn(task)
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  return {
    persist,
    insist(task) {
      const work = persist(task)
      void work.then((end) => (end === 'gave up' ? linger(task) : undefined))
      return work
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

async function tryOn(task: () => Promise<unknown>): Promise<Persisted> {
  const giveUp = performance.now() + GIVE_UP_AFTER
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const end = await attempt(task)
    if (end !== 'failed') return end
    if (performance.now() + pause > giveUp) return 'gave up'
    await sleep(pause)
  }
}

async function linger(task: () => Promise<unknown>): Promise<void> {
  const giveUp = performance.now() + DAY
  while (performance.now() < giveUp) {
    await sleep(NOW_AND_THEN, 'unattended')
    if ((await attempt(task)) !== 'failed') return
  }
}

async function attempt(task: () => Promise<unknown>): Promise<'done' | 'refused' | 'failed'> {
  try {
    await task()
    return 'done'
  } catch (error) {
    return isPassing(error) ? 'failed' : 'refused'
  }
}

/** `unattended`: not worth keeping a process alive for. */
export function sleep(ms: number, how?: 'unattended'): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms)
    if (how) (timer as { unref?: () => void }).unref?.()
  })
}
