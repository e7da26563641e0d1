import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Approval, Status } from '../../approval/approval.ts'
import { SILENCE } from '../../approval/commands/execution.ts'
import type { Content, ContentKind } from '../../approval/transition.ts'
import { toolCounts } from '../engine/counts.ts'
import { type Cursors, feedLimit } from '../engine/cursor.ts'
import { type Candidate, type Paging, pageOf, pagingOf } from '../engine/page.ts'
import { type SearchIndex, searchPage } from '../search/search.ts'
import { wantedBy } from '../search/words.ts'
import { type Positions, positionsBetween } from '../sql/asked-between.ts'
import { type About, type FeedDialect, type FeedPage, feedSql, IS_RARE } from '../sql/feed-sql.ts'
import { candidateOf, type ListDialect, listSql } from '../sql/list-sql.ts'
import { sql as inSql } from '../sql/sql.ts'
import {
  type Due,
  type Feed,
  type Filter,
  type Instance,
  MAX_DENIED,
  RESULT_MS,
  type StoreReads,
} from '../store.ts'
import { integer, prepare, type Row, text } from './connection.ts'
import { candidates } from './grants.ts'
import type { Recent } from './recent.ts'
import type { Statements } from './statements.ts'
import { readApproval, readAuditRow } from './write.ts'

interface ReadParts {
  readonly tenant: string
  readonly clock: () => number
  readonly cursors: Cursors
  readonly recent: Pick<Recent, 'unchanged' | 'sealed'>
  readonly search: SearchIndex
}

