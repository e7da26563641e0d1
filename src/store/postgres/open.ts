import { randomUUID } from 'node:crypto'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { CountersignError } from '../../base/errors.ts'
import type { Head } from '../audit/audit-entry.ts'
import type { HeadFile } from '../audit/head.ts'
import { type DatabaseIdentity, type Identified, judge } from '../engine/quarantine.ts'
import type { Quarantine } from '../store.ts'
import { type Driver, firstOf, isPooled, numberOf, type Row, textOf } from './connect.ts'
import { FLUSHED, PLACE, TIMELINE } from './vouch.ts'

/** Held while the schema or the identity is looked at, so that two servers that start do it in turn. */
export const LOCK = 4_747_001

export const CLOCK = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
export const CLOCK_SQL = `select ${CLOCK} as now`

const OLDEST_SERVER = 130_000

export interface ServerFacts {
  /** A pooler stands between: no state of a session can be relied on. */
  readonly isPooled: boolean
  readonly warnings: readonly string[]
  /** The database acknowledges commits before they are durable unless each transaction says no. */
  readonly isLazy: boolean
}

/** Refuses a server that would make a commit less than durable, and notes what else is weak. */
export async function examine(pool: Pool, hasDirect = false): Promise<ServerFacts> {
  const behindPooler = await onOne(pool, isPooled)
  const facts = firstOf(
    await pool.query<Row>(
      `select pg_is_in_recovery()::text as standby,
         current_setting('server_version_num')::bigint as version,
         current_setting('server_encoding') as encoding,
         current_setting('fsync') as fsync,
         current_setting('full_page_writes') as full_pages,
         current_setting('synchronous_commit') as commit,
         current_setting('synchronous_standby_names') as standbys,
         (select count(*) from pg_stat_replication) as replicas`,
    ),
  )
  if (textOf(facts, 'standby') === 'true') {
    throw unsafe('this server is a standby', 'Connect to the primary.')
  }
  if (numberOf(facts, 'version') < OLDEST_SERVER) {
    throw unsafe('this Postgres is older than version 13', 'Update the server.')
  }
  if (textOf(facts, 'encoding') !== 'UTF8') {
    throw unsafe('the database is not encoded in UTF-8', "Create it with encoding 'UTF8'.")
  }
  const warnings = [
    facts.fsync === 'off' && 'fsync is off: a crash of the machine can lose decisions',
    facts.full_pages === 'off' && 'full_page_writes is off: a crash can damage the database',
    facts.standbys === '' &&
      numberOf(facts, 'replicas') > 0 &&
      'replication is asynchronous: a failover can lose decisions',
    behindPooler &&
      !hasDirect &&
      'a pooler stands before the database, so LISTEN is not used: servers hear of what others did by looking, within a second. Set COUNTERSIGN_DB_DIRECT to an address past the pooler',
  ]
  return {
    isPooled: behindPooler,
    warnings: warnings.filter((warning) => warning !== false),
    isLazy: facts.commit === 'off' || facts.commit === 'local',
  }
}

async function onOne<T>(pool: Pool, ask: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await ask(client)
  } finally {
    client.release()
  }
}

function unsafe(message: string, hint: string): CountersignError {
  return new CountersignError('store_unsafe', message, { hint })
}

/** One transaction on a connection of the pool. */
export async function transaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    broken = false
    return result
  } catch (error) {
    broken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    // A connection in an unknown state is not given to the next one.
    client.release(broken)
  }
}

export interface IdentifiedServer extends Identified {
  readonly place: string
  readonly timeline: string
  /** How much of its log was on disk. */
  readonly flushed: number
  /** Events up to this position bear transaction numbers of another cluster; 0: none do. */
  readonly restoredUntil: number
}

/**
 * Finds out whether the database is what it was when it was last open, and marks it if not. Any
 * number of folders keep heads of it: one that the database does not know says nothing about it.
 */
export function identify(pool: Pool, tenant: string, head?: HeadFile): Promise<IdentifiedServer> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const now = numberOf(firstOf(await client.query<Row>(CLOCK_SQL)), 'now')
    const here = await placeOf(client)
    const { place, timeline, flushed } = here
    const restoredUntil = await noteForeign(client)
    const known = (await readIdentity(client)) ?? (await create(client, here, now))
    const heads = head ? head.read(known.database) : null
    const reason = judge({
      isSamePlace: known.place === place,
      isPromoted: known.timeline !== undefined && known.timeline !== timeline,
      heads,
      hadHead: await isKnownFolder(client, head?.folder()),
      hasLostEvents: Array.isArray(heads) && (await hasLost(client, heads)),
    })
    if (reason !== undefined) {
      const database = await mark(client, { tenant, reason, now, here })
      const begun = { reason, at: now, isDone: false }
      return { database, place, timeline, flushed, restoredUntil, quarantine: begun }
    }
    if (known.timeline === undefined) {
      await client.query('update countersign.identity set timeline = $1', [timeline])
    }
    const quarantine = await readQuarantine(client, tenant)
    return { database: known.database, place, timeline, flushed, restoredUntil, quarantine }
  })
}

