import { readdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { MIGRATIONS as postgresMigrations } from '../../src/store/postgres/migrations/migrations.ts'
import {
  APPLICATION_ID,
  MIGRATIONS as sqliteMigrations,
} from '../../src/store/sqlite/migrations/migrations.ts'
import { freshDatabase } from '../support/postgres.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from './place.ts'

/*
 * What the migrations add up to is kept beside them, so that a change of the schema shows in review
 * as what it does. After adding a migration: `npx vitest run test/stores/schema.test.ts -u`.
 */

test('the SQLite schema is the one on the page', async () => {
  const file = path.join(newFolder(), 'approvals.db')
  await (await openSqlite(file)).close()
  await expect(sqliteDump(file)).toMatchFileSnapshot('../../src/store/sqlite/migrations/schema.sql')
})

const earlier = (all: readonly unknown[]) => all.map((_, number) => number)

test.each(earlier(sqliteMigrations))(
  'a SQLite database of schema %i becomes the newest',
  async (number) => {
    const file = path.join(newFolder(), 'approvals.db')
    const db = new DatabaseSync(file)
    // As the store does while it migrates: a step may rewrite the schema itself.
    ;(db as { enableDefensive?: (active: boolean) => void }).enableDefensive?.(false)
    for (const { sql } of sqliteMigrations.slice(0, number)) db.exec(sql)
    db.exec(`pragma user_version = ${number}; pragma application_id = ${APPLICATION_ID}`)
    db.close()
    await (await openSqlite(file)).close()
    await expect(sqliteDump(file)).toMatchFileSnapshot(
      '../../src/store/sqlite/migrations/schema.sql',
    )
  },
)

test.each(earlier(postgresMigrations))(
  'a Postgres database of schema %i becomes the newest',
  async (number) => {
    const url = await freshDatabase()
    const client = await rawClient(url)
    if (number > 0) {
      await client.query(`create schema countersign; create table countersign.migrations (
      version integer primary key, name text not null, at timestamptz not null default now())`)
    }
    for (const [index, { name, sql }] of postgresMigrations.slice(0, number).entries()) {
      await client.query(sql)
      await client.query(`insert into countersign.migrations values (${index + 1}, '${name}')`)
    }
    // Servers that start at once: each step runs in one of them.
    const stores = await Promise.all([openPostgres(url), openPostgres(url), openPostgres(url)])
    for (const store of stores) await store.close()
    await expect(await dumpOf(client)).toMatchFileSnapshot(
      '../../src/store/postgres/migrations/schema.sql',
    )
    const { rows } = await client.query(
      'select version, name from countersign.migrations order by 1',
    )
    expect(rows).toEqual(
      postgresMigrations.map(({ name }, index) => ({ version: index + 1, name })),
    )
  },
)

test('migrations are numbered files, and their order is that of the list', () => {
  for (const [store, all] of [
    ['sqlite', sqliteMigrations],
    ['postgres', postgresMigrations],
  ] as const) {
    const folder = path.join(import.meta.dirname, '../../src/store', store, 'migrations')
    const files = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))
    const named = all.map(({ name }, index) => {
      return `${String(index + 1).padStart(4, '0')}-${name.replaceAll(' ', '-')}.ts`
    })
    expect(files.sort()).toEqual(named)
  }
})

function sqliteDump(file: string): string {
  const db = new DatabaseSync(file)
  const rows = db
    .prepare(
      'select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name',
    )
    .all()
  db.close()
  return rows.map(({ sql }) => `${String(sql)};\n`).join('\n')
}

test('the Postgres schema is the one on the page', async () => {
  const url = await freshDatabase()
  await (await openPostgres(url)).close()
  await expect(await dumpOf(await rawClient(url))).toMatchFileSnapshot(
    '../../src/store/postgres/migrations/schema.sql',
  )
})

/** Everything in the schema, as the server itself describes it. */
async function dumpOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ text: string }>(`
    with tables as (
      select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'countersign' and c.relkind = 'r'
    ), parts as (
      select relname, 1 as part, 0 as place, '' as name,
        E'create table countersign.' || relname || E' (\\n' || (
          select string_agg('  ' || attname || ' ' || format_type(atttypid, atttypmod)
            || case when attcollation <> 0 and attcollation <> 100
                 then ' collate ' || (select quote_ident(collname) from pg_collation o
                                      where o.oid = attcollation) else '' end
            || case when attnotnull then ' not null' else '' end
            || case when attidentity = 'a' then ' generated always as identity' else '' end
            || coalesce(' default ' || pg_get_expr(adbin, adrelid), ''), E',\\n' order by attnum)
          from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
          where attrelid = tables.oid and attnum > 0 and not attisdropped
        ) || E'\\n);' as text
      from tables
      union all
      select relname, 2, 0, conname,
        'alter table countersign.' || relname || ' add constraint ' || conname || ' '
          || pg_get_constraintdef(con.oid) || ';'
      from tables join pg_constraint con on con.conrelid = tables.oid and con.contype <> 'n'
      union all
      select tables.relname, 3, 0, i.relname::text, pg_get_indexdef(i.oid) || ';'
      from tables join pg_index x on x.indrelid = tables.oid join pg_class i on i.oid = x.indexrelid
      where not exists (select 1 from pg_constraint where conindid = i.oid)
      union all
      select relname, 4, 0, tgname, pg_get_triggerdef(t.oid) || ';'
      from tables join pg_trigger t on t.tgrelid = tables.oid and not t.tgisinternal
      union all
      select '~', 5, 0, proname, pg_get_functiondef(p.oid) || ';'
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'countersign'
    )
    select text from parts order by relname collate "C", part, name collate "C"`)
  return rows.map(({ text }) => `${text}\n`).join('\n')
}
