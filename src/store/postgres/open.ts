import { randomUUID } from 'node:crypto'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { CountersignError } from '../../base/errors.ts'
import type { Head } from '../audit-entry.ts'
import type { HeadFile } from '../head.ts'
import { type DatabaseIdentity, type Identified, judge } from '../quarantine.ts'
import type { Quarantine } from '../store.ts'
import { firstOf, numberOf, type Row, textOf } from './connect.ts'
import { MIGRATIONS } from './migrations.ts'

/** Held while the schema or the identity is looked at, so that two servers that start do it in turn. */
const LOCK = 4_747_001

export const CLOCK = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
export const CLOCK_SQL = `select ${CLOCK} as now`

const OLDEST_SERVER = 130_000

export interface ServerFacts {
  readonly warnings: readonly string[]
  /** The database acknowledges commits before they are durable unless each transaction says no. */
  readonly isLazy: boolean
}

/** Refuses a server that would make a commit less than durable, and notes what else is weak. */
export async function examine(pool: Pool): Promise<ServerFacts> {
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
  ]
  return {
    warnings: warnings.filter((warning) => warning !== false),
    isLazy: facts.commit === 'off' || facts.commit === 'local',
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

export async function migrate(pool: Pool): Promise<void> {
  if ((await schemaVersion(pool)) === MIGRATIONS.length) return
  await transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    // Created before it is asked for: what this connection remembers of the catalogue may be stale.
    await client.query(`
      create schema if not exists countersign;
      create table if not exists countersign.migrations (
        version integer primary key,
        name text not null,
        at timestamptz not null default now()
      )`)
    const version = await recordedVersion(client)
    for (const [index, { name, sql }] of MIGRATIONS.entries()) {
      if (index < version) continue
      await client.query(sql)
      await client.query('insert into countersign.migrations (version, name) values ($1, $2)', [
        index + 1,
        name,
      ])
    }
  })
}

async function schemaVersion(client: Pick<ClientBase, 'query'>): Promise<number> {
  const known = await client.query<Row>(
    "select to_regclass('countersign.migrations')::text as name",
  )
  return firstOf(known).name === null ? 0 : recordedVersion(client)
}

async function recordedVersion(client: Pick<ClientBase, 'query'>): Promise<number> {
  const found = await client.query<Row>(
    'select coalesce(max(version), 0)::bigint as version from countersign.migrations',
  )
  const version = numberOf(firstOf(found), 'version')
  if (version <= MIGRATIONS.length) return version
  throw new CountersignError(
    'store_newer',
    `the database was written by a newer Countersign (schema ${version}, this one knows ${MIGRATIONS.length})`,
    { hint: 'Update Countersign; a database never goes back to an older schema.' },
  )
}

/** Finds out whether the database is what it was when it was last open, and marks it if not. */
export function identify(pool: Pool, tenant: string, head?: HeadFile): Promise<Identified> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const now = numberOf(firstOf(await client.query<Row>(CLOCK_SQL)), 'now')
    const place = await placeOf(client)
    const known = (await readIdentity(client)) ?? (await create(client, place, now))
    const heads = head ? head.read(known.database) : null
    const reason = judge(known, {
      isSamePlace: known.place === place,
      heads,
      hasLostEvents: Array.isArray(heads) && (await hasLost(client, heads)),
    })
    if (reason === undefined) {
      return { database: known.database, quarantine: await readQuarantine(client, tenant) }
    }
    const database = randomUUID()
    await client.query(
      `insert into countersign.quarantines (tenant, at, reason)
       select tenant, $1::bigint, $2 from countersign.approvals
       union select tenant, $1::bigint, $2 from countersign.grants
       union select $3, $1::bigint, $2
       on conflict do nothing`,
      [now, reason, tenant],
    )
    await client.query(
      'update countersign.identity set database = $1, place = $2, has_head = false',
      [database, place],
    )
    return { database, quarantine: { reason, at: now, isDone: false } }
  })
}

/** The cluster and the database in it. A dump restored elsewhere has another; so has a new one here. */
async function placeOf(client: PoolClient): Promise<string> {
  const found = await client.query<Row>(
    `select system_identifier::text as cluster,
       (select oid::text from pg_database where datname = current_database()) as database
     from pg_control_system()`,
  )
  const row = firstOf(found)
  return `cluster:${textOf(row, 'cluster')}/${textOf(row, 'database')}`
}

async function readIdentity(client: PoolClient): Promise<DatabaseIdentity | undefined> {
  const { rows } = await client.query<Row>(
    'select database, place, has_head::text as has_head from countersign.identity',
  )
  const [row] = rows
  return (
    row && {
      database: textOf(row, 'database'),
      place: textOf(row, 'place'),
      hasHead: row.has_head === 'true',
    }
  )
}

async function create(client: PoolClient, place: string, now: number): Promise<DatabaseIdentity> {
  const database = randomUUID()
  await client.query(
    'insert into countersign.identity (one_row, database, place, created_at) values (true, $1, $2, $3)',
    [database, place, now],
  )
  return { database, place, hasHead: false }
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
