import type { ClientBase, Pool, PoolClient } from 'pg'
import { isCountersignError } from '../../base/errors.ts'
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
import { firstOf, numberOf, type Row, textOf, unavailable } from './connect.ts'
import { CLOCK_SQL, transaction } from './open.ts'

export interface RecordParts {
  readonly pool: Pool
  readonly tenant: string
  /** The server's commits are not durable unless each transaction asks for it. */
  readonly isLazy: boolean
}

const COLUMNS = 'id, revision, at, expires_at, value'
const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
const LIVE = `(expires_at is null or expires_at > ${NOW})`

export function createRecords({ pool, tenant, isLazy }: RecordParts): Records {
  async function rows(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await reached(pool.query<Row>(sql, [...values]))).rows
  }

  /** Durable when it resolves. One name is changed by one transaction at a time. */
  function change<T>(
    kind: string,
    id: string,
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    return reached(
      transaction(pool, async (client) => {
        if (isLazy) await client.query('set local synchronous_commit to on')
        await client.query(LOCK_NAME, [nameOf(tenant, kind, id)])
        return work(client)
      }),
    )
  }

  return {
    async get(kind, id) {
      if (!isRecordName(id)) return undefined
      const [row] = await rows(
        `select ${COLUMNS} from countersign.records
         where tenant = $1 and kind = $2 and id = $3 and ${LIVE}`,
        [tenant, kind, id],
      )
      return row && readRecord(row)
    },
    async put(kind, id, value, { expect, expiresAt } = {}) {
      const body = recordText(kind, id, value)
      return change(kind, id, async (client) => {
        // Read after the lock: before it, another could still have been writing.
        const now = numberOf(firstOf(await client.query<Row>(CLOCK_SQL)), 'now')
        await client.query(CLEAR, [tenant, now])
        const {
          rows: [row],
        } = await client.query<Row>(
          `select ${COLUMNS} from countersign.records
           where tenant = $1 and kind = $2 and id = $3 and (expires_at is null or expires_at > $4)`,
          [tenant, kind, id, now],
        )
        const found = row && readRecord(row)
        if (!isExpected(expect, found)) return undefined
        const revision = (found?.revision ?? 0) + 1
        await client.query(PUT, [tenant, kind, id, revision, now, expiresAt ?? null, body])
        return storedRecord(id, body, { revision, at: now, expiresAt })
      })
    },
    async list(kind, { after = '', limit } = {}) {
      const most = recordLimit(limit)
      const found = await rows(
        `select ${COLUMNS} from countersign.records
         where tenant = $1 and kind = $2 and id > $3 and ${LIVE} order by id limit $4`,
        [tenant, kind, after, most + 1],
      )
      return recordPage(found.map(readRecord), most)
    },
    async remove(kind, id) {
      if (!isRecordName(id)) return undefined
      return change(kind, id, async (client) => {
        const {
          rows: [row],
        } = await client.query<Row>(
          `delete from countersign.records where tenant = $1 and kind = $2 and id = $3
           returning ${COLUMNS}, ${LIVE}::text as live`,
          [tenant, kind, id],
        )
        return row?.live === 'true' ? readRecord(row) : undefined
      })
    },
  }
}

type Queries = Pick<ClientBase, 'query'>

/** Records inside a transaction of the caller, which keeps amendments apart. */
export async function findRecords(
  client: Queries,
  tenant: string,
  changes: readonly RecordChange[],
): Promise<FoundRecord[]> {
  const names = changes.flatMap(({ kind, id }) => (isRecordName(id) ? [{ kind, id }] : []))
  // The same locks as for a single change, taken before anything is read.
  for (const { kind, id } of names) await client.query(LOCK_NAME, [nameOf(tenant, kind, id)])
  const { rows } = await client.query<Row>(
    `select r.kind, r.id, r.revision, r.at, r.expires_at, r.value from countersign.records r
     join json_to_recordset($2) as n(kind text, id text) on r.kind = n.kind and r.id = n.id
     where r.tenant = $1 and (r.expires_at is null or r.expires_at > ${NOW})`,
    [tenant, JSON.stringify(names)],
  )
  return rows.map((row) => ({ kind: textOf(row, 'kind'), ...columnsOf(row) }))
}

export async function writeRecords(
  client: Queries,
  tenant: string,
  writes: readonly RecordWrite[],
  now: number,
): Promise<void> {
  for (const { kind, id, revision, value, expiresAt } of writes) {
    if (value === null) await client.query(REMOVE, [tenant, kind, id])
    else await client.query(PUT, [tenant, kind, id, revision, now, expiresAt, value])
  }
}

function nameOf(tenant: string, kind: string, id: string): string {
  return JSON.stringify([tenant, kind, id])
}

const LOCK_NAME = 'select pg_advisory_xact_lock(hashtextextended($1, 4747))'
const REMOVE = 'delete from countersign.records where tenant = $1 and kind = $2 and id = $3'

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isCountersignError(error) ? error : unavailable(error)
  }
}

function columnsOf(row: Row): Omit<FoundRecord, 'kind'> {
  return {
    id: textOf(row, 'id'),
    revision: numberOf(row, 'revision'),
    at: numberOf(row, 'at'),
    expiresAt: row.expires_at === null ? null : numberOf(row, 'expires_at'),
    value: textOf(row, 'value'),
  }
}

function readRecord(row: Row): StoredRecord {
  const { id, revision, at, expiresAt, value } = columnsOf(row)
  return storedRecord(id, value, { revision, at, expiresAt: expiresAt ?? undefined })
}

const PUT = `
  insert into countersign.records (tenant, kind, id, revision, at, expires_at, value)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (tenant, kind, id) do update set revision = excluded.revision,
    at = excluded.at, expires_at = excluded.expires_at, value = excluded.value`

// Rows that another server clears away at this moment are left to it.
const CLEAR = `
  delete from countersign.records where (tenant, kind, id) in (
    select tenant, kind, id from countersign.records where tenant = $1 and expires_at <= $2
    order by expires_at limit ${CLEARED_AT_ONCE} for update skip locked)`
