import type { DatabaseSync } from 'node:sqlite'
import { type BlockRow, blockPrefixes } from '../search/block.ts'
import { BLOCK, type Coverage, EVERY_WORD, type SearchIndex } from '../search/search.ts'
import { integer, prepare, type Row, text } from './connection.ts'

interface SearchParts {
  readonly tenant: string
  /** Runs `work` in one transaction that writes. */
  readonly transact: <T>(work: () => T) => Promise<T>
}

export interface SqliteSearch extends SearchIndex {
  /** Makes some blocks; false once there are no more to make. */
  step(): Promise<boolean>
}

/** Blocks made in one transaction: others wait for no longer than that takes. */
const BLOCKS_AT_ONCE = 2
/** Steps before a search; behind by more than that, it looks through what is not indexed. */
const STEPS_BEFORE = 8
const TENANT_SPAN = 2 ** 32

export function createSearch(db: DatabaseSync, { tenant, transact }: SearchParts): SqliteSearch {
  const sql = prepareSearch(db)

  function step(): Promise<boolean> {
    return transact(() => {
      const state = known()
      const { number, nextBlock } = state
      const newest = lastEvent()
      for (const block of changedSince(state)) sql.markStale.run(tenant, block)
      const stale = sql.stale.all(tenant, BLOCKS_AT_ONCE).map((row) => integer(row, 'block'))
      for (const block of stale) {
        make(number, block)
        sql.clearStale.run(tenant, block)
      }
      // Whole ones only: what is not full yet is looked through.
      const whole = Math.floor((integer(sql.lastApproval.get() ?? {}, 'position') + 1) / BLOCK)
      const until = Math.min(whole, nextBlock + BLOCKS_AT_ONCE - stale.length)
      for (let block = nextBlock; block < until; block += 1) make(number, block)
      sql.save.run(Math.max(until, nextBlock), newest, number)
      return until < whole || stale.length === BLOCKS_AT_ONCE
    })
  }

  const lastEvent = () => integer(sql.lastEvent.get() ?? {}, 'position')

  /** Blocks with approvals that were edited or decided since. */
  function changedSince({ nextBlock, seenEvent }: State): number[] {
    const rows = sql.changed.all(tenant, seenEvent, tenant, nextBlock * BLOCK)
    return rows.map((row) => integer(row, 'block'))
  }

  /** In a transaction that writes: of a tenant that was never indexed as well. */
  function known() {
    const row = sql.known.get(tenant)
    if (row) return stateOf(row)
    sql.begin.run(tenant, lastEvent())
    return stateOf(sql.known.get(tenant) ?? {})
  }

  function make(number: number, block: number): void {
    const id = number * TENANT_SPAN + block
    const first = block * BLOCK
    const questions = Map.groupBy(sql.questions.all(tenant, tenant, first, first + BLOCK), (row) =>
      text(row, 'approval'),
    )
    const rows = sql.approvals.all(tenant, first, first + BLOCK).map(
      (row): BlockRow => ({
        body: text(row, 'body'),
        questions: (questions.get(text(row, 'id')) ?? []).map((one) => text(one, 'value')),
      }),
    )
    const prefixes = blockPrefixes(rows)
    sql.remove.run(id)
    if (prefixes.length > 0) sql.add.run(id, prefixes.join(' '))
  }

  return {
    step: async () => (isBehind() ? step() : false),
    async coverage(): Promise<Coverage> {
      if (isBehind()) {
        // A database that takes no writes now is searched without.
        for (let nth = 0; nth < STEPS_BEFORE && (await step().catch(() => false)); nth += 1);
      }
      const row = sql.known.get(tenant)
      if (!row) return { end: 0, stale: [] }
      const state = stateOf(row)
      const stale = sql.stale.all(tenant, -1).map((one) => integer(one, 'block'))
      return { end: state.nextBlock, stale: [...stale, ...changedSince(state)] }
    },
    async nearest(prefixes, from, isDown) {
      const row = sql.known.get(tenant)
      if (!row) return undefined
      const base = stateOf(row).number * TENANT_SPAN
      const wanted = `(${prefixes.map(quoted).join(' AND ')}) OR ${quoted(EVERY_WORD)}`
      // One that left the index since the search began has to be walked.
      if (isDown) {
        const found = sql.nearestDown.get(wanted, base, base + from)
        const stale = sql.staleDown.get(tenant, from)
        return largest(found && integer(found, 'rowid') - base, stale && integer(stale, 'block'))
      }
      const found = sql.nearestUp.get(wanted, base + from, base + TENANT_SPAN - 1)
      const stale = sql.staleUp.get(tenant, from)
      return smallest(found && integer(found, 'rowid') - base, stale && integer(stale, 'block'))
    },
    async blocksOf(id) {
      return sql.blocksOf.all(tenant, id, `${id}~`).map((row) => integer(row, 'block'))
    },
  }

  function isBehind(): boolean {
    const row = sql.known.get(tenant)
    if (!row) return true
    const state = stateOf(row)
    const last = integer(sql.lastApproval.get() ?? {}, 'position')
    return (
      (state.nextBlock + 1) * BLOCK <= last + 1 ||
      sql.stale.get(tenant, 1) !== undefined ||
      changedSince(state).length > 0
    )
  }
}

