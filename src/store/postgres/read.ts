import type { Pool, QueryResult } from 'pg'
import type { Approval, Status } from '../../approval/approval.ts'
import { SILENCE } from '../../approval/commands/execution.ts'
import type { Content, ContentKind } from '../../approval/transition.ts'
import { isCountersignError } from '../../base/errors.ts'
import { COUNT_COLUMNS, toolCounts } from '../engine/counts.ts'
import type { Cursors } from '../engine/cursor.ts'
import { type Candidate, type Paging, pageOf, pagingOf } from '../engine/page.ts'
import { MAX_CANDIDATES } from '../grants.ts'
import { type SearchIndex, searchPage } from '../search/search.ts'
import { wantedBy } from '../search/words.ts'
import { positionsBetween } from '../sql/asked-between.ts'
import { candidateOf, type ListDialect, listSql, RANKS } from '../sql/list-sql.ts'
import { numbered } from '../sql/sql.ts'
import {
  type Filter,
  type Instance,
  MAX_DENIED,
  RESULT_MS,
  type Store,
  type StoreReads,
} from '../store.ts'
import { firstOf, numberOf, type Row, textOf, unavailable } from './connect.ts'
import { createFeed } from './feed.ts'
import { readApproval, readAuditRow } from './found.ts'
import { readGrant } from './grants.ts'
import { CLOCK, CLOCK_SQL } from './open.ts'
import type { ServerClock } from './server-clock.ts'

type Reads = StoreReads & Pick<Store, 'now'>

const APPROVAL = 'select id, body, seal from countersign.approvals where tenant = $1'

type Query = (sql: string, values?: readonly unknown[]) => Promise<QueryResult<Row>>

/** Reads with any connection of the pool; a server that does not answer has one code. */
export function readingFrom(pool: Pool): Query {
  return async (sql, values = []) => {
    try {
      return await pool.query<Row>(sql, [...values])
    } catch (error) {
      throw isCountersignError(error) ? error : unavailable(error)
    }
  }
}

interface ReadParts {
  readonly tenant: string
  readonly cursors: Cursors
  readonly clock: Pick<ServerClock, 'heard'>
  readonly search: SearchIndex
  readonly restoredUntil: number
}

