import { CountersignError } from '../../base/errors.ts'

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
