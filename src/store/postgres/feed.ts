import type { QueryResult } from 'pg'
import { type Cursors, feedLimit } from '../engine/cursor.ts'
import { type Positions, positionsBetween } from '../sql/asked-between.ts'
import { type About, type FeedDialect, feedSql, IS_RARE } from '../sql/feed-sql.ts'
import { join, numbered, type Sql, sql } from '../sql/sql.ts'
import type { Feed } from '../store.ts'
import { firstOf, numberOf, type Row } from './connect.ts'
import { readAuditRow } from './found.ts'

interface FeedParts {
  readonly query: (sql: string, values?: readonly unknown[]) => Promise<QueryResult<Row>>
  readonly tenant: string
  readonly cursors: Cursors
  readonly restoredUntil: number
}

interface FeedRequest {
  readonly limit: number | undefined
  readonly about: About
  readonly isDown: boolean
}

/**
 * Entries in the order of their transactions: positions are given out before transactions commit.
 * Those that a dump brought along come first, in the order of their positions: they are all there,
 * and their transactions were another cluster's. What is still being written counts as not yet
 * there, in both directions.
 */
export function createFeed(parts: FeedParts) {
  const { query, tenant, cursors, restoredUntil } = parts

  async function page(dialect: FeedDialect, where: Sql, request: FeedRequest): Promise<Row[]> {
    const { about, isDown, limit } = request
    const wanted = feedSql(dialect, { about, where, isDown, tenant, limit: feedLimit(limit) })
    return (await query(numbered(wanted), wanted.values)).rows
  }

  /** Where entries of a span of time are, and some around them. */
  function placesOf(about: About): Promise<Positions | undefined> {
    return positionsBetween(about, {
      last: async () => numberOf(firstOf(await query(LAST)), 'position'),
      async askedAt(position) {
        const [row] = (await query(RECORDED_AT, [position])).rows
        return row && numberOf(row, 'at')
      },
    })
  }

  /** Of this cluster's own transactions. */
  async function own(xid: number, position: number, request: FeedRequest): Promise<Row[]> {
    const where = sql(
      `(e.xid, position) ${request.isDown ? '<' : '>'} (?::text::xid8, ?)
        and e.xid < pg_snapshot_xmin(pg_current_snapshot())`,
      String(xid),
      position,
    )
    const places = await placesOf(request.about)
    // By transactions, because the index is. Their order differs from that of positions by no more
    // than the room that was left around the span.
    const first = (from: number) => Math.max(from, restoredUntil + 1)
    const among = places
      ? [
          sql(`e.xid >= ${TRANSACTION_AT}`, first(places.from), '0'),
          sql(`e.xid <= ${TRANSACTION_AT}`, first(places.to), LAST_TRANSACTION),
        ]
      : []
    const later = restoredUntil === 0 ? [] : [sql('position > ?', restoredUntil)]
    return page(FEED, join([where, ...among, ...later], ' and '), request)
  }

  /** Of the dump. Numbered 0, before every transaction there is. */
  async function restored(position: number, request: FeedRequest): Promise<Row[]> {
    if (restoredUntil === 0) return []
    const where = sql(
      `position ${request.isDown ? '<' : '>'} ? and position <= ?`,
      position,
      restoredUntil,
    )
    const places = await placesOf(request.about)
    const among = places ? [sql('position >= ? and position < ?', places.from, places.to)] : []
    return page(RESTORED, join([where, ...among], ' and '), request)
  }

  return async (cursor: string, request: FeedRequest): Promise<Feed> => {
    const horizon = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon'
    const end = numberOf(firstOf(await query(horizon)), 'horizon')
    const [xid = 0, position = 0] = cursors.read(cursor, { start: [0, 0], end: [end, 0] })
    if (xid > end) throw cursors.unknown()
    const isInDump = restoredUntil > 0 && xid === 0
    const steps = request.isDown
      ? [
          ...(isInDump ? [] : [(rest: FeedRequest) => own(xid, position, rest)]),
          (rest: FeedRequest) => restored(isInDump ? position : restoredUntil + 1, rest),
        ]
      : [
          ...(xid === 0 ? [(rest: FeedRequest) => restored(position, rest)] : []),
          (rest: FeedRequest) => (isInDump ? own(0, 0, rest) : own(xid, position, rest)),
        ]
    const limit = feedLimit(request.limit)
    const rows: Row[] = []
    for (const step of steps) {
      if (rows.length >= limit) break
      rows.push(...(await step({ ...request, limit: limit - rows.length })))
    }
    const last = rows.at(-1)
    const to = last ? [numberOf(last, 'place'), numberOf(last, 'position')] : [xid, position]
    return { entries: rows.map(readAuditRow), cursor: cursors.write(to) }
  }
}

/** An event that this cluster wrote: the number of its transaction means something here. */
export const IS_OF_HERE =
  'position > (select coalesce(max(restored_until), 0) from countersign.identity)'

const LAST = 'select coalesce(max(position), 0) as position from countersign.events'

const RECORDED_AT =
  'select at from countersign.events where position >= $1 order by position limit 1'

/** Of the first entry at a position or behind it; behind the last one, what is given besides. */
const TRANSACTION_AT = `coalesce((select xid from countersign.events where position >= ?
  order by position limit 1), ?::text::xid8)`

const LAST_TRANSACTION = '9223372036854775807'

const FEED: FeedDialect = {
  table: 'countersign.events',
  columns: 'e.xid, e.xid::text::bigint as place, position, body, hash',
  order: ['xid', 'position'],
  isRare: IS_RARE.postgres,
}

const RESTORED: FeedDialect = {
  ...FEED,
  columns: '0::bigint as place, position, body, hash',
  order: ['position'],
}
