import type { Client } from 'pg'
import { isCountersignError } from '../../../base/errors.ts'
import {
  firstOf,
  isPooled,
  loadDriver,
  numberOf,
  type Row,
  textOf,
  unavailable,
} from '../connect.ts'
import { CLOCK } from '../open.ts'
import { PLACE } from '../vouch.ts'
import { pendingSince, SCHEMA, schemaVersion } from './migrate.ts'

/** What an operator wants to know of a Postgres before a server runs on it. */
export interface DatabaseFacts {
  readonly server: string
  readonly role: string
  readonly isSuperuser: boolean
  readonly encoding: string
  readonly tls: string | undefined
  readonly schema: { readonly found: number; readonly known: number; readonly pending: string[] }
  /** The role may change the schema, and so take triggers away. */
  readonly ownsSchema: boolean
  readonly canWrite: boolean
  readonly isStandby: boolean
  readonly isReadOnly: boolean
  readonly weak: readonly string[]
  readonly replicas: number
  readonly isSynchronous: boolean
  /** The database's clock less this machine's, in milliseconds. */
  readonly skew: number
  readonly connections: { readonly used: number; readonly most: number }
  readonly isPooled: boolean
  /** Whether LISTEN can work; undefined where no address past the pooler is set. */
  readonly direct: 'same' | 'other' | 'unreachable' | undefined
}

export async function checkDatabase(url: string, direct?: string): Promise<DatabaseFacts> {
  const driver = await loadDriver(url, direct)
  try {
    const client = await driver.connect().catch((error: unknown) => {
      throw unavailable(error)
    })
    try {
      return await factsOf(client, direct === undefined ? undefined : () => beyond(client))
    } finally {
      await client.end()
    }
  } finally {
    await driver.pool.end()
  }

  async function beyond(client: Client): Promise<DatabaseFacts['direct']> {
    try {
      const past = await driver.connect({ isDirect: true })
      try {
        // Before the first migration there is no table to tell by.
        const here = await placeOf(client)
        return here === (await placeOf(past)) ? 'same' : 'other'
      } finally {
        await past.end()
      }
    } catch {
      return 'unreachable'
    }
  }
}

async function placeOf(client: Client): Promise<string> {
  const known = await client.query<Row>("select to_regclass('countersign.identity')::text as name")
  if (firstOf(known).name === null) return ''
  return textOf(firstOf(await client.query<Row>(`select ${PLACE} as place`)), 'place')
}

async function factsOf(
  client: Client,
  direct: (() => Promise<DatabaseFacts['direct']>) | undefined,
): Promise<DatabaseFacts> {
  const before = Date.now()
  const row = firstOf(await client.query<Row>(FACTS))
  const after = Date.now()
  const found = await versionOf(client)
  const is = (column: string) => row[column] === 'true'
  return {
    server: textOf(row, 'server'),
    role: textOf(row, 'role'),
    isSuperuser: is('superuser'),
    encoding: textOf(row, 'encoding'),
    tls: row.tls === null ? undefined : textOf(row, 'tls'),
    schema: { found, known: SCHEMA, pending: found > SCHEMA ? [] : pendingSince(found) },
    ownsSchema: is('owner'),
    canWrite: is('writer'),
    isStandby: is('standby'),
    isReadOnly: is('read_only'),
    weak: ['fsync', 'full_page_writes', 'synchronous_commit'].filter((name) => row[name] === 'off'),
    replicas: numberOf(row, 'replicas'),
    isSynchronous: row.standbys !== '',
    skew: numberOf(row, 'now') - Math.round((before + after) / 2),
    connections: { used: numberOf(row, 'used'), most: numberOf(row, 'most') },
    isPooled: await isPooled(client),
    direct: await direct?.(),
  }
}

/** A newer one is a fact here, and no reason to stop. */
async function versionOf(client: Client): Promise<number> {
  try {
    return await schemaVersion(client)
  } catch (error) {
    if (!isCountersignError(error, 'store_newer')) throw error
    const row = firstOf(
      await client.query<Row>('select max(version)::bigint as version from countersign.migrations'),
    )
    return numberOf(row, 'version')
  }
}

/** Rights on a table that is not there yet are none. */
const FACTS = `
  select current_setting('server_version') as server, current_user as role,
    (select rolsuper from pg_roles where rolname = current_user)::text as superuser,
    current_setting('server_encoding') as encoding,
    (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls,
    coalesce((select pg_has_role(nspowner, 'member') from pg_namespace
      where nspname = 'countersign'), has_database_privilege(current_database(), 'create'))::text as owner,
    coalesce((select has_table_privilege(c.oid, 'insert') from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'countersign' and c.relname = 'events'), true)::text as writer,
    pg_is_in_recovery()::text as standby,
    (current_setting('transaction_read_only') = 'on')::text as read_only,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('synchronous_standby_names') as standbys,
    (select count(*) from pg_stat_replication) as replicas,
    ${CLOCK} as now,
    (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
    least(current_setting('max_connections')::bigint
        - current_setting('superuser_reserved_connections')::bigint,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as most`
