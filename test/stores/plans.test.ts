import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fillPostgres } from '../../bench/growth/fill-postgres.ts'
import { fillSqlite } from '../../bench/growth/fill-sqlite.ts'
import type { AuditEntry } from '../../src/store/audit/audit-entry.ts'
import { pagingOf } from '../../src/store/engine/page.ts'
import { listSql } from '../../src/store/sql/list-sql.ts'
import { numbered } from '../../src/store/sql/sql.ts'
import type { Filter, Order, Store } from '../../src/store/store.ts'
import { asking } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from './place.ts'

/*
 * What a list reads of the history, as the databases themselves say it. Times are noisy; a plan that
 * sorts or scans the history is not.
 */

const FILTERS: readonly Filter[] = [
  {},
  { status: ['approved', 'denied', 'expired', 'withdrawn', 'invalidated'] },
  { status: ['denied'] },
  { status: ['approved'] },
  { execution: ['failed'] },
  { execution: ['unknown', 'running'] },
  { agent: 'agent-busy' },
  { tool: 'deploy' },
  { run: 'run-7' },
  { agent: 'agent-busy', status: ['denied'] },
  { tool: 'deploy', execution: ['unknown'] },
  { server: 'server-4' },
  { status: ['pending'] },
]
const ORDERS: readonly Order[] = ['newest', 'oldest', 'risk', 'deadline']
const AFTER: Readonly<Record<Order, string>> = {
  newest: 'newest.300',
  oldest: 'oldest.300',
  risk: `risk.-3.${Number.MAX_SAFE_INTEGER}.300`,
  deadline: `deadline.${Number.MAX_SAFE_INTEGER}.300`,
}

function lists(dialect: { readonly table: string; readonly key: string }) {
  return FILTERS.flatMap((filter) =>
    ORDERS.flatMap((order) =>
      [undefined, AFTER[order]].map((after) => {
        const paging = pagingOf({ order, limit: 10, ...(after === undefined ? {} : { after }) })
        const sql = listSql(dialect, 'default', filter, paging)
        if (!sql) throw new Error('this filter finds nothing')
        const page = after === undefined ? 'first page' : 'next page'
        return { name: `${JSON.stringify(filter)} by ${order}, ${page}`, sql, filter }
      }),
    ),
  )
}

promise(
  ['CS-GROWTH-4'],
  'SQLite reads every list of the history from an index, in order',
  async () => {
    const file = path.join(newFolder(), 'approvals.db')
    await fillSqlite(file, 4_000)
    const db = new DatabaseSync(file)
    for (const { name, sql } of lists({ table: 'approvals', key: 'position' })) {
      const steps = db.prepare(`explain query plan ${sql.text}`).all(...sql.values) as {
        readonly parent: number
        readonly detail: string
      }[]
      const details = steps.map(({ detail }) => detail)
      expect(
        details.filter((detail) =>
          /^SCAN approvals|^SEARCH approvals .*\(tenant=\?\)$/.test(detail),
        ),
        name,
      ).toEqual(details.filter((detail) => /approvals_open \(tenant=\?\)$/.test(detail)))
      const ordered = steps.filter(({ detail }) =>
        /USING (COVERING )?INDEX approvals_by_(?!key)/.test(detail),
      )
      for (const { parent } of ordered) {
        const beside = steps.filter((step) => step.parent === parent).map(({ detail }) => detail)
        expect(beside.join('\n'), name).not.toContain('TEMP B-TREE FOR ORDER BY')
      }
    }
    db.close()
    const store = await openSqlite(file)
    expect(await pagesOf(store)).toBe(500)
    await assertTimesFound(store)
  },
  60_000,
)

/** Entries of a span in the middle of the record are those that going through all of it finds. */
async function assertTimesFound(store: Store): Promise<void> {
  const middle = Date.now() - 30 * 86_400_000
  const [since, until] = [middle, middle + 12 * 86_400_000]
  const all: AuditEntry[] = []
  for (let cursor = 'start'; ; ) {
    const feed = await store.eventsSince(cursor, 1_000)
    if (feed.entries.length === 0) break
    all.push(...feed.entries)
    cursor = feed.cursor
  }
  const then = all.filter(({ event }) => event.at >= since && event.at <= until)
  expect(then.length).toBeGreaterThan(500)
  const hashes = (entries: readonly AuditEntry[]) => entries.map(({ hash }) => hash)
  const up = await store.eventsSince('start', 1_000, { since, until })
  expect(hashes(up.entries)).toEqual(hashes(then.slice(0, 1_000)))
  const down = await store.eventsBefore('end', 1_000, { since, until })
  expect(hashes(down.entries)).toEqual(hashes(then.toReversed().slice(0, 1_000)))
}

