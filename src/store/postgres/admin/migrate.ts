import type { ClientBase, Pool } from 'pg'
import { CountersignError } from '../../../base/errors.ts'
import { firstOf, numberOf, type Row } from '../connect.ts'
import { MIGRATIONS } from '../migrations/migrations.ts'
import { LOCK, transaction } from '../open.ts'

type Asker = Pick<ClientBase, 'query'>

/** What this release was built for. */
export const SCHEMA = MIGRATIONS.length

/** The names of the steps that ran; none where the schema was as it should be. */
export async function migrate(pool: Pool): Promise<string[]> {
  if ((await schemaVersion(pool)) === SCHEMA) return []
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    // Created before it is asked for: what this connection remembers of the catalogue may be stale.
    await client.query(`
      create schema if not exists countersign;
      create table if not exists countersign.migrations (
        version integer primary key,
        name text not null,
        at timestamptz not null default now()
      );
      alter table countersign.migrations
        add column if not exists beside_older boolean not null default false`)
    const version = await recordedVersion(client)
    for (const [index, { name, sql, besideOlder = false }] of MIGRATIONS.entries()) {
      if (index < version) continue
      await client.query(sql)
      await client.query(
        'insert into countersign.migrations (version, name, beside_older) values ($1, $2, $3)',
        [index + 1, name, besideOlder],
      )
    }
    return pendingSince(version)
  })
}

/** For servers whose role may not change the schema: a job of its owner does. */
export async function assertMigrated(pool: Pool): Promise<void> {
  const version = await schemaVersion(pool)
  if (version === SCHEMA) return
  throw new CountersignError(
    'store_outdated',
    `the database has schema ${version}, and this Countersign needs ${SCHEMA}`,
    { hint: 'Run `countersign db migrate` as the role that owns the schema.' },
  )
}

export function pendingSince(version: number): string[] {
  return MIGRATIONS.slice(version).map(({ name }) => name)
}

/** 0 where there is none. Throws `store_newer` for one that this release does not know. */
export async function schemaVersion(client: Asker): Promise<number> {
  const known = await client.query<Row>(
    "select to_regclass('countersign.migrations')::text as name",
  )
  return firstOf(known).name === null ? 0 : recordedVersion(client)
}

async function recordedVersion(client: Asker): Promise<number> {
  const found = await client.query<Row>(
    'select coalesce(max(version), 0)::bigint as version from countersign.migrations',
  )
  const version = numberOf(firstOf(found), 'version')
  if (version > SCHEMA) throw newer(version)
  return version
}

function newer(version: number): CountersignError {
  return new CountersignError(
    'store_newer',
    `the database was written by a newer Countersign (schema ${version}, this one knows ${SCHEMA})`,
    { hint: 'Update Countersign; a database never goes back to an older schema.' },
  )
}

/** A column that databases of earlier releases do not have yet. */
const OUTGROWN = `
  select coalesce(max(version), 0)::bigint as version,
    count(*) filter (where version > ${SCHEMA}
      and coalesce((to_jsonb(m) ->> 'beside_older')::boolean, false) is not true) as breaking
  from countersign.migrations m`

/** For a server that runs: throws once a newer release changed what this one relies on. */
export async function assertNotOutgrown(client: Asker): Promise<void> {
  const row = firstOf(await client.query<Row>(OUTGROWN))
  if (numberOf(row, 'breaking') > 0) throw newer(numberOf(row, 'version'))
}
