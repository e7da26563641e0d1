import { isCountersignError } from '../../base/errors.ts'
import {
  OBSERVED_CLEARED_EVERY,
  OBSERVED_KEPT,
  type Observations,
  observedLimit,
  observedPage,
  observedText,
} from '../observations.ts'
import { firstOf, numberOf, type Row, textOf, unavailable } from './connect.ts'
import { CLOCK_SQL, transaction } from './open.ts'
import type { RecordParts } from './records.ts'

export function createObservations({ pool, tenant, isLazy }: RecordParts): Observations {
  return {
    async add(given) {
      await reached(
        transaction(pool, async (client) => {
          if (isLazy) await client.query('set local synchronous_commit to on')
          const now = numberOf(firstOf(await client.query<Row>(CLOCK_SQL)), 'now')
          const values = [tenant, now, observedText(given)]
          const position = numberOf(firstOf(await client.query<Row>(INSERT, values)), 'position')
          if (position % OBSERVED_CLEARED_EVERY === 0) await client.query(TRIM, [tenant])
        }),
      )
    },
    async list({ after = 0, limit } = {}) {
      const most = observedLimit(limit)
      const { rows } = await reached(pool.query<Row>(LIST, [tenant, after, most + 1]))
      const found = rows.map((row) => ({
        position: numberOf(row, 'position'),
        at: numberOf(row, 'at'),
        body: textOf(row, 'body'),
      }))
      return observedPage(found, most)
    },
  }
}

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isCountersignError(error) ? error : unavailable(error)
  }
}

const INSERT = `
  insert into countersign.observed (tenant, at, body) values ($1, $2, $3) returning position`

const LIST = `
  select position, at, body from countersign.observed
  where tenant = $1 and position > $2 order by position limit $3`

const TRIM = `
  delete from countersign.observed where tenant = $1 and position <= (
    select position from countersign.observed where tenant = $1 order by position desc
    limit 1 offset ${OBSERVED_KEPT})`
