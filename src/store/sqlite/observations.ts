import type { DatabaseSync } from 'node:sqlite'
import {
  OBSERVED_CLEARED_EVERY,
  OBSERVED_KEPT,
  type Observations,
  observedLimit,
  observedPage,
  observedText,
} from '../observations.ts'
import { integer, prepare, text } from './connection.ts'
import type { RecordParts } from './records.ts'

export function createObservations(
  db: DatabaseSync,
  { tenant, clock, transact }: RecordParts,
): Observations {
  const insert = prepare(
    db,
    'insert into observed (tenant, at, body) values (?, ?, ?) returning position',
  )
  const trim = prepare(
    db,
    `delete from observed where tenant = ? and position <= (
       select position from observed where tenant = ? order by position desc
       limit 1 offset ${OBSERVED_KEPT})`,
  )
  const list = prepare(
    db,
    `select position, at, body from observed where tenant = ? and position > ?
     order by position limit ?`,
  )
  return {
    add: (given) =>
      transact(() => {
        const row = insert.get(tenant, clock(), observedText(given))
        const isTurn = row && integer(row, 'position') % OBSERVED_CLEARED_EVERY === 0
        if (isTurn) trim.run(tenant, tenant)
      }),
    async list({ after = 0, limit } = {}) {
      const most = observedLimit(limit)
      const rows = list.all(tenant, after, most + 1).map((row) => ({
        position: integer(row, 'position'),
        at: integer(row, 'at'),
        body: text(row, 'body'),
      }))
      return observedPage(rows, most)
    },
  }
}
