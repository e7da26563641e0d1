import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { CountersignError } from '../../base/errors.ts'

/*
 * How statements and transactions run on one connection to the file.
 */

export type Value = string | number | null

export type Row = Readonly<Record<string, SQLOutputValue>>

export interface Statement {
  /** Returns how many rows changed. */
  run(...values: Value[]): number
  /** The same for values that are a list already: no second one is made of them. */
  runList(values: readonly Value[]): number
  get(...values: Value[]): Row | undefined
  all(...values: Value[]): Row[]
}

/**
 * A statement that takes exactly its parameters. The driver binds NULL for those that are missing
 * and takes a leading object for a set of names, both without a word.
 */
export function prepare(db: DatabaseSync, sql: string): Statement {
  const statement = db.prepare(sql)
  const count = sql.split('?').length - 1

  function check(values: readonly Value[]): void {
    if (!db.isOpen) throw new CountersignError('store_closed', 'the store is closed')
    if (values.length !== count) {
      throw new CountersignError('internal', `${values.length} values for ${count} places: ${sql}`)
    }
    for (const value of values) {
      if (typeof value !== 'string' && typeof value !== 'number' && value !== null) {
        throw new CountersignError('internal', `a ${typeof value} cannot be bound: ${sql}`)
      }
    }
  }

  function runList(values: readonly Value[]): number {
    check(values)
    return Number(statement.run(...values).changes)
  }

  return {
    run: (...values) => runList(values),
    runList,
    get(...values) {
      check(values)
      shareSnapshot(db)
      return statement.get(...values)
    },
    all(...values) {
      check(values)
      shareSnapshot(db)
      return statement.all(...values)
    },
  }
}

const bounds = new WeakMap<DatabaseSync, ReturnType<typeof prepareBounds>>()

function prepareBounds(db: DatabaseSync) {
  return {
    begin: db.prepare('begin'),
    lock: db.prepare('begin immediate'),
    commit: db.prepare('commit'),
  }
}

/** Where a transaction begins and ends: said so often that reading the words each time would show. */
function boundsOf(db: DatabaseSync): ReturnType<typeof prepareBounds> {
  let found = bounds.get(db)
  if (!found) {
    found = prepareBounds(db)
    bounds.set(db, found)
  }
  return found
}

const sharing = new WeakSet<DatabaseSync>()

/**
 * Outside of a transaction every read takes locks and lets go of them, which takes longer than most
 * reads. So those that follow each other without a pause share one snapshot. It ends before
 * anything that waited for a commit, here or elsewhere, can go on: no reader misses what it was told.
 */
function shareSnapshot(db: DatabaseSync): void {
  if (db.isTransaction) return
  boundsOf(db).begin.run()
  sharing.add(db)
  queueMicrotask(() => endSnapshot(db))
}

/** Ends the snapshot that reads share, if there is one: what follows sees everything committed. */
export function endSnapshot(db: DatabaseSync): void {
  if (sharing.delete(db) && db.isOpen && db.isTransaction) boundsOf(db).commit.run()
}

export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new CountersignError('store_damaged', `column ${column} holds no text`)
}

export function integer(row: Row, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw new CountersignError('store_damaged', `column ${column} holds no number`)
}

/** Changes with every commit of another connection, and with none of our own. */
export function dataVersion(sql: { readonly dataVersion: Statement }): number {
  return integer(sql.dataVersion.get() ?? {}, 'data_version')
}

const unsynced = new WeakSet<DatabaseSync>()

/** Throws where it cannot be set: then nothing is written, rather than written without a sync. */
function sync(db: DatabaseSync): void {
  db.exec('pragma synchronous = full')
  unsynced.delete(db)
}

/**
 * The same as `immediately`, without waiting for the disk. Other processes see it at once; a power
 * cut before the next synced commit may undo it.
 */
export function immediatelyUnsynced<T>(db: DatabaseSync, work: () => T): T {
  endSnapshot(db)
  unsynced.add(db)
  db.exec('pragma synchronous = normal')
  try {
    return transaction(db, work)
  } finally {
    if (!db.isTransaction) sync(db)
  }
}

/** Runs `work` in one transaction that holds the write lock from its first statement. */
export function immediately<T>(db: DatabaseSync, work: () => T): T {
  endSnapshot(db)
  if (unsynced.has(db)) sync(db)
  return transaction(db, work)
}

function transaction<T>(db: DatabaseSync, work: () => T): T {
  const { lock, commit } = boundsOf(db)
  lock.run()
  try {
    if (failed.has(db)) rewriteLog(db)
    const result = work()
    commit.run()
    return result
  } catch (error) {
    if (resultCode(error) === IO_ERROR) failed.add(db)
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Connections that met an error of the disk and have not committed since. */
const failed = new WeakSet<DatabaseSync>()

/**
 * After a failed sync the operating system takes what it could not write for clean: the next sync
 * succeeds without it. Unsynced commits that were waiting in the log would leave a gap there, and a
 * power cut would lose every commit behind the gap. So the same bytes are written once more and
 * synced before anything else is committed; the write lock must be held.
 */
function rewriteLog(db: DatabaseSync): void {
  const row = db.prepare("select file from pragma_database_list where name = 'main'").get() ?? {}
  const log = openSync(`${text(row, 'file')}-wal`, 'r+')
  try {
    const bytes = readFileSync(log)
    for (let at = 0; at < bytes.length; ) at += writeSync(log, bytes, at, bytes.length - at, at)
    fsyncSync(log)
  } finally {
    closeSync(log)
  }
  failed.delete(db)
}

const BUSY = 5
const IO_ERROR = 10

const RETRY_FOR_MS = 10_000

export interface Patience {
  readonly forMs?: number
  /** Asked before each new attempt: a store that was closed gives up. */
  readonly stop?: () => boolean
}

/** Another process holds the lock: tries again, and lets the event loop run in between. */
export async function retryBusy<T>(
  work: () => T,
  { forMs = RETRY_FOR_MS, stop = () => false }: Patience = {},
): Promise<T> {
  const giveUpAt = performance.now() + forMs
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (stop() || performance.now() >= giveUpAt) {
        throw new CountersignError('store_busy', 'another process keeps the database locked', {
          cause: error,
        })
      }
    }
    // Two processes that wait equally long would meet again and again.
    await sleep(pause * (0.5 + Math.random()))
  }
}

function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY
}

/** The primary code of what SQLite complained of. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}
