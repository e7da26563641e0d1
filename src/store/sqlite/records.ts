import type { DatabaseSync } from 'node:sqlite'
import type { FoundRecord, RecordWrite } from '../engine/amend.ts'
import type { RecordChange } from '../engine/amendment.ts'
import {
  CLEARED_AT_ONCE,
  isExpected,
  isRecordName,
  type Records,
  recordLimit,
  recordPage,
  recordText,
  type StoredRecord,
  storedRecord,
} from '../records.ts'
import { integer, prepare, type Row, text } from './connection.ts'

export interface RecordParts {
  readonly tenant: string
  readonly clock: () => number
  /** Runs work in a transaction of its own, when no other is under way. */
  readonly transact: <T>(work: () => T) => Promise<T>
}

/** Reads and writes records inside a transaction that the caller has begun. */
export interface RecordsInside {
  find(changes: readonly RecordChange[]): FoundRecord[]
  write(writes: readonly RecordWrite[], at: number): void
}

export function recordsInside(
  db: DatabaseSync,
  { tenant, clock }: Omit<RecordParts, 'transact'>,
): RecordsInside {
  const sql = prepareRecords(db)
  return {
    find: (changes) =>
      changes.flatMap(({ kind, id }) => {
        const row = isRecordName(id) ? sql.get.get(tenant, kind, id, clock()) : undefined
        return row ? [{ kind, ...columnsOf(row) }] : []
      }),
    write(writes, at) {
      for (const { kind, id, revision, value, expiresAt } of writes) {
        if (value === null) sql.remove.run(tenant, kind, id)
        else sql.put.run(tenant, kind, id, revision, at, expiresAt, value)
      }
    },
  }
}

export function createRecords(db: DatabaseSync, { tenant, clock, transact }: RecordParts): Records {
  const sql = prepareRecords(db)

  function live(kind: string, id: string): StoredRecord | undefined {
    const row = sql.get.get(tenant, kind, id, clock())
    return row && readRecord(row)
  }

  return {
    get: async (kind, id) => (isRecordName(id) ? live(kind, id) : undefined),
    put(kind, id, value, { expect, expiresAt } = {}) {
      const body = recordText(kind, id, value)
      return transact(() => {
        const now = clock()
        sql.clear.run(tenant, now)
        const found = live(kind, id)
        if (!isExpected(expect, found)) return undefined
        const revision = (found?.revision ?? 0) + 1
        sql.put.run(tenant, kind, id, revision, now, expiresAt ?? null, body)
        return storedRecord(id, body, { revision, at: now, expiresAt })
      })
    },
    async list(kind, { after = '', limit } = {}) {
      const most = recordLimit(limit)
      const rows = sql.list.all(tenant, kind, after, clock(), most + 1)
      return recordPage(rows.map(readRecord), most)
    },
    async remove(kind, id) {
      if (!isRecordName(id)) return undefined
      return transact(() => {
        const found = live(kind, id)
        sql.remove.run(tenant, kind, id)
        return found
      })
    },
  }
}

function columnsOf(row: Row): Omit<FoundRecord, 'kind'> {
  return {
    id: text(row, 'id'),
    revision: integer(row, 'revision'),
    at: integer(row, 'at'),
    expiresAt: row.expires_at === null ? null : integer(row, 'expires_at'),
    value: text(row, 'value'),
  }
}

function readRecord(row: Row): StoredRecord {
  const { id, revision, at, expiresAt, value } = columnsOf(row)
  return storedRecord(id, value, { revision, at, expiresAt: expiresAt ?? undefined })
}

function prepareRecords(db: DatabaseSync) {
  const columns = 'id, revision, at, expires_at, value'
  return {
    get: prepare(
      db,
      `select ${columns} from records where tenant = ? and kind = ? and id = ?
       and (expires_at is null or expires_at > ?)`,
    ),
    list: prepare(
      db,
      `select ${columns} from records where tenant = ? and kind = ? and id > ?
       and (expires_at is null or expires_at > ?) order by id limit ?`,
    ),
    put: prepare(
      db,
      `insert into records (tenant, kind, id, revision, at, expires_at, value)
       values (?, ?, ?, ?, ?, ?, ?)
       on conflict (tenant, kind, id) do update set revision = excluded.revision,
         at = excluded.at, expires_at = excluded.expires_at, value = excluded.value`,
    ),
    remove: prepare(db, 'delete from records where tenant = ? and kind = ? and id = ?'),
    clear: prepare(
      db,
      `delete from records where (tenant, kind, id) in (
         select tenant, kind, id from records where tenant = ? and expires_at <= ?
         order by expires_at limit ${CLEARED_AT_ONCE})`,
    ),
  }
}
