import type { Client } from 'pg'
import { CountersignError } from '../../base/errors.ts'
import {
  type AuditLog,
  type AuditLogOptions,
  type LoggedContent,
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
import {
  type Driver,
  firstOf,
  loadDriver,
  numberOf,
  type Row,
  textOf,
  unavailable,
} from './connect.ts'
import { MIGRATIONS } from './migrations/migrations.ts'

const AT_ONCE = 100

/** Reads a database without changing anything, from a connection of its own. */
export async function openAuditLog(url: string, options: AuditLogOptions = {}): Promise<AuditLog> {
  const driver = await loadDriver(url)
  try {
    return await readWith(driver, options, () => driver.pool.end())
  } catch (error) {
    await driver.pool.end()
    throw error
  }
}

/** The same for a store that is open already. `done` is called when the log is closed. */
export async function readWith(
  driver: Driver,
  options: AuditLogOptions,
  done: () => Promise<void> = async () => {},
): Promise<AuditLog> {
  const client = await driver.connect().catch((error: unknown) => {
    throw unavailable(error)
  })
  try {
    // One snapshot for all statements, whatever other processes go on writing.
    await client.query('begin isolation level repeatable read read only')
    await assertKnown(client)
    const identity = await client.query<Row>('select database from countersign.identity')
    const [row] = identity.rows
    return readLog(client, row ? textOf(row, 'database') : '', options, done)
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

async function assertKnown(client: Client): Promise<void> {
  const known = await client.query<Row>(
    "select to_regclass('countersign.migrations')::text as name",
  )
  if (firstOf(known).name === null) {
    throw new CountersignError('store_unsafe', 'this is not a database of Countersign')
  }
  const found = await client.query<Row>(
    'select coalesce(max(version), 0)::bigint as version from countersign.migrations',
  )
  const version = numberOf(firstOf(found), 'version')
  if (version === MIGRATIONS.length) return
  const isNewer = version > MIGRATIONS.length
  throw new CountersignError(
    isNewer ? 'store_newer' : 'store_unsafe',
    `the database has schema ${version}, this Countersign reads ${MIGRATIONS.length}`,
    {
      hint: isNewer ? 'Update Countersign.' : 'Run countersign start once: it updates the schema.',
    },
  )
}

function readLog(
  client: Client,
  database: string,
  { tenant, since, after, content = false }: AuditLogOptions,
  done: () => Promise<void>,
): AuditLog {
  const ofTenant = '($1::text is null or tenant = $1)'
  const values = [tenant ?? null]
  let cursors = 0

  /** Pages of a query of any size, of which one is in memory. */
  async function* pages(sql: string, bound: readonly unknown[]): AsyncGenerator<Row[]> {
    cursors += 1
    const name = `audit_${cursors}`
    await client.query(`declare ${name} no scroll cursor for ${sql}`, [...bound])
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${AT_ONCE} from ${name}`)
      if (rows.length > 0) yield rows
      if (rows.length < AT_ONCE) break
    }
    await client.query(`close ${name}`)
  }

  async function* rowsOf(sql: string, bound: readonly unknown[]): AsyncGenerator<Row> {
    for await (const page of pages(sql, bound)) yield* page
  }

  async function contentOf(rows: readonly Row[]): Promise<Map<string, LoggedContent>> {
    const wanted = content
      ? rows.flatMap((row) =>
          sealedKeys(textOf(row, 'body')).map((key) => {
            return { tenant: row.tenant, approval: ownerOf(key), key }
          }),
        )
      : []
    if (wanted.length === 0) return new Map()
    const found = await client.query<Row>(CONTENT, [JSON.stringify(wanted)])
    return new Map(
      found.rows.map((row) => {
        const key = textOf(row, 'key')
        const one = { key, salt: textOf(row, 'salt'), value: textOf(row, 'value') }
        return [JSON.stringify([row.tenant, row.approval, key]), one]
      }),
    )
  }

  /** Pages of entries, as rows. */
  async function* entryPages(): AsyncGenerator<Row[]> {
    if (!after) {
      yield* pages(ENTRIES, [...values, since ?? null])
      return
    }
    const heads = JSON.stringify(after)
    yield* pages(AT_HEADS, [...values, heads])
    const { rows } = await client.query<Row>(firstAfterSql(DIALECT, HEADS), [heads])
    const [first] = rows
    if (first?.position === null || first === undefined) return
    const known = new Map(after.map(({ writer, seq }) => [writer, seq]))
    for await (const page of pages(FROM, [...values, numberOf(first, 'position')])) {
      yield page.filter((row) => numberOf(row, 'seq') > (known.get(textOf(row, 'writer')) ?? 0))
    }
  }

  async function* records(): AsyncGenerator<LoggedRow> {
    const sql = `select * from countersign.records where ${ofTenant}
      and kind = any($2) order by tenant, kind, id`
    for await (const row of rowsOf(sql, [...values, AUDITED_KINDS])) {
      yield loggedRecord(DIALECT, row)
    }
  }

  return {
    database,
    async *keys() {
      const sql = `select tenant, kid, jwk from countersign.keys where ${ofTenant}
        order by tenant, at, kid`
      for await (const row of rowsOf(sql, values)) {
        yield { tenant: textOf(row, 'tenant'), kid: textOf(row, 'kid'), jwk: textOf(row, 'jwk') }
      }
    },
    async *checkpoints(above = new Map()) {
      const sql = `select tenant, n, jws from countersign.checkpoints where ${ofTenant}
        and n > coalesce(($2::jsonb ->> tenant)::bigint, 0) order by tenant, n`
      const numbers = JSON.stringify(Object.fromEntries(above))
      for await (const row of rowsOf(sql, [...values, numbers])) {
        yield { tenant: textOf(row, 'tenant'), n: numberOf(row, 'n'), jws: textOf(row, 'jws') }
      }
    },
    async *entries() {
      for await (const rows of entryPages()) {
        const contents = await contentOf(rows)
        for (const row of rows) {
          const entry = loggedEntry(DIALECT, row)
          const keys = contents.size === 0 ? [] : sealedKeys(entry.body)
          const { tenant } = entry.columns
          yield {
            ...entry,
            content: keys.flatMap(
              (key) => contents.get(JSON.stringify([tenant, ownerOf(key), key])) ?? [],
            ),
          }
        }
      }
    },
    async *rows() {
      yield* loggedRows(DIALECT, (sql) => rowsOf(`${sql} where ${ofTenant}`, values))
      yield* records()
    },
    async *rowsOf(named) {
      const select = (sql: string, of: string, ids: readonly string[]) =>
        rowsOf(`${sql} where tenant = $1 and id = any($2)`, [of, ids])
      yield* namedRows(DIALECT, select, named)
      yield* records()
    },
    async close() {
      await client.end().catch(() => {})
      await done()
    },
  }
}

const DIALECT: AuditDialect = {
  table: (name) => `countersign.${name}`,
  isInProcess: false,
  list: (columns) => `json_agg(json_build_array(${columns.join(', ')}))`,
  member: (column, name) => `${column}::json ->> '${name}'`,
  exact: (column) => `${column}::text`,
  textIn: textOf,
  numberIn: numberOf,
  numbered,
}

/** As the driver reads them: whole numbers are numbers, or text where they may be large. */
function numbered(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      WHOLE.has(name) && value !== null ? Number(value) : value,
    ]),
  )
}

const WHOLE: ReadonlySet<string> = new Set([
  'revision',
  'joinable',
  'risk',
  'asked_at',
  'decide_by',
  'due_at',
  'uses',
  'most',
  'minted_at',
  'ends_at',
])

const ENTRY = `
  select tenant, writer, seq, prev, hash, approval, revision, type, at, command,
    command_index::bigint as command_index, body
  from countersign.events`

const HEADS = 'select writer, seq from json_to_recordset($1) as x(writer text, seq bigint)'

const AT_HEADS = `${ENTRY}
  where ($1::text is null or tenant = $1) and (writer, seq) in (
    select writer, seq from json_to_recordset($2) as x(writer text, seq bigint))`

const FROM = `${ENTRY}
  where ($1::text is null or tenant = $1) and position >= $2 order by position`

// From a position on, not by time: a clock that went back must not tear holes.
const ENTRIES = `${ENTRY}
  where ($1::text is null or tenant = $1) and ($2::bigint is null or position >= (
    select min(position) from countersign.events where at >= $2))
  order by position`

const CONTENT = `
  select c.tenant, c.approval, c.key, c.salt, c.value
  from json_to_recordset($1) as w(tenant text, approval text, key text)
  join (
    select tenant, approval, key, salt, value from countersign.content
    union all select tenant, approval, key, salt, value from countersign.results
  ) c on c.tenant = w.tenant and c.approval = w.approval and c.key = w.key`
