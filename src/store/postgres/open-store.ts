import { randomUUID } from 'node:crypto'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { createSession } from '../audit/chain.ts'
import { headFile } from '../audit/head.ts'
import { createChanges } from '../engine/changes.ts'
import { createCursors } from '../engine/cursor.ts'
import { eraseGrants } from '../engine/erase-grants.ts'
import { createFlusher, settle } from '../engine/flusher.ts'
import { clearLowered, endLiveApprovals, endLiveGrants } from '../engine/quarantine.ts'
import { createStatistics } from '../statistics/roll-up.ts'
import { HEARTBEAT_MS, type Store, type StoreProbe } from '../store.ts'
import { assertMigrated, migrate } from './admin/migrate.ts'
import { watchSchema } from './admin/watch-schema.ts'
import { createCommitter } from './commit.ts'
import {
  type Driver,
  firstOf,
  isLost,
  loadDriver,
  numberOf,
  type Row,
  textOf,
  unavailable,
} from './connect.ts'
import { createEraser } from './erase.ts'
import { createGrants } from './grants.ts'
import { listen } from './listen.ts'
import { createObservations } from './observations.ts'
import { CLOCK, examine, identify, quarantineNow, registerFolder, transaction } from './open.ts'
import { createOutbox } from './outbox.ts'
import { createReads, readingFrom } from './read.ts'
import { createRecentWrites } from './recent.ts'
import { createRecords } from './records.ts'
import { createSearch } from './search.ts'
import { ServerClock } from './server-clock.ts'
import { createCounterTable } from './statistics.ts'
import { createVault } from './vault.ts'
import { createVouch } from './vouch.ts'

export interface PostgresOptions {
  readonly tenant?: string
  /** A file outside of the database that says how far it had come: finds restored backups. */
  readonly head?: string
  /** An address past a pooler, for LISTEN. */
  readonly direct?: string
  /** `false`: the schema is left as it is, and one that is too old is refused. */
  readonly migrate?: boolean
  /** How long to try while the server cannot be reached, in milliseconds. Ten seconds unless set. */
  readonly patience?: number
  /** For tests of crashes. */
  readonly probe?: StoreProbe
}

