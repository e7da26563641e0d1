import { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { createCursors } from '../../src/store/engine/cursor.ts'
import { loadDriver } from '../../src/store/postgres/connect.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { copyRows } from './copy.ts'
import { TENANT } from './history.ts'

/** Rows of one transaction: a feed goes by transactions, and a history has many of them. */
const AT_ONCE = 1_000

/** Tables whose rows are the same in both databases. */
const TABLES = [
  'instances',
  'approvals',
  'votes',
  'claims',
  'content',
  'results',
  'events',
  'statistics',
] as const

/**
 * Copies a filled file: rows are made once for both databases. Indexes and constraints are made when
 * all rows are there. The database has a name of its own until then, which is the caller's.
 */
export async function fillPostgres(url: string, file: string): Promise<void> {
  await (await openPostgres(url)).close()
  const { connect, pool } = await loadDriver(url)
  const client = await connect()
  const from = new DatabaseSync(file, { readOnly: true })
  await client.query('set session_replication_role = replica; set statement_timeout = 0')
  await client.query("set maintenance_work_mem = '1GB'; set synchronous_commit = off")
  const restore = await dropIndexes(client)
  for (const name of TABLES) await copyTable(client, from, name)
  await copySearch(client, from)
  for (const sql of restore) await client.query(sql)
  await countFrom(client)
  await client.query('vacuum (analyze)')
  from.close()
  await client.end()
  await pool.end()
}

async function copyTable(client: Client, from: DatabaseSync, name: string): Promise<void> {
  const columns = from
    .prepare(`pragma table_info(${name})`)
    .all()
    .map((one) => String(one.name))
  const order = columns.includes('position') ? 'order by position' : ''
  const statement = from.prepare(`select ${columns.join(', ')} from ${name} ${order}`)
  statement.setReturnArrays(true)
  const rows = statement.iterate() as unknown as Iterator<readonly unknown[]>
  for (let next = rows.next(); next.done !== true; ) {
    await copyRows(client, `countersign.${name} (${columns.join(', ')})`, some())

    function* some(): Generator<readonly unknown[]> {
      for (let n = 0; n < AT_ONCE && next.done !== true; n += 1) {
        yield next.value
        next = rows.next()
      }
    }
  }
  if (order === '') return
  const sequence = `pg_get_serial_sequence('countersign.${name}', 'position')`
  await client.query(`select setval(${sequence}, (select max(position) from countersign.${name}))`)
}

/** The words of each block are a text in one database and a vector in the other. */
async function copySearch(client: Client, from: DatabaseSync): Promise<void> {
  const statement = from.prepare('select id & 4294967295, words from search_blocks order by id')
  statement.setReturnArrays(true)
  let blocks: number[] = []
  let words: string[] = []
  const write = async () => {
    await client.query(
      `insert into countersign.search_blocks (tenant, block, words)
       select $1, block, array_to_tsvector(string_to_array(words, ' '))
       from unnest($2::bigint[], $3::text[]) as x(block, words)`,
      [TENANT, blocks, words],
    )
    blocks = []
    words = []
  }
  for (const row of statement.iterate() as unknown as Iterable<[number, string]>) {
    blocks.push(row[0])
    words.push(row[1])
    if (blocks.length === 500) await write()
  }
  await write()
  await client.query(
    `insert into countersign.search_tenants (tenant, next_block, horizon)
     select $1, (coalesce(max(position), 0) + 1) / 128, pg_current_xact_id()
     from countersign.approvals`,
    [TENANT],
  )
}

/** Counters go on behind the last event there is. */
async function countFrom(client: Client): Promise<void> {
  const { rows } = await client.query<{
    database: string
    xid: string
    position: string
    at: string
  }>(
    `select i.database, e.xid::text as xid, e.position::text as position, e.at::text as at
     from countersign.identity i cross join (
       select * from countersign.events order by position desc limit 1) as e`,
  )
  const [last] = rows
  if (!last) throw new Error('nothing was copied')
  const cursor = createCursors(last.database, TENANT).write([
    Number(last.xid),
    Number(last.position),
  ])
  await client.query(
    'insert into countersign.statistics_progress (tenant, cursor, until) values ($1, $2, $3)',
    [TENANT, cursor, last.at],
  )
}

interface Named {
  readonly name: string
  readonly of: string
  readonly text: string
}

/** Everything that would be kept up to date row by row. Returns what makes it again, in order. */
async function dropIndexes(client: Client): Promise<string[]> {
  const constraints = async (kinds: string) =>
    (
      await client.query<Named>(
        `select conname as name, conrelid::regclass::text as of, pg_get_constraintdef(oid) as text
         from pg_constraint where connamespace = 'countersign'::regnamespace
           and contype in (${kinds}) and (contype = 'f' or conrelid::regclass::text = any($1))`,
        [TABLES.map((name) => `countersign.${name}`)],
      )
    ).rows
  const [foreign, keys] = [await constraints("'f'"), await constraints("'p', 'u'")]
  for (const { name, of } of [...foreign, ...keys]) {
    await client.query(`alter table ${of} drop constraint ${name}`)
  }
  // Those of the constraints are gone.
  const indexes = await client.query<Omit<Named, 'of'>>(
    `select indexname as name, indexdef as text from pg_indexes
     where schemaname = 'countersign' and tablename = any($1)`,
    [TABLES],
  )
  for (const { name } of indexes.rows) await client.query(`drop index countersign.${name}`)
  const adding = ({ name, of, text }: Named) => `alter table ${of} add constraint ${name} ${text}`
  return [...keys.map(adding), ...indexes.rows.map(({ text }) => text), ...foreign.map(adding)]
}
