import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { CountersignError } from '../../base/errors.ts'
import { type Circumstances, openingOf, type Session } from '../audit/chain.ts'
import type { HeadFile } from '../audit/head.ts'
import { type AmendPlan, planAmendment } from '../engine/amend.ts'
import type { Amendment } from '../engine/amendment.ts'
import type { Changes } from '../engine/changes.ts'
import { type Commit, settle } from '../engine/flusher.ts'
import { type Entry, type Plan, plan } from '../engine/plan.ts'
import { HEARTBEAT_MS, type StorePoint, type StoreProbe } from '../store.ts'
import { immediately, integer, type Patience, resultCode, retryBusy, text } from './connection.ts'
import type { Recent } from './recent.ts'
import type { RecordsInside } from './records.ts'
import type { Statements } from './statements.ts'
import { loadsOf, readFor, unlinkedHeads, writePlan } from './write.ts'

export interface CommitterParts {
  readonly db: DatabaseSync
  readonly sql: Statements
  readonly path: string
  readonly session: Session
  readonly clock: () => number
  readonly patience: Patience
  /** Why the chain of this process begins with a warning, if it does. */
  readonly warning: string | undefined
  /** What the file called itself when it was opened. */
  readonly database: string
  /** Aborted when the file turns out to be another one. */
  readonly losing: AbortController
  /** Where it is written down how far the database had come, if anywhere. */
  readonly head: HeadFile | undefined
  /** Called once, after the first commit that recorded something. */
  readonly begun: () => void
  readonly changes: Changes
  readonly records: RecordsInside
  readonly recent: Recent
  readonly probe?: StoreProbe | undefined
}

export interface Committer {
  readonly commit: Commit
  /** Waits for no batch: to be called between two. */
  amend(amendment: Amendment): Promise<boolean>
  /** Writes something of no meaning. Waits for no batch either. */
  assertWritable(): Promise<void>
  /** Why another transaction on this connection failed: nothing is decided after a failed sync. */
  failed(error: unknown): void
}

/**
 * One batch, one transaction. Everything between begin and commit is synchronous, so nothing else
 * in this process can come in between; other processes are kept out by the lock.
 */