/** Looked through in parts, some of them short, page by page: nothing twice, and nothing left out. */
async function pagesOf(store: Store): Promise<number> {
  const found: string[] = []
  let [pages, after] = [0, '']
  do {
    const page = await store.list(
      { server: 'server-4' },
      { order: 'newest', limit: 500, ...(after === '' ? {} : { after }) },
    )
    found.push(...page.approvals.map(({ id }) => id))
    after = page.next ?? ''
    pages += 1
  } while (after !== '')
  expect(new Set(found).size).toBe(found.length)
  expect(pages).toBeGreaterThan(1)
  return found.length
}

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly Plans?: readonly Node[]
}

/** Rows of a table that a plan looked at. */
function looked(node: Node, table: string): number {
  const own = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  const here = node['Relation Name'] === table ? own * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, one) => sum + looked(one, table), here)
}

promise(
  ['CS-GROWTH-4'],
  'Postgres looks at no more of the history than pages of it',
  async () => {
    const url = await freshDatabase()
    const file = path.join(newFolder(), 'approvals.db')
    await fillSqlite(file, 4_000)
    await fillPostgres(url, file)
    const client = await rawClient(url)
    for (const { name, sql, filter } of lists({ table: 'countersign.approvals', key: 'id' })) {
      const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Node }] }>(
        `explain (analyze, format json) ${numbered(sql)}`,
        [...sql.values],
      )
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      if (!plan) throw new Error('there is no plan')
      // Filters that no index holds look through 500 rows of each risk.
      const isWindowed =
        filter.server !== undefined || Object.keys(filter).filter((key) => key !== 'run').length > 1
      expect(looked(plan, 'approvals'), name).toBeLessThan(isWindowed ? 3_200 : 500)
    }
    const store = await openPostgres(url)
    expect(await pagesOf(store)).toBe(500)
    await assertTimesFound(store)
    const asking = vi.spyOn(Pool.prototype, 'query')
    onTestFinished(() => asking.mockRestore())
    const since = Date.now() - 30 * 86_400_000
    await store.eventsBefore('end', 50, { since, until: since + 4 * 86_400_000 })
    const asked = (asking.mock.calls as unknown[][]).find(([text]) =>
      String(text).includes('e.xid >= coalesce'),
    )
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Node }] }>(
      `explain (analyze, format json) ${String(asked?.[0])}`,
      asked?.[1] as unknown[],
    )
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    if (!plan) throw new Error('there is no plan')
    // Of 17,000 entries, written a thousand in a transaction.
    expect(looked(plan, 'events')).toBeLessThan(4_000)
  },
  60_000,
)

/** Every statement that a store prepares when it is opened, and those of its lists. */
async function statementsOf(file: string): Promise<string[]> {
  const { prepare } = DatabaseSync.prototype
  const said = new Set<string>()
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    said.add(sql)
    return prepare.call(this, sql)
  }
  try {
    const store = await openSqlite(file)
    await store.eventsBefore('end', 10, { types: ['lock.set'] })
    await store.eventsBefore('end', 10, { since: 1, until: 2 })
    await store.eventsSince('start', 10, { since: 1, until: 2 })
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  for (const { sql } of lists({ table: 'approvals', key: 'position' })) said.add(sql.text)
  return [...said].filter((sql) => !/^\s*(pragma|create|drop|alter|begin)/i.test(sql))
}

test('every index of SQLite is one that a statement reads', async () => {
  const file = path.join(newFolder(), 'approvals.db')
  const statements = await statementsOf(file)
  const db = new DatabaseSync(file)
  const plans = statements
    .flatMap((sql) => db.prepare(`explain query plan ${sql}`).all())
    .map(({ detail }) => String(detail))
  const indexes = db
    .prepare("select name from sqlite_schema where type = 'index' and sql is not null")
    .all()
    .map(({ name }) => String(name))
  db.close()
  const used = (name: string) => plans.some((detail) => new RegExp(`\\b${name}\\b`).test(detail))
  expect(indexes.filter((name) => !used(name))).toEqual([])
})