/**
 * Remembers how far events go whose transactions this cluster has not begun: it never wrote them.
 * Seen once, after a restore; later this cluster gives out the same numbers itself.
 */
async function noteForeign(client: ClientBase): Promise<number> {
  const found = await client.query<Row>(
    `select coalesce((select restored_until from countersign.identity), 0) as known,
       coalesce(max(newest), 0) as foreign_until
     from (select distinct tenant from countersign.instances) t
     cross join lateral (select max(position) as newest from countersign.events e
       where e.tenant = t.tenant and e.xid >= pg_snapshot_xmax(pg_current_snapshot())) as foreign_ones`,
  )
  const row = firstOf(found)
  const [known, until] = [numberOf(row, 'known'), numberOf(row, 'foreign_until')]
  if (until <= known) return known
  await client.query('update countersign.identity set restored_until = $1', [until])
  return until
}

/** The same for a process that has it open, unless another process was faster. */
export async function quarantineNow(
  driver: Driver,
  { tenant, database, reason }: Pick<Marking, 'tenant' | 'reason'> & { readonly database: string },
): Promise<void> {
  const client = await driver.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const known = await readIdentity(client)
    if (known?.database === database) {
      const now = numberOf(firstOf(await client.query<Row>(CLOCK_SQL)), 'now')
      await mark(client, { tenant, reason, now, here: await placeOf(client) })
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

interface Marking {
  readonly tenant: string
  readonly reason: Quarantine['reason']
  readonly now: number
  readonly here: Here
}

/** Every tenant of it, and under a name that no head file knows. */
async function mark(
  client: ClientBase,
  { tenant, reason, now, here: { place, timeline } }: Marking,
): Promise<string> {
  const database = randomUUID()
  await client.query(
    `insert into countersign.quarantines (tenant, at, reason)
     select tenant, $1::bigint, $2 from countersign.approvals
     union select tenant, $1::bigint, $2 from countersign.grants
     union select $3, $1::bigint, $2
     on conflict do nothing`,
    [now, reason, tenant],
  )
  await client.query('delete from countersign.folders')
  // It goes by numbers of transactions, which another cluster may give out again.
  await client.query('delete from countersign.search_tenants')
  await client.query('update countersign.identity set database = $1, place = $2, timeline = $3', [
    database,
    place,
    timeline,
  ])
  return database
}

interface Here {
  readonly place: string
  readonly timeline: string
  readonly flushed: number
}

async function placeOf(client: ClientBase): Promise<Here> {
  const found = await client.query<Row>(
    `select ${PLACE} as place, ${TIMELINE} as timeline, ${FLUSHED} as flushed`,
  )
  const row = firstOf(found)
  return {
    place: textOf(row, 'place'),
    timeline: textOf(row, 'timeline'),
    flushed: numberOf(row, 'flushed'),
  }
}

interface ServerIdentity extends DatabaseIdentity {
  readonly timeline: string | undefined
}

async function readIdentity(client: ClientBase): Promise<ServerIdentity | undefined> {
  const { rows } = await client.query<Row>(
    'select database, place, timeline from countersign.identity',
  )
  const [row] = rows
  return (
    row && {
      database: textOf(row, 'database'),
      place: textOf(row, 'place'),
      timeline: row.timeline === null ? undefined : textOf(row, 'timeline'),
    }
  )
}

async function create(
  client: PoolClient,
  { place, timeline }: Here,
  now: number,
): Promise<ServerIdentity> {
  const database = randomUUID()
  await client.query(
    `insert into countersign.identity (one_row, database, place, timeline, created_at)
     values (true, $1, $2, $3, $4)`,
    [database, place, timeline, now],
  )
  return { database, place, timeline }
}

async function isKnownFolder(client: PoolClient, folder: string | undefined): Promise<boolean> {
  if (folder === undefined) return false
  const { rows } = await client.query('select 1 from countersign.folders where id = $1', [folder])
  return rows.length > 0
}

/** Once its heads are in its file: from then on it must not come without them. */
export async function registerFolder(pool: Pool, database: string, folder: string): Promise<void> {
  await pool.query(
    `insert into countersign.folders (id, at)
     select $1, ${CLOCK} from countersign.identity where database = $2
     on conflict do nothing`,
    [folder, database],
  )
}

async function hasLost(client: PoolClient, heads: readonly Head[]): Promise<boolean> {
  const { rows } = await client.query<Row>(
    `select count(*) as found from countersign.events e
     join json_to_recordset($1) as h(writer text, seq bigint, hash text)
       on e.writer = h.writer and e.seq = h.seq and e.hash = h.hash`,
    [JSON.stringify(heads)],
  )
  return numberOf(rows[0] ?? {}, 'found') < heads.length
}

async function readQuarantine(
  client: PoolClient,
  tenant: string,
): Promise<Identified['quarantine']> {
  const { rows } = await client.query<Row>(
    'select at, reason, done_at from countersign.quarantines where tenant = $1 order by at desc limit 1',
    [tenant],
  )
  const [row] = rows
  if (!row) return undefined
  const reason = textOf(row, 'reason') as Quarantine['reason']
  return { reason, at: numberOf(row, 'at'), isDone: row.done_at !== null }
}
