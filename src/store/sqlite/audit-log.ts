import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { CountersignError } from '../../base/errors.ts'
import type { Head } from '../audit/audit-entry.ts'
import {
  type AuditLog,
  type AuditLogOptions,
  type LoggedContent,
  type LoggedEntry,
  type LoggedRow,
  ownerOf,
  sealedKeys,
} from '../audit/audit-log.ts'
import { AUDITED_KINDS } from '../audit/audited-records.ts'
import {
  type AuditDialect,
  firstAfterSql,
  loggedEntry,
  loggedRecord,
  loggedRows,
  namedRows,
} from '../sql/audit-sql.ts'
import { integer, prepare, type Row, text } from './connection.ts'
import { APPLICATION_ID, MIGRATIONS } from './migrations/migrations.ts'

/**
 * Reads a file without touching it: no migration, no quarantine, no lock that a writer would meet.
 * So a copy made for an auditor, or a file that was tampered with, can be looked at as it is.
 */
export function openAuditLog(path: string, options: AuditLogOptions = {}): AuditLog {
  const db = openReadOnly(path)
  try {
    assertKnown(db, path)
    // Everything below sees the file as it is now, whatever other processes go on writing.
    db.exec('begin')
    return readLog(db, options)
  } catch (error) {
    db.close()
    throw error
  }
}

function openReadOnly(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  } catch (cause) {
    throw new CountersignError('store_unavailable', `${path} cannot be opened`, {
      hint: 'Name the file with --db sqlite:PATH, and check that you may read it and its folder.',
      cause,
    })
  }
}

function assertKnown(db: DatabaseSync, path: string): void {
  const read = (name: string) => Number(db.prepare(`pragma ${name}`).get()?.[name])
  let found: { id: number; version: number }
  try {
    found = { id: read('application_id'), version: read('user_version') }
  } catch (cause) {
    throw new CountersignError('store_damaged', `${path} is not a database`, { cause })
  }
  const { id, version } = found
  if (id !== APPLICATION_ID) {
    throw new CountersignError('store_unsafe', `${path} is not a database of Countersign`)
  }
  if (version === MIGRATIONS.length) return
  const isNewer = version > MIGRATIONS.length
  throw new CountersignError(
    isNewer ? 'store_newer' : 'store_unsafe',
    `${path} has schema ${version}, this Countersign reads ${MIGRATIONS.length}`,
    { hint: isNewer ? 'Update Countersign.' : 'Run countersign start once: it updates the file.' },
  )
}

