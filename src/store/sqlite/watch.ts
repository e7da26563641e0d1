import type { Approval } from '../../approval/approval.ts'
import type { Changes } from '../engine/changes.ts'
import { dataVersion, integer, text } from './connection.ts'
import type { Statements } from './statements.ts'

const POLL_MS = 20

export interface Watch {
  /** Begins to look for commits of other processes, until no subscriber or waiter is left. */
  start(): void
  stop(): void
}

/**
 * SQLite announces no commits. But `data_version` changes with every commit of another
 * connection and costs next to nothing to read.
 */
export function watchFile(
  sql: Statements,
  changes: Changes,
  read: (id: string) => Approval | undefined,
): Watch {
  let timer: NodeJS.Timeout | undefined
  let version = 0
  let position = 0

  function changedSince(): { readonly ids: Set<string>; readonly isAmended: boolean } {
    const ids = new Set<string>()
    let isAmended = false
    for (;;) {
      const rows = sql.changedSince.all(position)
      for (const row of rows) {
        position = integer(row, 'position')
        if (typeof row.approval === 'string') ids.add(row.approval)
        else if (!/^(chain|grant)\./.test(text(row, 'type'))) isAmended = true
      }
      if (rows.length < 1000) return { ids, isAmended }
    }
  }

  function look(): void {
    if (!changes.isWatched) {
      stop()
      return
    }
    holdOn()
    try {
      const now = dataVersion(sql)
      if (now === version) return
      const { ids, isAmended } = changedSince()
      version = now
      if (isAmended) changes.announceAmended()
      const wanted = [...ids].filter((id) => changes.isWaitedForBy(id))
      changes.announce(wanted.map(read).filter((approval) => approval !== undefined))
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
  }

  return {
    start() {
      if (timer === undefined) {
        version = dataVersion(sql)
        position = integer(sql.lastPosition.get() ?? {}, 'position')
        timer = setInterval(look, POLL_MS)
      }
      holdOn()
    },
    stop,
  }
}
