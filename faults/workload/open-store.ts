import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store, StoreProbe } from '../../src/store/store.ts'
import { query } from './query.ts'

export interface StoreAddress {
  readonly store: 'sqlite' | 'postgres'
  /** A path, or a URL. */
  readonly database: string
  readonly head?: string
  /** The database itself, when `database` leads through a proxy. */
  readonly direct?: string
  /** Holds how far the store's clock is ahead of the machine's. Whoever writes it makes time jump. */
  readonly clock: string
}

export async function openStore(address: StoreAddress, probe?: StoreProbe): Promise<Store> {
  const { database, head, clock } = address
  const options = { ...(head ? { head } : {}), ...(probe ? { probe } : {}) }
  return address.store === 'sqlite'
    ? openSqlite(database, { ...options, clock: () => clockNow(clock) })
    : openPostgres(database, options)
}

function readAhead(clock: string): number {
  return Number(readFileSync(clock, 'utf8'))
}

/** What the store's clock says; the same on Postgres, which runs on this machine. */
export function clockNow(clock: string): number {
  return Date.now() + readAhead(clock)
}

/** Makes the store's clock jump, forwards or backwards, under the feet of whoever uses it. */
export async function jump(
  { store, database, direct, clock }: StoreAddress,
  ms: number,
): Promise<void> {
  const ahead = readAhead(clock) + ms
  if (store === 'postgres') {
    await query(direct ?? database, [`update faults.clock set ahead = ${ahead}`])
  }
  // Whole or not at all: whoever is killed between emptying and writing would turn time back.
  const next = `${clock}.${process.pid}`
  writeFileSync(next, String(ahead))
  renameSync(next, clock)
}
