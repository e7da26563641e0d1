import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'

export interface Changes {
  /** There is a subscriber or waiter, so changes by other processes must be looked for. */
  readonly isWatched: boolean
  /** A caller waits for an approval: the process must not end meanwhile. */
  readonly isWaitedFor: boolean
  isWaitedForBy(id: string): boolean
  waitFor(id: string, revision: number, signal?: AbortSignal): Promise<Approval>
  waitedFor(): string[]
  subscribe(changed: Changed): () => void
  onAmended(amended: () => void): () => void
  /** `ids`: what else is known to have changed, and was not read. */
  announce(changed: readonly Approval[], ids?: readonly string[]): void
  announceAmended(): void
  /** Its row cannot be read: callers that wait for it are told why there will be no answer. */
  fail(id: string, reason: unknown): void
  /** The database is another one now: what is waited for here never comes. */
  lose(reason: unknown): void
  close(): void
}

/** What changed, where that is known before the feed tells of it. */
export type Changed = (ids: readonly string[]) => void

/**
 * Subscribers and waiters in this process. `watch` is called whenever one joins, `unwatch` when
 * there will be none any more.
 */
export function createChanges(
  get: (id: string) => Promise<Approval | undefined>,
  watch: () => void,
  unwatch: () => void = () => {},
): Changes {
  const waiters = createWaiters<Approval>()
  const listeners = new Set<Changed>()
  const onAmended = new Set<Changed>()
  let lost: { readonly reason: unknown } | undefined

  function look(id: string): void {
    get(id).then(
      (approval) => {
        if (approval) waiters.wake(approval)
        else
          waiters.fail(id, new CountersignError('approval_not_found', `there is no approval ${id}`))
      },
      (error: unknown) => waiters.fail(id, error),
    )
  }

  function join(all: Set<Changed>, changed: Changed): () => void {
    const listener = (ids: readonly string[]) => changed(ids)
    all.add(listener)
    watch()
    return () => all.delete(listener)
  }

  function tell(all: ReadonlySet<Changed>, ids: readonly string[] = []): void {
    for (const listener of all) {
      try {
        listener(ids)
      } catch (error) {
        // The change is committed: a listener's mistake is its own, and not the writer's.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  return {
    get isWatched() {
      return waiters.size > 0 || listeners.size > 0 || onAmended.size > 0
    },
    get isWaitedFor() {
      return waiters.size > 0
    },
    isWaitedForBy: (id) => waiters.has(id),
    waitFor(id, revision, signal) {
      // Parked first and looked up second: a change in between wakes it either way.
      const parked = waiters.park(id, revision, signal)
      try {
        if (lost) throw lost.reason
        watch()
        look(id)
      } catch (error) {
        // Told through the promise: one that is parked and never returned would reject unheard.
        waiters.fail(id, error)
      }
      return parked
    },
    waitedFor: () => [...waiters.ids()],
    subscribe: (changed) => join(listeners, changed),
    onAmended: (amended) => join(onAmended, amended),
    announce(changed, ids) {
      for (const approval of changed) waiters.wake(approval)
      tell(listeners, ids)
    },
    announceAmended() {
      tell(onAmended)
      tell(listeners)
    },
    fail: waiters.fail,
    lose(reason) {
      lost = { reason }
      for (const id of [...waiters.ids()]) waiters.fail(id, reason)
    },
    close() {
      unwatch()
      listeners.clear()
      onAmended.clear()
      waiters.close()
    },
  }
}

/** What a waiter needs to know of an approval: enough to see that it changed. */
interface Versioned {
  readonly id: string
  readonly revision: number
}

interface Waiter<T> {
  readonly revision: number
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
  readonly signal: AbortSignal | undefined
  onAbort: (() => void) | undefined
  next: Waiter<T> | undefined
}

export interface Waiters<T extends Versioned> {
  readonly size: number
  /** Resolves with the first value of `id` whose revision is newer than `revision`. */
  park(id: string, revision: number, signal?: AbortSignal): Promise<T>
  wake(value: T): void
  /** Everyone who waits for `id` is told why there will be no answer. */
  fail(id: string, reason: unknown): void
  has(id: string): boolean
  ids(): IterableIterator<string>
  close(): void
}

/**
 * Callers parked in this process. A hundred thousand of them must stay cheap, so those of one
 * approval form a linked list and none owns a timer.
 */
export function createWaiters<T extends Versioned>(): Waiters<T> {
  const parked = new Map<string, Waiter<T>>()
  let size = 0

  function release(waiter: Waiter<T>): void {
    size -= 1
    if (waiter.onAbort) waiter.signal?.removeEventListener('abort', waiter.onAbort)
  }

  /** Takes out of the list of `id` all waiters that `done` picks. */
  function take(id: string, done: (waiter: Waiter<T>) => boolean): Waiter<T>[] {
    const taken: Waiter<T>[] = []
    let kept: Waiter<T> | undefined
    let waiter = parked.get(id)
    while (waiter) {
      const following: Waiter<T> | undefined = waiter.next
      if (done(waiter)) {
        release(waiter)
        taken.push(waiter)
      } else {
        waiter.next = kept
        kept = waiter
      }
      waiter = following
    }
    if (kept) parked.set(id, kept)
    else parked.delete(id)
    return taken
  }

  return {
    get size() {
      return size
    },
    park(id, revision, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const next = parked.get(id)
        const waiter: Waiter<T> = { revision, resolve, reject, signal, onAbort: undefined, next }
        parked.set(id, waiter)
        size += 1
        if (signal === undefined) return
        waiter.onAbort = () => {
          take(id, (other) => other === waiter)
          reject(signal.reason)
        }
        signal.addEventListener('abort', waiter.onAbort, { once: true })
      })
    },
    wake(value) {
      if (!parked.has(value.id)) return
      for (const waiter of take(value.id, ({ revision }) => value.revision > revision)) {
        waiter.resolve(value)
      }
    },
    fail(id, reason) {
      for (const waiter of take(id, () => true)) waiter.reject(reason)
    },
    has: (id) => parked.has(id),
    ids: () => parked.keys(),
    close() {
      const closed = new CountersignError('store_closed', 'the store was closed while waiting')
      for (const id of [...parked.keys()]) {
        for (const waiter of take(id, () => true)) waiter.reject(closed)
      }
    },
  }
}
