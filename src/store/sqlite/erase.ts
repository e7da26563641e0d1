import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Approval } from '../../approval/approval.ts'
import { type Hold, readHold } from '../../approval/holds/hold.ts'
import { type ErasedPieces, notHeld, type Wanted, wantedPieces } from '../engine/erasable.ts'
import { HOLD_RECORD } from '../records/hold-record.ts'
import { eraseRows } from '../sql/erase-rows.ts'
import { fromBody } from '../sql/rows.ts'
import { RESULT_MS } from '../store.ts'
import { integer, prepare, type Row, text } from './connection.ts'
import type { Statements } from './statements.ts'

/** Texts of policies stay. Counted from the end: content must not vanish while its call can be decided, can run or needs a person to resolve it. */
const OVER = `
  and c.kind <> 'policy'
  and not exists (select 1 from approvals a
    where a.tenant = c.tenant and a.id = c.approval and (a.status = 'pending' or (
      a.status = 'approved' and coalesce(a.execution, 'running') in ('running', 'unknown'))))
  and not exists (select 1 from events e
    where e.tenant = c.tenant and e.approval = c.approval and e.at >= ?)`

/** Rows of one step: so few that no caller notices. */
const PIECE = 250

type Table = 'content' | 'results' | 'observed'

function statementsOf(db: DatabaseSync, table: Table) {
  const also = table === 'content' ? OVER : ''
  const old = `from ${table} as c
    where tenant = ? and position > ? and position <= ? and at < ? ${also}`
  return {
    piece: prepare(
      db,
      `select max(position) as last, min(at) as oldest from (
         select position, at from ${table} where position > ? order by position limit ${PIECE})`,
    ),
    erase: prepare(db, `delete ${old}`),
    old: prepare(db, `select position, at, ${table === 'observed' ? 'body' : 'approval'} ${old}`),
    remove: prepare(db, `delete from ${table} where position in (select value from json_each(?))`),
  }
}

export interface EraserParts {
  readonly db: DatabaseSync
  readonly sql: Pick<Statements, 'approvals'>
  readonly tenant: string
  readonly clock: () => number
  readonly transact: <T>(work: () => T) => Promise<T>
  /** Told after content went. */
  readonly erased: () => void
  readonly isClosed: () => boolean
}

export interface Eraser {
  /** Content that is over and old. Oldest first; between two pieces others have their turn. */
  old(before: number, signal?: AbortSignal): Promise<number>
  those(isWanted: Wanted, signal?: AbortSignal): Promise<ErasedPieces>
}

/** A hold counts from the transaction after the one that placed it: each step reads them anew. */
export function createEraser(parts: EraserParts): Eraser {
  const { db, sql, tenant, clock, transact } = parts
  const tables = {
    content: statementsOf(db, 'content'),
    results: statementsOf(db, 'results'),
    observed: statementsOf(db, 'observed'),
  }
  const holdRows = prepare(db, 'select value from records where tenant = ? and kind = ?')
  const pieces = (['content', 'results'] as const).map((table) => ({
    read: prepare(
      db,
      `select position, at, approval, key, kind, value from ${table}
       where tenant = ? and position > ? order by position limit ${PIECE}`,
    ),
    remove: tables[table].remove,
  }))

  const holdsNow = (): Hold[] =>
    holdRows.all(tenant, HOLD_RECORD).map((row) => readHold(JSON.parse(text(row, 'value'))))

  function approvalsOf(rows: readonly Row[]): Map<string, Approval> {
    const ids = [...new Set(rows.map((row) => text(row, 'approval')))]
    const found = sql.approvals.all(tenant, JSON.stringify(ids))
    return new Map(
      found.map((row) => {
        const id = text(row, 'id')
        return [id, fromBody(id, text(row, 'body'), text(row, 'seal'))]
      }),
    )
  }

  function eraseBetween(table: Table, from: number, last: number, before: number): number {
    const values = [tenant, from, last, before, ...(table === 'content' ? [before] : [])] as const
    const holds = holdsNow()
    const { erase, old, remove } = tables[table]
    if (holds.length === 0) return erase.run(...values)
    const rows = old.all(...values)
    const approvals = table === 'observed' ? new Map() : approvalsOf(rows)
    return remove.run(JSON.stringify(notHeld(holds, rows.map(read.old), approvals)))
  }

  async function eraseFrom(table: Table, before: number, signal?: AbortSignal): Promise<number> {
    let total = 0
    for (let from = -1; signal?.aborted !== true && !parts.isClosed(); ) {
      const { last, oldest } = tables[table].piece.get(from) ?? {}
      if (typeof last !== 'number' || Number(oldest) >= before) break
      const start = from
      total += await transact(() => eraseBetween(table, start, last, before))
      parts.erased()
      from = last
      await turn()
    }
    return total
  }

  return {
    async old(before, signal) {
      const results = Math.max(before, clock() - RESULT_MS)
      return (
        (await eraseFrom('content', before, signal)) +
        (await eraseFrom('results', results, signal)) +
        (await eraseFrom('observed', before, signal))
      )
    },
    async those(isWanted, signal) {
      let erased = 0
      let kept = 0
      for (const { read: next, remove } of pieces) {
        for (let from = -1; signal?.aborted !== true && !parts.isClosed(); ) {
          const start = from
          const last = await transact(() => {
            const rows = next.all(tenant, start)
            const approvals = approvalsOf(rows)
            const found = rows.map((row) => read.piece(row, approvals))
            const wanted = wantedPieces(found, { holds: holdsNow(), isWanted })
            kept += wanted.kept
            erased += remove.run(JSON.stringify(wanted.free))
            return found.at(-1)?.position
          })
          if (last === undefined) break
          parts.erased()
          from = last
          await turn()
        }
      }
      return { erased, kept }
    },
  }
}

const read = eraseRows<Row>({ text, integer })