/** Everything a store answers without changing anything. */
export function createReads(
  db: DatabaseSync,
  sql: Statements,
  { tenant, clock, cursors, recent, search }: ReadParts,
): StoreReads {
  const approvalOf = (row: Row | undefined) => row && readApproval(row)

  function contentOfKinds(ids: readonly string[], kinds: readonly ContentKind[]): Row[] {
    const [wanted, only] = [JSON.stringify(ids), JSON.stringify(kinds)]
    const young = clock() - RESULT_MS
    return sql.contentOfKinds.all(tenant, wanted, only, tenant, wanted, only, young)
  }

  async function contentsOf(ids: readonly string[], kinds: readonly ContentKind[]) {
    const byApproval = Map.groupBy(contentOfKinds(ids, kinds), (row) => text(row, 'approval'))
    return new Map([...byApproval].map(([id, rows]) => [id, rows.map(contentOf)]))
  }

  async function candidatesOf(filter: Filter, paging: Paging): Promise<Candidate[]> {
    const positions = await positionsBetween(filter, {
      last: async () => integer(sql.lastAsked.get() ?? {}, 'position'),
      async askedAt(position) {
        const row = sql.askedAt.get(position)
        return row && integer(row, 'asked_at')
      },
    })
    const wanted = listSql(LISTS, tenant, { ...filter, positions }, paging)
    if (wanted === undefined) return []
    return prepare(db, wanted.text)
      .all(...wanted.values)
      .map((row) => {
        const [position, rank] = [integer(row, 'position'), integer(row, 'rank')]
        const due = integer(row, 'due')
        const [fits, edge] = [integer(row, 'fits'), integer(row, 'edge')]
        return candidateOf({ position, rank, due, fits, edge }, () => readApproval(row))
      })
  }

  async function feed(
    page: Omit<FeedPage, 'where'>,
    from: number,
    limit: number | undefined,
  ): Promise<Feed> {
    const among = await placesOf(page.about)
    // One bound in each direction: of two, SQLite would walk from the first.
    const first = page.isDown ? (among?.from ?? -LAST) : Math.max(from + 1, among?.from ?? 0)
    const end = page.isDown ? Math.min(from, among?.to ?? from) : (among?.to ?? LAST)
    const where = inSql('position >= ? and position < ?', first, end)
    const wanted = feedSql(FEED, { ...page, where, tenant, limit: feedLimit(limit) })
    const rows = prepare(db, wanted.text).all(...wanted.values)
    const last = rows.at(-1)
    const to = last ? integer(last, 'position') : from
    return { entries: rows.map(readAuditRow), cursor: cursors.write([to]) }
  }

  /** What keeps a span of time from being looked for in all entries. */
  function placesOf(about: About): Promise<Positions | undefined> {
    return positionsBetween(about, {
      last: async () => integer(sql.lastPosition.get() ?? {}, 'position'),
      async askedAt(position) {
        const row = sql.recordedAt.get(position)
        return row && integer(row, 'at')
      },
    })
  }

  return {
    async get(id) {
      const known =
        recent.unchanged(id)?.approval ?? recent.sealed(id, () => sql.seal.get(tenant, id)?.seal)
      return known ?? approvalOf(sql.approval.get(tenant, id))
    },
    async find({ agent, run, key }) {
      return approvalOf(sql.approvalByKey.get(tenant, agent, run, key))
    },
    async before({ agent, tool, server, run, key, digest }) {
      return {
        approval:
          run === undefined || key === undefined
            ? undefined
            : approvalOf(sql.approvalByKey.get(tenant, agent, run, key)),
        denied:
          run === undefined
            ? []
            : sql.denied.all(tenant, agent, run, tool, digest, MAX_DENIED).map(readApproval),
        grants: candidates(sql.grants, tenant, { agent, tool, server }, clock()),
      }
    },
    async findByDigest({ agent, run, digest }) {
      return approvalOf(sql.approvalByDigest.get(tenant, agent, run, digest))
    },
    async getMany(ids) {
      return sql.approvals.all(tenant, JSON.stringify(ids)).map(readApproval)
    },
    async list(filter, page = {}) {
      const paging = pagingOf(page)
      const wanted = wantedBy(filter)
      if (!wanted) return pageOf(await candidatesOf(filter, paging), paging)
      // Others have their turn: a page is read without a pause.
      const parts = { index: search, candidates: candidatesOf, contentOf: contentsOf, pause: turn }
      return searchPage(parts, filter, { paging, wanted })
    },
    async counts(since) {
      const rows: Row[] = []
      const open = new Set(sql.openTools.all(tenant).map((row) => text(row, 'tool')))
      const over = sql.tools.all(tenant, tenant).map((row) => text(row, 'tool'))
      for (const tool of new Set([...over, ...open])) {
        // Both in one turn: what ends meanwhile is counted once.
        rows.push(...sql.counts.all(tenant, tool, since))
        if (open.has(tool)) rows.push(...sql.openCounts.all(tenant, tool, since))
        // Others have their turn: a tool may have been asked about very often.
        await turn()
      }
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
    async eventsSince(cursor, limit, about = {}): Promise<Feed> {
      const end = integer(sql.lastPosition.get() ?? {}, 'position')
      const from = cursors.read(cursor, { start: [0], end: [end] })[0] ?? 0
      if (from > end) throw cursors.unknown()
      return feed({ about, isDown: false }, from, limit)
    },
    async eventsBefore(cursor, limit, about = {}): Promise<Feed> {
      const end = integer(sql.lastPosition.get() ?? {}, 'position') + 1
      const to = cursors.read(cursor, { start: [0], end: [end] })[0] ?? 0
      if (to > end) throw cursors.unknown()
      return feed({ about, isDown: true }, to, limit)
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
      return contentOfKinds([id], kinds).map(contentOf)
    },
    contentOf: contentsOf,
    async instances() {
      return sql.instances.all(tenant).map(instanceOf)
    },
  }
}

const LAST = Number.MAX_SAFE_INTEGER

const LISTS: ListDialect = { table: 'approvals', key: 'position' }
const FEED: FeedDialect = {
  table: 'events',
  columns: 'position, body, hash',
  order: ['position'],
  isRare: IS_RARE.sqlite,
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
