import { randomUUID } from 'node:crypto'
import { CountersignError } from '../../base/errors.ts'
import { createSession } from '../audit/chain.ts'
import { headFile } from '../audit/head.ts'
import { createCursors } from '../engine/cursor.ts'
import { eraseGrants } from '../engine/erase-grants.ts'
import { createFlusher } from '../engine/flusher.ts'
import { clearLowered, endLiveApprovals, endLiveGrants } from '../engine/quarantine.ts'
import { createStatistics } from '../statistics/roll-up.ts'
import { HEARTBEAT_MS, type Store, type StoreProbe } from '../store.ts'
import { createCommitter } from './commit.ts'
import { immediately, immediatelyUnsynced, integer, retryBusy, text } from './connection.ts'
import { createEraser } from './erase.ts'
import { createGrants } from './grants.ts'
import { identify } from './identify.ts'
import { inboxBeside } from './inbox.ts'
import { createObservations } from './observations.ts'
import { type OpenFile, openFile } from './open.ts'
import { createOutbox } from './outbox.ts'
import { createReads } from './read.ts'
import { createRecent } from './recent.ts'
import { createRecords, recordsInside } from './records.ts'
import { createSearch } from './search.ts'
import { prepareAll, type Statements } from './statements.ts'
import { createCounterTable } from './statistics.ts'
import { createVault } from './vault.ts'
import { watchFile } from './watch.ts'

export interface SqliteOptions {
  readonly tenant?: string
  /** A file outside of the database that says how far it had come: finds restored backups. */
  readonly head?: string
  /** How long to try while another process holds the file, in milliseconds. Ten seconds unless set. */
  readonly busyFor?: number
  /** Milliseconds since 1970. The machine's clock unless set. */
  readonly clock?: () => number
  /** For tests of crashes. */
  readonly probe?: StoreProbe
}

/** Approvals in one local file, for any number of processes of one machine. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Store> {
  const file = await openFile(path)
  try {
    return await openStore(file, options)
  } catch (error) {
    file.db.close()
    throw error
  }
}

async function openStore({ db, path, place }: OpenFile, options: SqliteOptions): Promise<Store> {
  const { tenant = 'default', clock = Date.now, busyFor } = options
  const head = options.head === undefined ? undefined : headFile(options.head)
  const sql = prepareAll(db)
  const session = createSession(tenant, randomUUID())
  let isClosed = false
  let closing: Promise<void> | undefined
  const patience = {
    stop: () => isClosed,
    ...(busyFor === undefined ? {} : { forMs: busyFor }),
  }

  const { database, quarantine } = await retryBusy(
    () => identify(db, sql, { tenant, place, now: clock(), ...(head ? { head } : {}) }),
    patience,
  )
  session.sawEvent(newestEvent(sql))

  const recent = createRecent(sql)
  const cursors = createCursors(database, tenant)
  const search = createSearch(db, { tenant, transact })
  const reads = createReads(db, sql, { tenant, clock, cursors, recent, search })
  const changes = watchFile(sql, { tenant, get: reads.get })

  let heartbeat: NodeJS.Timeout | undefined
  const losing = new AbortController()
  losing.signal.addEventListener('abort', () => changes.lose(losing.signal.reason), { once: true })
  const { commit, amend, assertWritable, failed } = createCommitter({
    db,
    database,
    losing,
    recent,
    head,
    changes,
    begun: () => {
      heartbeat = startHeartbeat()
    },
    records: recordsInside(db, { tenant, clock }),
    sql,
    path,
    session,
    clock,
    patience,
    probe: options.probe,
    warning: quarantine && !quarantine.isDone ? quarantine.reason : undefined,
  })
  const flusher = createFlusher(commit)

  function transact<T>(work: () => T): Promise<T> {
    return between(() => immediately(db, work))
  }

  function between<T>(run: () => T): Promise<T> {
    return flusher.between(async () => {
      try {
        return await retryBusy(run, patience)
      } catch (error) {
        failed(error)
        throw error
      } finally {
        recent.forgetHeld()
      }
    })
  }

  function startHeartbeat(): NodeJS.Timeout {
    if (head) {
      head
        .flush()
        .then(() => transact(() => sql.setHasHead.run()))
        .catch(() => {})
    }
    const beat = async () => {
      session.sawEvent(newestEvent(sql))
      await commit([], false)
    }
    // A beat that is missed is made up by the next one.
    return setInterval(() => flusher.between(beat).catch(() => {}), HEARTBEAT_MS).unref()
  }

  const statistics = createStatistics(createCounterTable(db, { tenant, transact }), reads)
  const observations = createObservations(db, { tenant, clock, transact })

  const eraser = createEraser({
    ...{ db, sql, tenant, clock, transact },
    erased: recent.forgetContent,
    isClosed: () => isClosed,
  })

  async function erase(before: number, signal?: AbortSignal): Promise<number> {
    const total = await eraser.old(before, signal)
    if (signal?.aborted) return total
    const ended = (after: string) =>
      sql.grants.erasable.all(tenant, before, after).map((row) => text(row, 'id'))
    return total + (await eraseGrants(flusher, ended))
  }

  const records = createRecords(db, { tenant, clock, transact })
  if (quarantine && !quarantine.isDone) {
    await endLiveApprovals(flusher, (after) =>
      sql.live.all(tenant, after).map((row) => text(row, 'id')),
    )
    await endLiveGrants(flusher, (after) =>
      sql.grants.live.all(tenant, after).map((row) => text(row, 'id')),
    )
    await clearLowered(records, (amendment) => flusher.between(() => amend(amendment)))
    await transact(() => sql.endQuarantines.run(clock(), tenant))
  }

  return {
    name: 'sqlite',
    tenant,
    instance: session.instance,
    quarantine: quarantine && { reason: quarantine.reason, at: quarantine.at },
    lost: losing.signal,
    warnings: [],
    inbox: (id) => inboxBeside(path, tenant, id),
    vault: createVault(db, { tenant, database, path, clock, transact }),
    records,
    grants: createGrants(db, sql.grants, { tenant, clock, apply: flusher.submitGrant }),
    outbox: createOutbox(db, {
      tenant,
      clock,
      transact,
      transactUnsynced: (work) => between(() => immediatelyUnsynced(db, work)),
    }),
    observations,
    ...reads,
    apply: flusher.submit,
    ask: flusher.submitFirst,
    recent: recent.unchanged,
    async amend(amendment) {
      if (isClosed) throw new CountersignError('store_closed', 'the store is closed')
      const isDone = await flusher.between(() => amend(amendment))
      if (isDone) changes.announceAmended()
      return isDone
    },
    waitFor: changes.waitFor,
    subscribe: changes.subscribe,
    onAmended: changes.onAmended,
    erase,
    eraseThose: eraser.those,
    statistics,
    index: async () => (await search.step()) || statistics.step(),
    async assertWritable() {
      await flusher.between(assertWritable)
    },
    now: async () => clock(),
    close: () => {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    clearInterval(heartbeat)
    await flusher.close()
    if (!session.isNew) {
      const stop = () => sql.stop.run(clock(), session.newest, session.instance)
      await retryBusy(() => immediately(db, stop), { forMs: 1_000 }).catch(() => {})
    }
    isClosed = true
    changes.close()
    try {
      await head?.flush()
    } finally {
      db.close()
    }
  }
}

/** As far as is known: what the processes last said, and the last event itself. */
function newestEvent(sql: Statements): number {
  const said = integer(sql.newestOfInstances.get() ?? { at: 0 }, 'at')
  const last = sql.lastEvent.get()
  return Math.max(said, last ? integer(last, 'at') : 0)
}