export function createCommitter(parts: CommitterParts): Committer {
  const { db, sql, path, session, clock, patience, warning, records, probe } = parts
  const { database, losing, recent, head, begun, changes } = parts
  const { ino } = statSync(path)
  let beatAt = 0
  let hasBegun = false
  let broken: CountersignError | undefined
  /** The newest event of any process that this one knows to be committed. */
  let newest = sql.lastEvent.get()

  /** A file replaced under our feet would take our commits and lose them. */
  function assertSameFile(): void {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.ino === ino) return
    const error = replacedError(`${path} was moved or replaced while it was open`)
    // One that was moved away may come back; in the place of another it does not.
    if (found) losing.abort(error)
    throw error
  }

  /** A backup written into the file leaves it where it is, and takes away what was written since. */
  function assertSameHistory(): void {
    const { writer, seq, hash } = session.tip
    const found = sql.history.get()
    // Nearly always: nothing was written since our own last event.
    if (found?.database === database && seq > 0 && found.hash === hash) return
    const isWhole = seq === 0 || sql.headAt.get(writer, seq)?.hash === hash
    const isNewestThere =
      newest === undefined ||
      sql.eventAt.get(integer(newest, 'position'))?.hash === text(newest, 'hash')
    if (isWhole && isNewestThere && found?.database === database) {
      newest = sql.lastEvent.get()
      return
    }
    losing.abort(replacedError(`${path} was restored from a backup while it was open`))
    throw losing.signal.reason
  }

  function reach(point: StorePoint, entries: readonly Entry[]): void {
    probe?.(
      point,
      entries.map(({ command }) => command),
    )
  }

  function writeBatch(entries: readonly Entry[], alone: boolean): Plan {
    reach('locked', entries)
    recent.begin()
    const found = readFor(sql, session.tenant, recent, entries, alone)
    const planned = write(
      (now, around) => {
        const loads = loadsOf(sql, session.tenant, recent, entries, now)
        return plan(entries, { ...found, loads, now }, around)
      },
      () => reach('changed', entries),
    )
    reach('recorded', entries)
    return planned
  }

  function writeAmendment(amendment: Amendment): AmendPlan {
    const found = records.find(amendment.changes)
    const planned = write((now, around) =>
      planAmendment(amendment, { records: found, now }, around),
    )
    records.write(planned.records, planned.now)
    return planned
  }

  function write<P extends Plan>(
    make: (now: number, around: Circumstances) => P,
    changed?: () => void,
  ): P {
    const { tenant, instance, isNew } = session
    assertSameHistory()
    // Read under the lock: a writer may have waited for it past a deadline.
    const now = clock()
    const links = session.shouldLink(now) ? unlinkedHeads(sql, tenant, instance) : []
    const opening = openingOf(session, now, links, isNew ? warning : undefined)
    const planned = make(now, session.around(now, opening))
    if (isNew) sql.register.run(instance, tenant, now, now, now)
    else if (Math.abs(now - beatAt) >= HEARTBEAT_MS) {
      sql.heartbeat.run(now, Math.max(now, session.newest), instance)
      beatAt = now
    }
    writePlan(sql, tenant, planned, changed)
    for (const { writer, seq } of links) sql.linked.run(seq, writer)
    return planned
  }

  function transact<T>(work: () => T): T {
    if (broken) throw broken
    if (losing.signal.aborted) throw losing.signal.reason
    assertSameFile()
    try {
      return immediately(db, work)
    } catch (error) {
      if (resultCode(error) === FULL) throw noRoom(path, error)
      failed(error)
      throw broken ?? error
    }
  }

  /**
   * After a failed sync it is unknown what reached the disk, and a second one would lie: also about
   * commits before it that were not synced, on which all that is written later rests.
   */
  function failed(error: unknown): void {
    if (resultCode(error) === IO_ERROR) broken = unreadable(path, error)
  }

  /** What others hear of a commit. How far it came is noted before a caller is answered. */
  function committed(plan: Plan): void {
    session.committed(plan)
    if (plan.entries.length > 0) {
      head?.note(database, plan.tip, plan.now)
      if (!hasBegun) begun()
      hasBegun = true
    }
    settle(plan)
    if (plan.writes.length > 0 || plan.grants.length > 0) {
      changes.announce(plan.writes.map(({ after }) => after))
    }
  }

  return {
    async commit(entries, alone) {
      const work = () => writeBatch(entries, alone)
      const planned = await retryBusy(() => transact(work), patience)
      reach('committed', entries)
      recent.committed(planned)
      committed(planned)
      return planned.again
    },
    async amend(amendment) {
      const planned = await retryBusy(() => transact(() => writeAmendment(amendment)), patience)
      recent.forgetHeld()
      committed(planned)
      return planned.isDone
    },
    async assertWritable() {
      const work = () => {
        assertSameHistory()
        sql.setWritten.run(clock())
      }
      await retryBusy(() => transact(work), patience)
    },
    failed,
  }
}

function replacedError(message: string): CountersignError {
  return new CountersignError('store_replaced', message, {
    hint: 'Restart, so that the file is examined before anything is decided by it.',
  })
}

const IO_ERROR = 10
const FULL = 13

function noRoom(path: string, cause: unknown): CountersignError {
  return new CountersignError('store_unavailable', `there is no room left for ${path}`, {
    hint: 'Make room on the disk; nothing was lost, and nothing new is taken until then.',
    cause,
  })
}

function unreadable(path: string, cause: unknown): CountersignError {
  return new CountersignError('outcome_unknown', `the disk under ${path} failed while writing`, {
    hint: 'Look after the disk, then restart: what was written is found out by reading it again.',
    cause,
  })
}