/** Approvals in Postgres, for any number of servers and no other coordinator. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const driver = await loadDriver(url, options.direct)
  try {
    return await openStore(driver, options)
  } catch (error) {
    await driver.pool.end()
    throw isCountersignError(error) || !isLost(error) ? error : unavailable(error)
  }
}

async function openStore(driver: Driver, options: PostgresOptions): Promise<Store> {
  const { tenant = 'default', patience = 10_000 } = options
  const { pool } = driver
  const head = options.head === undefined ? undefined : headFile(options.head)
  const { warnings, isLazy, isPooled } = await examine(pool, driver.hasDirect)
  if (options.migrate === false) await assertMigrated(pool)
  else await migrate(pool)
  const identified = await identify(pool, tenant, head)
  const { database, quarantine, place, timeline, flushed, restoredUntil } = identified
  const session = createSession(tenant, randomUUID())
  const vouch = createVouch({
    session,
    database,
    place,
    timeline,
    flushed,
    quarantine: (reason) => quarantineNow(driver, { tenant, database, reason }),
  })
  driver.verifyWith(vouch.assertSameOn)
  await vouch.assertSameOn(pool)
  session.sawEvent(await newestEvent())

  let isClosed = false
  let closing: Promise<void> | undefined
  let heartbeat: NodeJS.Timeout | undefined
  const query = readingFrom(pool)
  const search = createSearch({ pool, query, tenant })
  const clock = new ServerClock()
  const cursors = createCursors(database, tenant)
  const reads = createReads(query, { tenant, cursors, clock, search, restoredUntil })
  const changes = createChanges(
    async (id) => recent.unchanged(id)?.approval ?? reads.get(id),
    () => listening.start(),
  )
  const { lost } = vouch
  if (lost.aborted) changes.lose(lost.reason)
  else lost.addEventListener('abort', () => changes.lose(lost.reason), { once: true })
  const recent = createRecentWrites()
  const { instance } = session
  const listening = listen({ driver, changes, recent, tenant, instance, isPooled, place })
  const watch = watchSchema(pool, vouch.refuse)
  const {
    commit,
    follow,
    amend,
    close: closeCommitter,
  } = createCommitter({
    driver,
    session,
    clock,
    isLazy,
    isPooled,
    vouch,
    recent,
    patienceMs: patience,
    warning: quarantine && !quarantine.isDone ? quarantine.reason : undefined,
    stopped: () => isClosed,
    probe: options.probe,
    committed(plan, at) {
      if (plan.entries.length > 0) {
        head?.note(database, plan.tip, plan.now)
        heartbeat ??= startHeartbeat()
      }
      settle(plan)
      if (plan.writes.length === 0 && plan.grants.length === 0) return
      const written = plan.writes.map(({ after }) => after)
      recent.wrote(plan, listening.hearsSince(at) ? at : undefined)
      changes.announce(
        written,
        written.map(({ id }) => id),
      )
    },
  })
  const flusher = createFlusher(commit, follow)

  function startHeartbeat(): NodeJS.Timeout {
    if (head) {
      head
        .flush()
        .then(() => registerFolder(pool, database, head.nameFolder()))
        .catch(() => {})
    }
    return setInterval(() => {
      newestEvent().then(session.sawEvent, () => {})
      flusher.between(() => commit([], false)).catch(() => {})
    }, HEARTBEAT_MS).unref()
  }

  async function newestEvent(): Promise<number> {
    const found = await pool.query<Row>(
      `select greatest(
         (select coalesce(max(newest_at), 0) from countersign.instances),
         coalesce((select at from countersign.events order by position desc limit 1), 0)
       ) as at`,
    )
    return numberOf(firstOf(found), 'at')
  }

  async function assertWritable(): Promise<void> {
    try {
      await transaction(pool, async (client) => {
        if (isLazy) await client.query('set local synchronous_commit to on')
        await vouch.assertSameOn(client)
        await watch.look(client)
        await client.query(`update countersign.identity set written_at = ${CLOCK}`)
      })
    } catch (error) {
      throw isCountersignError(error) ? error : unavailable(error)
    }
  }

  const eraser = createEraser({ pool, tenant, now: reads.now })

  async function erase(before: number, signal?: AbortSignal): Promise<number> {
    const total = await eraser.old(before, signal)
    if (signal?.aborted) return total
    const ended = async (after: string) => {
      const { rows } = await pool.query<Row>(ERASABLE_GRANTS, [tenant, before, after])
      return rows.map((row) => textOf(row, 'id'))
    }
    return total + (await eraseGrants(flusher, ended))
  }

  const statistics = createStatistics(createCounterTable({ pool, query, tenant }), reads)
  const records = createRecords({ pool, tenant, isLazy })
  if (quarantine && !quarantine.isDone) {
    await endLiveApprovals(flusher, async (after) => {
      const { rows } = await pool.query<Row>(LIVE, [tenant, after])
      return rows.map((row) => textOf(row, 'id'))
    })
    await endLiveGrants(flusher, async (after) => {
      const { rows } = await pool.query<Row>(LIVE_GRANTS, [tenant, after])
      return rows.map((row) => textOf(row, 'id'))
    })
    await clearLowered(records, (amendment) => flusher.between(() => amend(amendment)))
    await pool.query(
      'update countersign.quarantines set done_at = $1 where tenant = $2 and done_at is null',
      [await reads.now(), tenant],
    )
  }

  return {
    name: 'postgres',
    tenant,
    instance: session.instance,
    quarantine: quarantine && { reason: quarantine.reason, at: quarantine.at },
    lost,
    warnings,
    vault: createVault({ driver, tenant, database, isLazy }),
    records,
    grants: createGrants({ tenant, query, now: reads.now, apply: flusher.submitGrant }),
    outbox: createOutbox({ pool, tenant }),
    observations: createObservations({ pool, tenant, isLazy }),
    ...reads,
    apply: flusher.submit,
    ask: flusher.submitFirst,
    async amend(amendment) {
      if (isClosed) throw new CountersignError('store_closed', 'the store is closed')
      const isDone = await flusher.between(() => amend(amendment))
      if (isDone) changes.announceAmended()
      return isDone
    },
    recent: recent.unchanged,
    waitFor: changes.waitFor,
    subscribe: changes.subscribe,
    onAmended: changes.onAmended,
    erase,
    eraseThose: eraser.those,
    connections: () => {
      const { totalCount, idleCount, waitingCount } = pool
      return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
    },
    statistics,
    index: async () => (await search.step()) || statistics.step(),
    assertWritable,
    close: () => {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    clearInterval(heartbeat)
    watch.stop()
    await flusher.close()
    isClosed = true
    if (!session.isNew) {
      await pool
        .query('update countersign.instances set stopped_at = $1, newest_at = $1 where id = $2', [
          session.newest,
          instance,
        ])
        .catch(() => {})
    }
    changes.close()
    await Promise.all([closeCommitter(), listening.close()])
    try {
      await head?.flush()
    } finally {
      await pool.end()
    }
  }
}

const LIVE = `
  select id from countersign.approvals a
  where tenant = $1 and execution is null and id > $2 and (status = 'approved' or (
    status = 'pending' and exists (
      select 1 from countersign.votes v where v.tenant = a.tenant and v.approval = a.id)))
  order by id limit 64`

const ERASABLE_GRANTS = `
  select id from countersign.grants
  where tenant = $1 and state <> 'live' and ends_at < $2
    and body::jsonb -> 'erased' is null and id > $3 order by id limit 64`

const LIVE_GRANTS = `
  select id from countersign.grants
  where tenant = $1 and state = 'live' and id > $2 order by id limit 64`
