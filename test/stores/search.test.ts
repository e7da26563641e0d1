import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { expect } from 'vitest'
import { newId } from '../../src/base/id.ts'
import { sha256 } from '../../src/store/audit/chain.ts'
import { searchPage } from '../../src/store/search/search.ts'
import { wantedBy } from '../../src/store/search/words.ts'
import type { Store } from '../../src/store/store.ts'
import { asking, deciding } from '../../src/testing/commands.ts'
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
    const { text, wanted } = { text: 'giraffe', wanted: wantedBy('giraffe') }
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