function readLog(
  db: DatabaseSync,
  { tenant, since, after, content = false }: AuditLogOptions,
): AuditLog {
  const identity = db.prepare('select database from identity').get()
  const only = tenant === undefined ? '' : 'where tenant = ?'
  const values = tenant === undefined ? [] : [tenant]
  const [kept, results] = (['content', 'results'] as const).map((table) =>
    prepare(db, `select salt, value from ${table} where tenant = ? and approval = ? and key = ?`),
  )

  function contentOf(row: Row): LoggedContent[] {
    const keys = content ? sealedKeys(text(row, 'body')) : []
    return keys.flatMap((key) => {
      const where = [text(row, 'tenant'), ownerOf(key), key] as const
      const found = kept?.get(...where) ?? results?.get(...where)
      return found ? [{ key, salt: text(found, 'salt'), value: text(found, 'value') }] : []
    })
  }

  const ofTenant = tenant === undefined ? '' : 'and tenant = ?'

  function* entriesFrom(from: number): Generator<LoggedEntry> {
    const sql = `select * from events where position >= ? ${ofTenant} order by position`
    for (const row of db.prepare(sql).iterate(from, ...values)) yield entryOf(row)
  }

  function* entriesAfter(heads: readonly Head[]): Generator<LoggedEntry> {
    const one = db.prepare(`select * from events where writer = ? and seq = ? ${ofTenant}`)
    for (const { writer, seq } of heads) {
      const row = one.get(writer, seq, ...values)
      if (row) yield entryOf(row)
    }
    const known = new Map(heads.map(({ writer, seq }) => [writer, seq]))
    const first = db.prepare(firstAfterSql(DIALECT, HEADS)).get(JSON.stringify(heads))?.position
    if (typeof first !== 'number') return
    for (const entry of entriesFrom(first)) {
      const { writer, seq } = entry.columns
      if (seq > (known.get(writer) ?? 0)) yield entry
    }
  }

  function entryOf(row: Row): LoggedEntry {
    return { ...loggedEntry(DIALECT, row), content: contentOf(row) }
  }

  function* records(): Generator<LoggedRow> {
    const kinds = AUDITED_KINDS.map(() => '?').join(', ')
    const sql = `select * from records where kind in (${kinds}) ${ofTenant} order by tenant, kind, id`
    for (const row of db.prepare(sql).iterate(...AUDITED_KINDS, ...values)) {
      yield loggedRecord(DIALECT, row)
    }
  }

  return {
    database: identity ? text(identity, 'database') : '',
    async *keys() {
      const sql = `select tenant, kid, jwk from keys ${only} order by tenant, at, kid`
      for (const row of db.prepare(sql).iterate(...values)) {
        yield { tenant: text(row, 'tenant'), kid: text(row, 'kid'), jwk: text(row, 'jwk') }
      }
    },
    async *checkpoints(above = new Map()) {
      const sql = `select tenant, n, jws from checkpoints
        where n > coalesce((select value from json_each(?) j where j.key = tenant), 0) ${ofTenant}
        order by tenant, n`
      const numbers = JSON.stringify(Object.fromEntries(above))
      for (const row of db.prepare(sql).iterate(numbers, ...values)) {
        yield { tenant: text(row, 'tenant'), n: integer(row, 'n'), jws: text(row, 'jws') }
      }
    },
    async *entries() {
      if (after) yield* entriesAfter(after)
      else yield* entriesFrom(since === undefined ? 0 : firstSince(db, since))
    },
    async *rows() {
      yield* loggedRows(DIALECT, (sql) => inTurns(db.prepare(`${sql} ${only}`).iterate(...values)))
      yield* records()
    },
    async *rowsOf(named) {
      const select = (sql: string, of: string, ids: readonly string[]) =>
        db
          .prepare(`${sql} where tenant = ? and id in (select value from json_each(?))`)
          .iterate(of, JSON.stringify(ids))
      yield* namedRows(DIALECT, select, named)
      yield* records()
    },
    async close() {
      db.close()
    },
  }
}

const DIALECT: AuditDialect = {
  table: (name) => name,
  isInProcess: true,
  list: (columns) => `json_group_array(json_array(${columns.join(', ')}))`,
  member: (column, name) => `json_extract(${column}, '$.${name}')`,
  exact: (column) => `case when ${column} is not null then printf('%!.17g', ${column}) end`,
  textIn: text,
  numberIn: integer,
  numbered: (row) => row,
}

/** Others get a turn after this long. */
const AT_ONCE_MS = 3

/** Of these rows few are handed on, so that their reader alone cannot pause. */
async function* inTurns(rows: Iterable<Row>): AsyncGenerator<Row> {
  let began = performance.now()
  for (const row of rows) {
    yield row
    if (performance.now() - began < AT_ONCE_MS) continue
    await turn()
    began = performance.now()
  }
}

const HEADS = `select json_extract(value, '$.writer') as writer,
  json_extract(value, '$.seq') as seq from json_each(?)`

/** Everything after the first one in time: a clock that went back must not tear holes. */
function firstSince(db: DatabaseSync, since: number): number {
  const row = db.prepare('select min(position) as position from events where at >= ?').get(since)
  return typeof row?.position === 'number' ? row.position : Number.MAX_SAFE_INTEGER
}
