import type { DatabaseSync } from 'node:sqlite'
import type { Approval, Status } from '../../approval/approval.ts'
import { SILENCE } from '../../approval/commands/execution.ts'
import type { Content } from '../../approval/transition.ts'
import { toolCounts } from '../engine/counts.ts'
import { type Cursors, feedLimit } from '../engine/cursor.ts'
import { pageOf, pagingOf } from '../engine/page.ts'
import { afterSql, type Bind, filterSql, isPendingOnly, orderBySql } from '../sql/page-sql.ts'
import { type Due, type Feed, type Instance, RESULT_MS, type Store } from '../store.ts'
import { integer, prepare, type Row, text, type Value } from './statement.ts'
import type { Statements } from './statements.ts'
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
>

/** Everything a store answers without changing anything. */
export function createReads(
  db: DatabaseSync,
  sql: Statements,
  { tenant, clock, cursors }: { tenant: string; clock: () => number; cursors: Cursors },
): Reads {
  const approvalOf = (row: Row | undefined) => row && readApproval(row)

  return {
    async get(id) {
      return approvalOf(sql.approval.get(tenant, id))
    },
    async find({ agent, run, key }) {
      return approvalOf(sql.approvalByKey.get(tenant, agent, run, key))
    },
    async findByDigest({ agent, run, digest }) {
      return approvalOf(sql.approvalByDigest.get(tenant, agent, run, digest))
    },
    async list(filter, page = {}) {
      const paging = pagingOf(page)
      const values: Value[] = [tenant]
      const bind: Bind = (value) => {
        values.push(value)
        return '?'
      }
      const conditions = ['tenant = ?', ...filterSql(filter, bind), ...afterSql(paging, bind)]
      const orderBy = orderBySql(paging)
      // Found and sorted without the bodies: those are read for the one page only.
      const rows = prepare(
        db,
        `select id, position, body, seal from approvals where position in (
           select position from approvals ${isPendingOnly(filter) ? 'indexed by approvals_open' : ''}
           where ${conditions.join(' and ')}
           order by ${orderBy} limit ${bind(paging.limit + 1)}
         ) order by ${orderBy}`,
      ).all(...values)
      const placed = rows.map((row) => ({
        approval: readApproval(row),
        position: integer(row, 'position'),
      }))
      return pageOf(placed, paging)
    },
    async counts(since) {
      const rows = sql.counts.all(tenant, since)
      return toolCounts(
        rows.map((row) => ({
          server: row.server === null ? undefined : text(row, 'server'),
          tool: text(row, 'tool'),
          door: row.door === null ? undefined : text(row, 'door'),
          status: text(row, 'status') as Status,
          n: integer(row, 'n'),
        })),
      )
    },
    async events(id) {
      return sql.eventsOf.all(tenant, id).map(readAuditRow)
    },
    async eventsSince(cursor, limit): Promise<Feed> {
      const end = integer(sql.lastPosition.get() ?? {}, 'position')
      const from = cursors.read(cursor, { start: [0], end: [end] })[0] ?? 0
      if (from > end) throw cursors.unknown()
      const rows = sql.eventsSince.all(tenant, from, feedLimit(limit))
      const last = rows.at(-1)
      const to = last ? integer(last, 'position') : from
      return { entries: rows.map(readAuditRow), cursor: cursors.write([to]) }
    },
    async eventsBefore(cursor, limit): Promise<Feed> {
      const end = integer(sql.lastPosition.get() ?? {}, 'position') + 1
      const to = cursors.read(cursor, { start: [0], end: [end] })[0] ?? 0
      if (to > end) throw cursors.unknown()
      const rows = sql.eventsBefore.all(tenant, to, feedLimit(limit))
      const last = rows.at(-1)
      const from = last ? integer(last, 'position') : to
      return { entries: rows.map(readAuditRow), cursor: cursors.write([from]) }
    },
    async newestPolicyEvent() {
      const row = sql.newestPolicyEvent.get(tenant)
      return row && readAuditRow(row)
    },
    async due(limit = 100) {
      const now = clock()
      return sql.due.all(tenant, now, now - SILENCE, limit).map(dueOf)
    },
    async content(id, kinds) {
      const young = clock() - RESULT_MS
      if (kinds === undefined) return sql.content.all(tenant, id, tenant, id, young).map(contentOf)
      const only = JSON.stringify(kinds)
      return sql.contentOfKinds.all(tenant, id, only, tenant, id, only, young).map(contentOf)
    },
    async instances() {
      return sql.instances.all(tenant).map(instanceOf)
    },
  }
}

function dueOf(row: Row): Due {
  const approval: Approval = readApproval(row)
  return row.seen_at === null ? { approval } : { approval, lastSeen: integer(row, 'seen_at') }
}

function contentOf(row: Row): Content {
  const kind = text(row, 'kind') as Content['kind']
  return { key: text(row, 'key'), kind, value: JSON.parse(text(row, 'value')) }
}

function instanceOf(row: Row): Instance {
  return {
    id: text(row, 'id'),
    startedAt: integer(row, 'started_at'),
    lastSeen: integer(row, 'seen_at'),
    ...(row.stopped_at === null ? {} : { stoppedAt: integer(row, 'stopped_at') }),
  }
}
