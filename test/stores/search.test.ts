import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Client, Pool } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { newId } from '../../src/base/id.ts'
import { sha256 } from '../../src/store/audit/chain.ts'
import { createSearch as postgresSearch } from '../../src/store/postgres/search.ts'
import { searchPage } from '../../src/store/search/search.ts'
import { wantedBy } from '../../src/store/search/words.ts'
import { createSearch as sqliteSearch } from '../../src/store/sqlite/search.ts'
import type { Store } from '../../src/store/store.ts'
import { approverNamed, asking, deciding } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from './place.ts'

/* What the cases of every store cannot see: what the index itself holds, and when. */

async function ask(store: Store, message: string) {
  const request = asking({ tenant: store.tenant })
  const content = { ...request.content, message }
  return (await store.apply(request.id, { ...request, content })).approval
}

const askMany = (store: Store, count: number) =>
  Promise.all(Array.from({ length: count }, (_, nth) => ask(store, `Pay invoice ${nth}?`)))

async function indexAll(store: Store): Promise<void> {
  while (await store.index?.());
}

async function found(store: Store, text: string): Promise<string[]> {
  const { approvals } = await store.list({ text }, { order: 'newest' })
  return approvals.map(({ id }) => id)
}

/** Every word that a block of the index holds. */
async function termsOf(store: 'sqlite' | 'postgres', at: string): Promise<Set<string>> {
  if (store === 'sqlite') {
    const db = new DatabaseSync(at)
    db.exec("create virtual table temp.terms using fts5vocab('main', 'search_words', 'row')")
    const rows = db.prepare('select term from temp.terms').all()
    db.close()
    return new Set(rows.map(({ term }) => String(term)))
  }
  const client = await rawClient(at)
  const { rows } = await client.query<{ lexeme: string }>(
    'select distinct lexeme from countersign.search_blocks, unnest(words)',
  )
  return new Set(rows.map(({ lexeme }) => lexeme))
}