interface State {
  readonly number: number
  readonly nextBlock: number
  readonly seenEvent: number
}

function stateOf(row: Row): State {
  return {
    number: integer(row, 'number'),
    nextBlock: integer(row, 'next_block'),
    seenEvent: integer(row, 'seen_event'),
  }
}

function largest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}

function smallest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`
}

function prepareSearch(db: DatabaseSync) {
  return {
    known: prepare(db, 'select * from search_tenants where tenant = ?'),
    begin: prepare(
      db,
      'insert into search_tenants (tenant, next_block, seen_event) values (?, 0, ?)',
    ),
    save: prepare(db, 'update search_tenants set next_block = ?, seen_event = ? where number = ?'),
    lastEvent: prepare(db, 'select coalesce(max(position), 0) as position from events'),
    lastApproval: prepare(db, 'select coalesce(max(position), 0) as position from approvals'),
    // A cross join keeps its order: by its statistics SQLite would rather walk through all approvals.
    changed: prepare(
      db,
      `select distinct a.position / ${BLOCK} as block from (
         select distinct approval from events
         where +tenant = ? and position > ? and approval is not null and type <> 'requested'
           and type <> 'claimed' and type <> 'finished'
       ) as e cross join approvals a on a.tenant = ? and a.id = e.approval where a.position < ?`,
    ),
    stale: prepare(db, 'select block from search_stale where tenant = ? order by block limit ?'),
    staleDown: prepare(
      db,
      'select block from search_stale where tenant = ? and block <= ? order by block desc limit 1',
    ),
    staleUp: prepare(
      db,
      'select block from search_stale where tenant = ? and block >= ? order by block limit 1',
    ),
    markStale: prepare(db, 'insert or ignore into search_stale (tenant, block) values (?, ?)'),
    clearStale: prepare(db, 'delete from search_stale where tenant = ? and block = ?'),
    approvals: prepare(
      db,
      'select id, body from approvals where +tenant = ? and position >= ? and position < ?',
    ),
    questions: prepare(
      db,
      `select c.approval, c.value from approvals a
       cross join content c on c.tenant = ? and c.approval = a.id and c.kind = 'question'
       where +a.tenant = ? and a.position >= ? and a.position < ? order by c.position`,
    ),
    remove: prepare(db, 'delete from search_blocks where id = ?'),
    add: prepare(db, 'insert into search_blocks (id, words) values (?, ?)'),
    nearestDown: prepare(
      db,
      `select rowid from search_words where search_words match ? and rowid >= ? and rowid <= ?
       order by rowid desc limit 1`,
    ),
    nearestUp: prepare(
      db,
      `select rowid from search_words where search_words match ? and rowid >= ? and rowid <= ?
       order by rowid limit 1`,
    ),
    blocksOf: prepare(
      db,
      `select distinct position / ${BLOCK} as block from approvals
       where tenant = ? and id >= ? and id < ? limit 50`,
    ),
  }
}