/** Everything a store answers without changing anything. */
export function createReads(query: Query, parts: ReadParts): Reads {
  const { tenant, cursors, clock, search, restoredUntil } = parts
  const feed = createFeed({ query, tenant, cursors, restoredUntil })

  async function one(sql: string, values: readonly unknown[]): Promise<Approval | undefined> {
    const [row] = (await query(sql, values)).rows
    return row && readApproval(row)
  }

  async function now(): Promise<number> {
    const now = numberOf(firstOf(await query(CLOCK_SQL)), 'now')
    // What is written from now on is later than what was said here.
    clock.heard(now, performance.now())
    return now
  }

  async function contentRows(
    ids: readonly string[],
    kinds: readonly ContentKind[] | undefined,
  ): Promise<Row[]> {
    const { rows } = await query(CONTENT, [tenant, ids, kinds ?? null])
    return rows
  }

  async function contentOf(ids: readonly string[], kinds: readonly ContentKind[]) {
    const byApproval = Map.groupBy(await contentRows(ids, kinds), (row) => textOf(row, 'approval'))
    return new Map([...byApproval].map(([id, rows]) => [id, rows.map(contentFrom)]))
  }

  async function candidates(filter: Filter, paging: Paging): Promise<Candidate[]> {
    const positions = await positionsBetween(filter, {
      last: async () => numberOf(firstOf(await query(LAST_ASKED, [tenant])), 'position'),
      async askedAt(position) {
        const [row] = (await query(ASKED_AT, [tenant, position])).rows
        return row && numberOf(row, 'asked_at')
      },
    })
    const wanted = listSql(LISTS, tenant, { ...filter, positions }, paging)
    if (wanted === undefined) return []
    const { rows } = await query(numbered(wanted), wanted.values)
    return rows.map((row) => {
      const [position, rank] = [numberOf(row, 'position'), numberOf(row, 'rank')]
      const due = numberOf(row, 'due')
      const [fits, edge] = [numberOf(row, 'fits'), numberOf(row, 'edge')]
      return candidateOf({ position, rank, due, fits, edge }, () => readApproval(row))
    })
  }

  return {
    now,
    get: (id) => one(`${APPROVAL} and id = $2`, [tenant, id]),
    find: ({ agent, run, key }) =>
      one(`${APPROVAL} and agent = $2 and run = $3 and call_key = $4`, [tenant, agent, run, key]),
    async before({ agent, tool, server, run, key, digest }) {
      const { rows } = await query(
        `select 'asked' as what, id, position, body, seal from countersign.approvals
           where tenant = $1 and agent = $2 and run = $3 and call_key = $4
         union all (select 'denied', id, position, body, seal from countersign.approvals
           where tenant = $1 and agent = $2 and run = $3 and status = 'denied' and tool = $5
           order by (asked_digest = $6) desc, position desc limit ${MAX_DENIED})
         union all (select 'grant', id, position, body, seal from countersign.grants
           where tenant = $1 and agent = $2 and tool = $5 and server is not distinct from $7
             and state = 'live' and ends_at > ${CLOCK}
           order by ends_at, position limit ${MAX_CANDIDATES})`,
        [tenant, agent, run ?? null, key ?? null, tool, digest, server ?? null],
      )
      const of = (what: string) => rows.filter((row) => row.what === what)
      const [asked] = of('asked')
      return {
        approval: asked && readApproval(asked),
        denied: of('denied').map(readApproval),
        grants: of('grant').map(readGrant),
      }
    },
    findByDigest: ({ agent, run, digest }) =>
      one(`${APPROVAL} and agent = $2 and run = $3 and asked_digest = $4 and joinable = 1`, [
        tenant,
        agent,
        run,
        digest,
      ]),
    async getMany(ids) {
      const { rows } = await query(`${APPROVAL} and id = any($2)`, [tenant, ids])
      return rows.map(readApproval)
    },
    async list(filter, page = {}) {
      const paging = pagingOf(page)
      const wanted = wantedBy(filter)
      if (!wanted) return pageOf(await candidates(filter, paging), paging)
      const parts = { index: search, candidates, contentOf, pause: async () => {} }
      return searchPage(parts, filter, { paging, wanted })
    },
    async counts(since) {
      const { rows } = await query(
        `select ${COUNT_COLUMNS}, count(*) as n from countersign.approvals
         where tenant = $1 and due_at is null and asked_at >= $2 group by ${COUNT_COLUMNS}
         union all
         select ${COUNT_COLUMNS}, count(*) as n from countersign.approvals
         where tenant = $1 and due_at is not null and asked_at >= $2 group by ${COUNT_COLUMNS}`,
        [tenant, since],
      )
      return toolCounts(
        rows.map((row) => ({
          server: row.server === null ? undefined : textOf(row, 'server'),
          tool: textOf(row, 'tool'),
          door: row.door === null ? undefined : textOf(row, 'door'),
          status: textOf(row, 'status') as Status,
          n: numberOf(row, 'n'),
        })),
      )
    },
    async events(id) {
      const { rows } = await query(
        `select body, hash from countersign.events
         where tenant = $1 and approval = $2 order by position`,
        [tenant, id],
      )
      return rows.map(readAuditRow)
    },
    eventsSince: (cursor, limit, about = {}) => feed(cursor, { limit, about, isDown: false }),
    eventsBefore: (cursor, limit, about = {}) => feed(cursor, { limit, about, isDown: true }),
    async newestPolicyEvent() {
      // Amendments are written one at a time in a tenant, so their positions are in order.
      const { rows } = await query(
        `select body, hash from countersign.events
         where tenant = $1 and type in ('policy.loaded', 'policy.applied')
         order by position desc limit 1`,
        [tenant],
      )
      return rows[0] && readAuditRow(rows[0])
    },
    async due(limit = 100) {
      const at = await now()
      // Rows that another server works on at this moment are left to it.
      const { rows } = await query(
        `select a.id, a.body, a.seal, i.seen_at from countersign.approvals a
         left join countersign.instances i on i.id = a.instance
         where a.tenant = $1 and a.due_at <= $2
           and (a.instance is null or coalesce(i.seen_at, 0) < $3)
         order by a.due_at limit $4 for update of a skip locked`,
        [tenant, at, at - SILENCE, limit],
      )
      return rows.map((row) => {
        const approval = readApproval(row)
        return row.seen_at === null
          ? { approval }
          : { approval, lastSeen: numberOf(row, 'seen_at') }
      })
    },
    async content(id, kinds) {
      return (await contentRows([id], kinds)).map(contentFrom)
    },
    contentOf,
    async instances() {
      const { rows } = await query(
        `select id, started_at, seen_at, stopped_at from countersign.instances
         where tenant = $1 order by started_at desc, id limit 1000`,
        [tenant],
      )
      return rows.map(instanceOf)
    },
  }
}

const LISTS: ListDialect = { table: 'countersign.approvals', key: 'id' }
// Under a name of its own: `order by xid` would mean the number, which no index holds in order.
/** Of what is over: no other list by time needs positions. One look at an index for each risk. */
const ASKED_AT = `
  select o.asked_at from (values ${RANKS}) as r(rank) cross join lateral (
    select position, asked_at from countersign.approvals
    where tenant = $1 and due_at is null and risk = r.rank and position >= $2
    order by position limit 1) as o
  order by o.position limit 1`

const LAST_ASKED = `
  select coalesce(max(newest), 0) as position from (values ${RANKS}) as r(rank)
  cross join lateral (
    select max(position) as newest from countersign.approvals
    where tenant = $1 and due_at is null and risk = r.rank) as over`

const CONTENT = `
  select approval, key, kind, value from (
    select 1 as part, position, approval, key, kind, value from countersign.content
    where tenant = $1 and approval = any($2) and ($3::text[] is null or kind = any($3))
    union all
    select 2, position, approval, key, kind, value from countersign.results
    where tenant = $1 and approval = any($2) and at > ${CLOCK} - ${RESULT_MS}
      and ($3::text[] is null or kind = any($3))
  ) as kept order by part, position`

function contentFrom(row: Row): Content {
  const kind = textOf(row, 'kind') as ContentKind
  return { key: textOf(row, 'key'), kind, value: JSON.parse(textOf(row, 'value')) }
}

function instanceOf(row: Row): Instance {
  return {
    id: textOf(row, 'id'),
    startedAt: numberOf(row, 'started_at'),
    lastSeen: numberOf(row, 'seen_at'),
    ...(row.stopped_at === null ? {} : { stoppedAt: numberOf(row, 'stopped_at') }),
  }
}
