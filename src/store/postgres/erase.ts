import type { Pool, PoolClient } from 'pg'
import type { Approval } from '../../approval/approval.ts'
import { type Hold, readHold } from '../../approval/holds/hold.ts'
import { type ErasedPieces, notHeld, type Wanted, wantedPieces } from '../engine/erasable.ts'
import { HOLD_RECORD } from '../records/hold-record.ts'
import { eraseRows } from '../sql/erase-rows.ts'
import { RESULT_MS } from '../store.ts'
import { firstOf, numberOf, type Row, textOf } from './connect.ts'
import { readApproval } from './found.ts'
import { transaction } from './open.ts'

type Table = 'content' | 'results' | 'observed'

/** Texts of policies stay. Counted from the end: content must not vanish while its call can be decided, can run or needs a person to resolve it. */
const OVER = `
  and c.kind <> 'policy'
  and not exists (select 1 from countersign.approvals a
    where a.tenant = c.tenant and a.id = c.approval and (a.status = 'pending' or (
      a.status = 'approved' and coalesce(a.execution, 'running') in ('running', 'unknown'))))
  and not exists (select 1 from countersign.events e
    where e.tenant = c.tenant and e.approval = c.approval and e.at >= $3)`

const PIECE = 'order by position limit 1000'

/** With the rows that are old, or without them where nothing keeps any: then they are gone. */
function oldSql(table: Table, isErased: boolean): string {
  const old = `c.position = p.position and c.tenant = $1 and c.at < $3${table === 'content' ? OVER : ''}`
  const found = isErased
    ? `delete from countersign.${table} c using piece p where ${old} returning c.position`
    : `select c.position, c.at, ${table === 'observed' ? 'c.body' : 'c.approval'}
       from countersign.${table} c join piece p on ${old}`
  return `
    with piece as (
      select position, at from countersign.${table} where position > $2 ${PIECE}
    ), found as (${found})
    select (select max(position) from piece) as last, (select min(at) from piece) as oldest,
      (select count(*) from found) as erased,
      ${isErased ? 'null' : "coalesce((select json_agg(found) from found), '[]')::text"} as rows`
}

const removeSql = (table: Table) =>
  `delete from countersign.${table} where position = any($1::bigint[])`

/** Shared with the batches: placing a hold waits for the step under way, and counts from then on. */
const BARRIER = 'select pg_advisory_xact_lock_shared(hashtextextended($1, 4748))'

export interface EraserParts {
  readonly pool: Pool
  readonly tenant: string
  readonly now: () => Promise<number>
}

export interface Eraser {
  /** Content that is over and old. Oldest first, in small pieces, up to one in which nothing is old. */
  old(before: number, signal?: AbortSignal): Promise<number>
  those(isWanted: Wanted, signal?: AbortSignal): Promise<ErasedPieces>
}

export function createEraser({ pool, tenant, now }: EraserParts): Eraser {
  /** What no hold keeps is decided under the lock that placing one waits for. */
  function step<T>(work: (client: PoolClient, holds: readonly Hold[]) => Promise<T>): Promise<T> {
    return transaction(pool, async (client) => {
      // Otherwise, what is read after the lock could be as old as the lock's own statement.
      await client.query('set transaction isolation level read committed')
      await client.query(BARRIER, [tenant])
      const { rows } = await client.query<Row>(
        'select value from countersign.records where tenant = $1 and kind = $2',
        [tenant, HOLD_RECORD],
      )
      return work(
        client,
        rows.map((row) => readHold(JSON.parse(textOf(row, 'value')))),
      )
    })
  }

  async function approvalsOf(
    client: PoolClient,
    ids: readonly string[],
  ): Promise<Map<string, Approval>> {
    const { rows } = await client.query<Row>(
      `select id, body, seal from countersign.approvals where tenant = $1 and id = any($2)`,
      [tenant, [...new Set(ids)]],
    )
    return new Map(rows.map((row) => [textOf(row, 'id'), readApproval(row)]))
  }

  function eraseNext(table: Table, after: number, before: number) {
    return step(async (client, holds) => {
      const isFree = holds.length === 0
      const piece = firstOf(await client.query<Row>(oldSql(table, isFree), [tenant, after, before]))
      const { last } = piece
      if (last === null) return undefined
      const oldest = numberOf(piece, 'oldest')
      const reached = { last: numberOf(piece, 'last'), isLast: oldest >= before }
      if (isFree) return { ...reached, erased: numberOf(piece, 'erased') }
      const rows = (JSON.parse(textOf(piece, 'rows')) as readonly Row[]).map(read.old)
      const ids = rows.flatMap(({ approval }) => (approval === undefined ? [] : [approval]))
      const free = notHeld(holds, rows, await approvalsOf(client, ids))
      const { rowCount } = await client.query(removeSql(table), [free])
      return { ...reached, erased: rowCount ?? 0 }
    })
  }

  return {
    async old(before, signal) {
      const results = Math.max(before, (await now()) - RESULT_MS)
      let total = 0
      for (const [table, until] of [
        ['content', before],
        ['results', results],
        ['observed', before],
      ] as const) {
        for (let last = -1; signal?.aborted !== true; ) {
          const piece = await eraseNext(table, last, until)
          if (!piece) break
          last = piece.last
          total += piece.erased
          if (piece.isLast) break
        }
      }
      return total
    },
    async those(isWanted, signal) {
      let erased = 0
      let kept = 0
      for (const table of ['content', 'results'] as const) {
        for (let after = -1; signal?.aborted !== true; ) {
          const last = await step(async (client, holds) => {
            const { rows } = await client.query<Row>(
              `select position, at, approval, key, kind, value from countersign.${table}
               where tenant = $1 and position > $2 ${PIECE}`,
              [tenant, after],
            )
            const owners = rows.map((row) => textOf(row, 'approval'))
            const approvals = await approvalsOf(client, owners)
            const found = rows.map((row) => read.piece(row, approvals))
            const wanted = wantedPieces(found, { holds, isWanted })
            const { rowCount } = await client.query(removeSql(table), [wanted.free])
            kept += wanted.kept
            erased += rowCount ?? 0
            return found.at(-1)?.position
          })
          if (last === undefined) break
          after = last
        }
      }
      return { erased, kept }
    },
  }
}

const read = eraseRows<Row>({ text: textOf, integer: numberOf })