promise(['CS-GROWTH-4'], 'SQLite walks through entries from one bound, not from two', async () => {
  const statements = await statementsOf(path.join(newFolder(), 'approvals.db'))
  const feeds = statements.filter((sql) => /from events e\b/.test(sql) && sql.includes('at >= ?'))
  expect(feeds.length).toBeGreaterThan(1)
  // Of two bounds in one direction it takes the first: that may be the end of the whole record.
  for (const bound of [/position </g, /position >/g]) {
    expect(feeds.map((sql) => sql.match(bound)?.length)).toEqual(feeds.map(() => 1))
  }
})

test('SQLite begins no join with the whole history, however long that is', async () => {
  const file = path.join(newFolder(), 'approvals.db')
  const statements = (await statementsOf(file)).filter((sql) => /\bjoin\b/.test(sql))
  expect(statements.length).toBeGreaterThan(5)
  const db = new DatabaseSync(file)
  db.exec('analyze')
  const put = db.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
  const indexesOf = db.prepare('select name, "unique" as isOne from pragma_index_list(?)')
  for (const table of ['approvals', 'events', 'content']) {
    for (const { name, isOne } of indexesOf.all(table)) {
      const columns = db.prepare('select count(*) as n from pragma_index_info(?)').get(String(name))
      // Rows in all; then those that are alike in the first column, the first two and so on. Looking
      // for this, `pragma optimize` stops after 2,000 rows, so that a tenant seems to have no more.
      const alike = Array.from({ length: Number(columns?.n) }, (_, at) =>
        at > 0 && isOne === 1 && at === Number(columns?.n) - 1 ? 1 : 2_001,
      )
      put.run(table, String(name), [1_000_000, ...alike].join(' '))
    }
  }
  db.close()
  // Statistics are read when a file is opened.
  const large = new DatabaseSync(file)
  const walking = statements.filter((sql) =>
    large
      .prepare(`explain query plan ${sql}`)
      .all()
      .some(({ detail }) => WALKS.test(String(detail)) && !FEW.test(String(detail))),
  )
  large.close()
  expect(walking.map((sql) => sql.replaceAll(/\s+/g, ' ').trim())).toEqual([])
})

const WALKS = /^SCAN (a|approvals|events)\b|^SEARCH (a|approvals|e|events)\b.*\(tenant=\?\)$/
/** Of what is open there are as many as people are behind with. */
const FEW = /approvals_open/

test('Postgres finds the rows of a batch by their keys before it has statistics', async () => {
  const url = await freshDatabase()
  const store = await openPostgres(url)
  const asked = Array.from({ length: 600 }, (_, n) => asking({ call: { run: `${n}`, key: 'k' } }))
  await Promise.all(asked.map((request) => store.apply(request.id, request)))
  const [one] = asked
  const client = await rawClient(url)
  const { agent, run, key } = one?.call ?? {}
  const callers = JSON.stringify([
    { agent, run, key, digest: one?.digest },
    { agent, run, digest: one?.digest },
  ])
  const id = one?.id ?? ''
  const ended = (one: string) => [one, 1, 2, 'withdrawn', null, 0, 1, null, null, 'x', 'x']
  const write = `select countersign.write_batch('default', 1, $1, null, null, null, null, null, null,
    null, null, null)`
  for (const [sql, values] of [
    [
      `select * from countersign.open_batch('default', $1, $2, null, null, null, null, '', false,
        false)`,
      [[id], callers],
    ],
    [write, [ended(id)]],
    // Three have one statement, one has its own.
    [write, [asked.slice(0, 3).flatMap((each) => ended(each.id))]],
  ] as const) {
    let pages = Number.POSITIVE_INFINITY
    // A plan of functions is made at their first call in a connection, and reads catalogs.
    for (const _ of [1, 2]) {
      await client.query('begin')
      const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Node }] }>(
        `explain (analyze, buffers, format json) ${sql}`,
        [...values],
      )
      await client.query('rollback')
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      pages = plan?.['Shared Hit Blocks'] ?? Number.POSITIVE_INFINITY
    }
    expect(pages, sql).toBeLessThan(100)
  }
}, 60_000)