promise.each(
  ['CS-INBOX-23'],
  'the index holds words of the question, no arguments, and none that was erased, in',
  [['sqlite'], ['postgres']] as ['sqlite' | 'postgres'][],
  async (kind) => {
    const at = kind === 'sqlite' ? path.join(newFolder(), 'a.db') : await freshDatabase()
    const store = await (kind === 'sqlite' ? openSqlite : openPostgres)(at)
    const giraffe = await ask(store, 'Pay the giraffe?')
    await askMany(store, 140)
    await indexAll(store)
    const before = await termsOf(kind, at)
    expect(before).toContain('giraffe')
    expect(before).toContain('gir')
    // A name in the arguments of every call here.
    expect(before).not.toContain('amount')
    await store.apply(giraffe.id, deciding(giraffe, undefined, 'deny'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    await store.erase(await store.now())
    expect(await termsOf(kind, at)).not.toContain('gir')
    await indexAll(store)
    const after = await termsOf(kind, at)
    expect(after).not.toContain('gir')
    expect(after).toContain('invoice')
  },
)

promise(
  ['CS-INBOX-23'],
  'an approval that Postgres commits after later ones is found, though its block was indexed before',
  async () => {
    const url = await freshDatabase()
    const store = await openPostgres(url)
    const { id } = await ask(store, 'Pay the elephant?')
    const late = newId()
    const client = await rawClient(url)
    await client.query('set session_replication_role = replica')
    await client.query('begin')
    await copyOf(client, { id, late })
    await askMany(store, 140)
    await indexAll(store)
    expect(await found(store, 'giraffe')).toEqual([])
    await client.query('commit')
    expect(await found(store, 'giraffe')).toEqual([late])
    await indexAll(store)
    expect(await found(store, 'giraffe')).toEqual([late])
  },
)

/** The rows of an approval under another id, as a server of its own would write them. */
async function copyOf(client: Client, { id, late }: { id: string; late: string }): Promise<void> {
  const { rows } = await client.query<{ body: string }>(
    'select body from countersign.approvals where id = $1',
    [id],
  )
  const body = rows[0]?.body.replaceAll(id, late) ?? ''
  const as = `jsonb_build_object('id', $2::text, 'approval', $2::text)`
  await client.query(
    `insert into countersign.approvals overriding user value
     select (jsonb_populate_record(a, jsonb_build_object('id', $2::text, 'body', $3::text,
       'seal', $4::text))).* from countersign.approvals a where id = $1`,
    [id, late, body, sha256(body)],
  )
  await client.query(
    `insert into countersign.content overriding user value
     select (jsonb_populate_record(c, ${as} || jsonb_build_object('key', replace(key, $1, $2),
       'value', replace(value, 'elephant', 'giraffe')))).*
     from countersign.content c where approval = $1`,
    [id, late],
  )
  await client.query(
    `insert into countersign.events overriding user value
     select (jsonb_populate_record(e, ${as} || jsonb_build_object('writer', 'another',
       'xid', pg_current_xact_id()::text))).*
     from countersign.events e where approval = $1 and type = 'requested'`,
    [id, late],
  )
}

promise(
  ['CS-INBOX-23'],
  'a search walks few rows of a long history, and all of it without an index',
  async () => {
    const store = await openSqlite(path.join(newFolder(), 'a.db'))
    const first = await ask(store, 'Pay the giraffe?')
    await askMany(store, 700)
    await indexAll(store)
    const { text, wanted } = { text: 'giraffe', wanted: wantedBy({ text: 'giraffe' }) }
    expect(await found(store, text)).toEqual([first.id])
    let walked = 0
    const nothing = { end: 0, stale: [] }
    const index = {
      coverage: async () => nothing,
      nearest: async () => undefined,
      blocksOf: async () => [],
    }
    const rows = (await store.list({}, { order: 'newest', limit: 500 })).approvals
    const candidates = async () => {
      walked += 1
      return walked === 1
        ? rows
            .slice(0, 51)
            .map((approval, at) => ({ approval, rank: 0, due: 0, position: 700 - at }))
        : []
    }
    if (!wanted) throw new Error('nothing is wanted')
    const parts = { index, candidates, contentOf: store.contentOf, pause: async () => {} }
    const paging = { order: 'newest', limit: 50, after: undefined } as const
    // The index knows nothing: the walk goes on to the end of the list.
    expect(await searchPage(parts, {}, { paging, wanted })).toEqual({ approvals: [] })
    expect(walked).toBe(2)
    // It knows all of it, and that no block holds the word: nothing further is walked.
    walked = 0
    const all = { ...index, coverage: async () => ({ end: 6, stale: [] }) }
    expect(await searchPage({ ...parts, index: all }, {}, { paging, wanted })).toEqual({
      approvals: [],
    })
    expect(walked).toBe(1)
  },
)

promise(
  ['CS-INBOX-23'],
  'what is not indexed yet is found, also before a block that has to be indexed again',
  async () => {
    const file = path.join(newFolder(), 'a.db')
    const store = await openSqlite(file, { busyFor: 20 })
    await askMany(store, 130)
    await indexAll(store)
    await askMany(store, 30)
    const giraffe = await ask(store, 'Pay the giraffe?')
    await askMany(store, 240)
    const db = new DatabaseSync(file)
    onTestFinished(() => db.close())
    db.exec("insert into search_stale (tenant, block) values ('default', 3)")
    // While another process writes, the index stays as it is.
    db.exec('begin immediate')
    const { approvals } = await store.list({ text: 'giraffe' }, { order: 'oldest' })
    db.exec('rollback')
    expect(approvals.map(({ id }) => id)).toEqual([giraffe.id])
  },
)

promise.each(
  ['CS-INBOX-23'],
  'a block that leaves the index while a search goes on is walked, in',
  [['sqlite'], ['postgres']] as ['sqlite' | 'postgres'][],
  async (kind) => {
    const at = kind === 'sqlite' ? path.join(newFolder(), 'a.db') : await freshDatabase()
    const store = await (kind === 'sqlite' ? openSqlite : openPostgres)(at)
    await askMany(store, 300)
    await indexAll(store)
    const index = kind === 'sqlite' ? indexOfFile(at) : indexOfServer(at)
    expect((await index.coverage()).end).toBe(2)
    await index.run("insert into search_stale (tenant, block) values ('default', 1)")
    expect(await index.nearest(['giraffe'], 1, true)).toBe(1)
    expect(await index.nearest(['giraffe'], 0, false)).toBe(1)
    expect(await index.nearest(['giraffe'], 0, true)).toBeUndefined()
    expect(await index.nearest(['invoice'], 0, true)).toBe(0)
  },
)

function indexOfFile(at: string) {
  const db = new DatabaseSync(at)
  onTestFinished(() => db.close())
  const parts = { tenant: 'default', transact: async <T>(work: () => T) => work() }
  return { ...sqliteSearch(db, parts), run: async (sql: string) => db.exec(sql) }
}

function indexOfServer(at: string) {
  const pool = new Pool({ connectionString: at })
  onTestFinished(() => pool.end())
  const query = (sql: string, values: readonly unknown[]) => pool.query(sql, [...values])
  const run = (sql: string) => pool.query(sql.replace('search_', 'countersign.search_'))
  return { ...postgresSearch({ pool, query, tenant: 'default' }), run }
}

promise(
  ['CS-INBOX-23'],
  'Postgres forgets none of very many blocks that have changed since it looked',
  async () => {
    const url = await freshDatabase()
    const store = await openPostgres(url)
    const client = await rawClient(url)
    // Each approval in a block of its own.
    await client.query(
      'alter table countersign.approvals alter column position set increment by 128',
    )
    await askMany(store, 1_100)
    await client.query(
      "insert into countersign.search_tenants (tenant, next_block, horizon) values ('default', 2000, '3')",
    )
    await store.index?.()
    const { rows } = await client.query(
      `select (select count(*) from countersign.search_stale)
         + (select count(*) from countersign.search_blocks) as known`,
    )
    expect(Number(rows[0].known)).toBe(1_100)
  },
)

promise(
  ['CS-INBOX-23'],
  'what is decided in a database that was restored elsewhere is found by who decided it',
  async () => {
    const url = await freshDatabase()
    const before = await openPostgres(url)
    const approval = await ask(before, 'Pay the giraffe?')
    await askMany(before, 130)
    await indexAll(before)
    await before.close()
    const client = await rawClient(url)
    // Where it was before, transactions had higher numbers.
    await client.query("update countersign.identity set place = 'elsewhere'")
    await client.query(
      `update countersign.search_tenants set horizon =
         (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 100)::text::xid8`,
    )
    const store = await openPostgres(url)
    expect(store.quarantine?.reason).toBe('copied')
    await store.apply(approval.id, deciding(approval, approverNamed('zebedee')))
    for (let nth = 0; nth < 150; nth += 1) await client.query('select pg_current_xact_id()')
    expect(await found(store, 'zebedee')).toEqual([approval.id])
  },
)
