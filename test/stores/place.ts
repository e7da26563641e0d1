import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import {
  openPostgres as openPostgresStore,
  type PostgresOptions,
} from '../../src/store/postgres/open-store.ts'
import {
  openSqlite as openSqliteStore,
  type SqliteOptions,
} from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'

/** A folder that goes with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Store> {
  return closing(await openSqliteStore(file, options))
}

export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  return closing(await openPostgresStore(url, options))
}

function closing(store: Store): Store {
  onTestFinished(() => store.close())
  return store
}

/** A connection as somebody with a console has it. */
export async function rawClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end().catch(() => {}))
  return client
}

/** Connections of this database that wait for an advisory lock; tests of others share the server. */
export const WAITS_FOR_LOCK = `select 1 from pg_stat_activity
  where wait_event = 'advisory' and datname = current_database()`
