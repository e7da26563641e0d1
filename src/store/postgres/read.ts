import type { Pool, QueryResult } from 'pg'
import type { Approval, Status } from '../../approval/approval.ts'
import { SILENCE } from '../../approval/commands/execution.ts'
import type { Content } from '../../approval/transition.ts'
import { isCountersignError } from '../../base/errors.ts'
import { COUNT_COLUMNS, toolCounts } from '../engine/counts.ts'
import { type Cursors, feedLimit } from '../engine/cursor.ts'
import { pageOf, pagingOf } from '../engine/page.ts'
import { afterSql, type Bind, filterSql, orderBySql } from '../sql/page-sql.ts'
import { type Instance, RESULT_MS, type Store } from '../store.ts'
import { firstOf, numberOf, type Row, textOf, unavailable } from './connect.ts'
import { CLOCK_SQL } from './open.ts'
import { readApproval, readAuditRow } from './write.ts'

type Reads = Pick<
  Store,
  | 'get'
  | 'find'
  | 'findByDigest'
  | 'list'
  | 'counts'
  | 'events'
  | 'eventsSince'
  | 'eventsBefore'
  | 'newestPolicyEvent'
  | 'due'
  | 'content'
  | 'instances'
  | 'now'
>

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

/** Everything a store answers without changing anything. */
export function createReads(query: Query, tenant: string, cursors: Cursors): Reads {
  async function one(sql: string, values: readonly unknown[]): Promise<Approval | undefined> {
    const [row] = (await query(sql, values)).rows
    return row && readApproval(row)
  }

  async function now(): Promise<number> {
    return numberOf(firstOf(await query(CLOCK_SQL)), 'now')
  }

  return {
    now,
    get: (id) => one(`${APPROVAL} and id = $2`, [tenant, id]),
    find: ({ agent, run, key }) =>
      one(`${APPROVAL} and agent = $2 and run = $3 and call_key = $4`, [tenant, agent, run, key]),
    findByDigest: ({ agent, run, digest }) =>
      one(`${APPROVAL} and agent = $2 and run = $3 and asked_digest = $4 and joinable = 1`, [
        tenant,
        agent,
        run,
        digest,
      ]),
    async list(filter, page = {}) {
      const paging = pagingOf(page)
      const values: unknown[] = [tenant]
      const bind: Bind = (value) => `$${values.push(value)}`
      const conditions = ['tenant = $1', ...filterSql(filter, bind), ...afterSql(paging, bind)]
      const { rows } = await query(
        `select id, position, body, seal from countersign.approvals
         where ${conditions.join(' and ')}
         order by ${orderBySql(paging)} limit ${bind(paging.limit + 1)}`,
        values,
      )
      const placed = rows.map((row) => ({
        approval: readApproval(row),
        position: numberOf(row, 'position'),
      }))
      return pageOf(placed, paging)
    },
    async counts(since) {
      const { rows } = await query(
        `select ${COUNT_COLUMNS}, count(*) as n from countersign.approvals
         where tenant = $1 and asked_at >= $2 group by ${COUNT_COLUMNS}`,
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
    async eventsSince(cursor, limit) {
      const horizon = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon'
      const end = numberOf(firstOf(await query(horizon)), 'horizon')
      const [xid = 0, position = 0] = cursors.read(cursor, { start: [0, 0], end: [end, 0] })
      if (xid > end) throw cursors.unknown()
      const { rows } = await query(
        `select xid::text::bigint as xid, position, body, hash from countersign.events
         where tenant = $1 and (xid, position) > ($2::text::xid8, $3)
           and xid < pg_snapshot_xmin(pg_current_snapshot())
         order by xid, position limit $4`,
        [tenant, String(xid), position, feedLimit(limit)],
      )
      const last = rows.at(-1)
      const to = last ? [numberOf(last, 'xid'), numberOf(last, 'position')] : [xid, position]
      return { entries: rows.map(readAuditRow), cursor: cursors.write(to) }
    },
    async eventsBefore(cursor, limit) {
      // What is still being written counts as not yet there, as in the feed that goes forwards.
      const horizon = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon'
      const end = numberOf(firstOf(await query(horizon)), 'horizon')
      const [xid = 0, position = 0] = cursors.read(cursor, { start: [0, 0], end: [end, 0] })
      if (xid > end) throw cursors.unknown()
      const { rows } = await query(
        `select xid::text::bigint as xid, position, body, hash from countersign.events
         where tenant = $1 and (xid, position) < ($2::text::xid8, $3)
           and xid < pg_snapshot_xmin(pg_current_snapshot())
         order by xid desc, position desc limit $4`,
        [tenant, String(xid), position, feedLimit(limit)],
      )
      const last = rows.at(-1)
      const from = last ? [numberOf(last, 'xid'), numberOf(last, 'position')] : [xid, position]
      return { entries: rows.map(readAuditRow), cursor: cursors.write(from) }
    },
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
      const { rows } = await query(
        `select key, kind, value from (
           select 1 as part, position, key, kind, value from countersign.content
           where tenant = $1 and approval = $2 and ($4::text[] is null or kind = any($4))
           union all
           select 2, position, key, kind, value from countersign.results
           where tenant = $1 and approval = $2 and at > $3
             and ($4::text[] is null or kind = any($4))
         ) as kept order by part, position`,
        [tenant, id, (await now()) - RESULT_MS, kinds ?? null],
      )
      return rows.map((row) => ({
        key: textOf(row, 'key'),
        kind: textOf(row, 'kind') as Content['kind'],
        value: JSON.parse(textOf(row, 'value')),
      }))
    },
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

function instanceOf(row: Row): Instance {
  return {
    id: textOf(row, 'id'),
    startedAt: numberOf(row, 'started_at'),
    lastSeen: numberOf(row, 'seen_at'),
    ...(row.stopped_at === null ? {} : { stoppedAt: numberOf(row, 'stopped_at') }),
  }
}
