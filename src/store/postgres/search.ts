import type { Pool, QueryResult } from 'pg'
import { type BlockRow, blockPrefixes } from '../search/block.ts'
import { BLOCK, type Coverage, EVERY_WORD, type SearchIndex } from '../search/search.ts'
import { RANKS } from '../sql/list-sql.ts'
import { firstOf, numberOf, type Row, textOf } from './connect.ts'
import { IS_OF_HERE } from './feed.ts'
import { transaction } from './open.ts'

export interface PostgresSearch extends SearchIndex {
  /** Makes some blocks; false once there are no more to make, or while another server makes them. */
  step(): Promise<boolean>
}

const BLOCKS_AT_ONCE = 4
/** Steps before a search; behind by more than that, it looks through what is not indexed. */
const STEPS_BEFORE = 4
/** Changed blocks that are looked through with a search; with more, it goes without the index. */
const MOST_STALE = 1_000

interface State {
  readonly nextBlock: number
  /** What was asked or edited before it is in the blocks before that. */
  readonly seen: string
  /** What will be before it from now on is seen now. */
  readonly horizon: string
  /** The newest approval. */
  readonly last: number
}

type Query = (sql: string, values: readonly unknown[]) => Promise<QueryResult<Row>>

interface SearchParts {
  readonly pool: Pool
  readonly query: Query
  readonly tenant: string
}

export function createSearch({ pool, query, tenant }: SearchParts): PostgresSearch {
  function step(): Promise<boolean> {
    return transaction(pool, async (client) => {
      const inside: Query = (sql, values) => client.query<Row>(sql, [...values])
      if (numberOf(firstOf(await inside(LOCK, [tenant])), 'locked') !== 1) return false
      // Read first: what commits after this is at the horizon or behind it, and looked at again.
      const { nextBlock, seen, horizon, last } = await stateFrom(inside)
      // All of them: from here on, nothing before the horizon is looked for again.
      const changed = await blocksFrom(inside, CHANGED, [tenant, seen, nextBlock * BLOCK, null])
      await inside(MARK_STALE, [tenant, changed])
      const stale = await blocksFrom(inside, STALE, [tenant, BLOCKS_AT_ONCE])
      const whole = Math.floor((last + 1) / BLOCK)
      const room = BLOCKS_AT_ONCE - stale.length
      const until = Math.max(nextBlock, Math.min(whole, nextBlock + room))
      const added = Array.from({ length: until - nextBlock }, (_, nth) => nextBlock + nth)
      for (const block of [...stale, ...added]) await make(inside, block)
      await inside(CLEAR_STALE, [tenant, stale])
      await inside(SAVE, [tenant, until, horizon])
      return until < whole || room === 0
    })
  }

  async function make(inside: Query, block: number): Promise<void> {
    const { rows } = await inside(ROWS, [tenant, block * BLOCK, (block + 1) * BLOCK])
    const prefixes = blockPrefixes(rows.map(blockRow))
    await inside(REMOVE, [tenant, block])
    if (prefixes.length > 0) await inside(ADD, [tenant, block, prefixes])
  }

  async function stateFrom(from: Query): Promise<State> {
    const row = firstOf(await from(STATE, [tenant]))
    const [horizon, last] = [textOf(row, 'horizon'), numberOf(row, 'last')]
    // Never made; or restored into another cluster, whose transactions have lower numbers.
    if (numberOf(row, 'is_unusable') === 1) return { nextBlock: 0, seen: horizon, horizon, last }
    return { nextBlock: numberOf(row, 'next_block'), seen: textOf(row, 'seen'), horizon, last }
  }

  async function blocksFrom(
    from: Query,
    sql: string,
    values: readonly unknown[],
  ): Promise<number[]> {
    return (await from(sql, values)).rows.map((row) => numberOf(row, 'block'))
  }

  async function staleOf({ nextBlock, seen }: State): Promise<number[]> {
    const [changed, marked] = await Promise.all([
      blocksFrom(query, CHANGED, [tenant, seen, nextBlock * BLOCK, MOST_STALE]),
      blocksFrom(query, STALE, [tenant, MOST_STALE]),
    ])
    return [...changed, ...marked]
  }

  const isBehind = ({ nextBlock, last }: State) => (nextBlock + 1) * BLOCK <= last + 1

  return {
    async step() {
      const state = await stateFrom(query)
      return isBehind(state) || (await staleOf(state)).length > 0 ? step() : false
    },
    async coverage(): Promise<Coverage> {
      let state = await stateFrom(query)
      let stale = await staleOf(state)
      if (isBehind(state) || stale.length > 0) {
        // A database that takes no writes now is searched without.
        for (let nth = 0; nth < STEPS_BEFORE && (await step().catch(() => false)); nth += 1);
        state = await stateFrom(query)
        stale = await staleOf(state)
      }
      return stale.length < MOST_STALE ? { end: state.nextBlock, stale } : { end: 0, stale: [] }
    },
    async nearest(prefixes, from, isDown) {
      const wanted = `(${prefixes.map(quoted).join(' & ')}) | ${quoted(EVERY_WORD)}`
      const row = firstOf(await query(NEAREST, [tenant, wanted, from, isDown]))
      return row.block === null ? undefined : numberOf(row, 'block')
    },
    async blocksOf(id) {
      return blocksFrom(query, BLOCKS_OF, [tenant, id, `${id}~`])
    },
  }
}

