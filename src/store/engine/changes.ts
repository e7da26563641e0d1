import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { createWaiters } from './waiters.ts'

export interface Changes {
  /** There is a subscriber or waiter, so changes by other processes must be looked for. */
  readonly isWatched: boolean
  /** A caller waits for an approval: the process must not end meanwhile. */
  readonly isWaitedFor: boolean
  isWaitedForBy(id: string): boolean
  waitFor(id: string, revision: number, signal?: AbortSignal): Promise<Approval>
  waitedFor(): string[]
  subscribe(changed: () => void): () => void
  onAmended(amended: () => void): () => void
  announce(changed: readonly Approval[]): void
  announceAmended(): void
  close(): void
}

/** Subscribers and waiters in this process. `watch` is called whenever one joins. */
export function createChanges(
  get: (id: string) => Promise<Approval | undefined>,
  watch: () => void,
): Changes {
  const waiters = createWaiters<Approval>()
  const listeners = new Set<() => void>()
  const onAmended = new Set<() => void>()

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

  function join(all: Set<() => void>, changed: () => void): () => void {
    const listener = () => changed()
    all.add(listener)
    watch()
    return () => all.delete(listener)
  }

  function tell(all: ReadonlySet<() => void>): void {
    for (const listener of all) {
      try {
        listener()
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
      watch()
      look(id)
      return parked
    },
    waitedFor: () => [...waiters.ids()],
    subscribe: (changed) => join(listeners, changed),
    onAmended: (amended) => join(onAmended, amended),
    announce(changed) {
      for (const approval of changed) waiters.wake(approval)
      tell(listeners)
    },
    announceAmended() {
      tell(onAmended)
      tell(listeners)
    },
    close() {
      listeners.clear()
      onAmended.clear()
      waiters.close()
    },
  }
}
