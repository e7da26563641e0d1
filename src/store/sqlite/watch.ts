import type { Approval } from '../../approval/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import { type Changes, createChanges } from '../engine/changes.ts'
import type { StoreReads } from '../store.ts'
import { dataVersion, integer, text } from './connection.ts'
import type { Statements } from './statements.ts'
import { readApproval } from './write.ts'

const POLL_MS = 20

/**
 * Subscribers and waiters of this process, told of the commits of others as well. SQLite announces
 * none. But `data_version` changes with every commit of another connection and costs next to nothing
 * to read: it is read while there is a subscriber or a waiter.
 */
export function watchFile(
  sql: Statements,
  { tenant, get }: { readonly tenant: string; readonly get: StoreReads['get'] },
): Changes {
  const changes = createChanges(get, start, stop)
  let timer: NodeJS.Timeout | undefined
  let version = 0
  let position = 0
  /** Seen to have changed, and told to no waiter yet: a read that fails must not lose them. */
  const untold = new Set<string>()
  let isAmended = false

  function collect(): void {
    for (;;) {
      const rows = sql.changedSince.all(position)
      for (const row of rows) {
        position = integer(row, 'position')
        if (typeof row.approval === 'string') untold.add(row.approval)
        else if (!/^(chain|grant)\./.test(text(row, 'type'))) isAmended = true
      }
      if (rows.length < 1000) return
    }
  }

  /** Those that waiters wait for. One that cannot be read holds up none of the others. */
  function readUntold(): Approval[] {
    const found: Approval[] = []
    for (const id of untold) {
      try {
        const row = changes.isWaitedForBy(id) ? sql.approval.get(tenant, id) : undefined
        if (row) found.push(readApproval(row))
        untold.delete(id)
      } catch (error) {
        // Else it is read again in the next turn.
        if (isCountersignError(error, 'store_damaged') && untold.delete(id)) changes.fail(id, error)
      }
    }
    return found
  }

  function look(): void {
    if (!changes.isWatched) {
      stop()
      return
    }
    holdOn()
    try {
      const now = dataVersion(sql)
      if (now === version && untold.size === 0) return
      if (now !== version) collect()
      version = now
      if (isAmended) changes.announceAmended()
      isAmended = false
      changes.announce(readUntold())
    } catch {
      // A file that is busy or gone for a moment is looked at again in the next turn.
    }
  }

  /** A waiter keeps the process alive; a subscriber does not. */
  function holdOn(): void {
    if (changes.isWaitedFor) timer?.ref()
    else timer?.unref()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
    untold.clear()
    isAmended = false
  }

  function start(): void {
    if (timer === undefined) {
      version = dataVersion(sql)
      position = integer(sql.lastPosition.get() ?? {}, 'position')
      timer = setInterval(look, POLL_MS)
    }
    holdOn()
  }

  return changes
}