function blockRow(row: Row): BlockRow {
  return { body: textOf(row, 'body'), questions: JSON.parse(textOf(row, 'questions')) as string[] }
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** The key that erasing takes, too. */
const LOCK = 'select pg_try_advisory_xact_lock(hashtextextended($1, 4750))::int as locked'

const STATE = `
  select t.next_block, t.horizon::text as seen,
    coalesce(t.horizon > pg_snapshot_xmax(pg_current_snapshot()), true)::int as is_unusable,
    pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
    greatest(0,
      (select max(newest) from (values ${RANKS}) as r(rank) cross join lateral (
        select max(position) as newest from countersign.approvals
        where tenant = $1 and due_at is null and risk = r.rank) as over),
      (select max(position) from countersign.approvals
        where tenant = $1 and due_at is not null)) as last
  from (select 1) as one left join countersign.search_tenants t on t.tenant = $1`

/**
 * Asked, edited or decided in a transaction that may have been under way when the blocks were made. A late
 * one commits behind others with a higher position.
 */
const CHANGED = `
  select distinct a.position / ${BLOCK} as block from (
    select distinct approval from countersign.events
    where tenant = $1 and xid >= $2::text::xid8 and ${IS_OF_HERE} and approval is not null
      and type not in ('claimed', 'finished')
  ) as e join countersign.approvals a on a.tenant = $1 and a.id = e.approval
  where a.position < $3 limit $4`

const STALE = `
  select block from countersign.search_stale where tenant = $1 order by block limit $2`

const MARK_STALE = `
  insert into countersign.search_stale (tenant, block) select $1, unnest($2::bigint[])
  on conflict do nothing`

const CLEAR_STALE = 'delete from countersign.search_stale where tenant = $1 and block = any($2)'

const SAVE = `
  insert into countersign.search_tenants (tenant, next_block, horizon)
  values ($1, $2, $3::text::xid8)
  on conflict (tenant) do update
  set next_block = excluded.next_block, horizon = excluded.horizon`

const ROWS = `
  select f.body, coalesce((select json_agg(c.value order by c.position) from countersign.content c
    where c.tenant = $1 and c.approval = f.id and c.kind = 'question'), '[]')::text as questions
  from (
    select o.id, o.body from (values ${RANKS}) as r(rank) cross join lateral (
      select id, body from countersign.approvals where tenant = $1 and due_at is null
        and risk = r.rank and position >= $2 and position < $3) as o
    union all
    select id, body from countersign.approvals
    where tenant = $1 and due_at is not null and position >= $2 and position < $3
  ) as f`

const REMOVE = 'delete from countersign.search_blocks where tenant = $1 and block = $2'

const ADD = `
  insert into countersign.search_blocks (tenant, block, words)
  values ($1, $2, array_to_tsvector($3::text[]))`

/** One that left the index since the search began has to be walked; both are read at one moment. */
const NEAREST = `
  select case when $4 then greatest(countersign.search_nearest($1, $2::tsquery, $3, true),
      (select max(block) from countersign.search_stale where tenant = $1 and block <= $3))
    else least(countersign.search_nearest($1, $2::tsquery, $3, false),
      (select min(block) from countersign.search_stale where tenant = $1 and block >= $3))
    end as block`

const BLOCKS_OF = `
  select distinct position / ${BLOCK} as block from countersign.approvals
  where tenant = $1 and id >= $2 and id < $3 limit 50`
