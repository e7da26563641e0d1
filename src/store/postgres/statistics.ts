import type { Pool, QueryResult } from 'pg'
import type { CounterTable, Progress } from '../statistics/roll-up.ts'
import {
  type Counter,
  countsFrom,
  countsText,
  createSums,
  type Dimension,
} from '../statistics/statistics.ts'
import { numberOf, type Row, textOf } from './connect.ts'
import { transaction } from './open.ts'

interface CounterParts {
  readonly pool: Pool
  readonly query: (sql: string, values: readonly unknown[]) => Promise<QueryResult<Row>>
  readonly tenant: string
}

export function createCounterTable({ pool, query, tenant }: CounterParts): CounterTable {
  return {
    progress: async () => progressIn(await query(PROGRESS, [tenant])),
    async read({ from, to }) {
      const [days, sums] = await Promise.all([
        query(DAYS, [tenant, from, to]),
        query(SUMS, [tenant, from, to]),
      ])
      const added = createSums()
      for (const row of sums.rows) {
        added.add(textOf(row, 'dimension') as Dimension, textOf(row, 'key'), textOf(row, 'texts'))
      }
      return { days: days.rows.map(counterOf), sums: added.all() }
    },
    merge: ({ from, to, days, change }) =>
      transaction(pool, async (client) => {
        // Before anything is read: of two servers that count the same, the second finds it counted.
        await client.query(LOCK, [tenant])
        const now = progressIn(await client.query<Row>(PROGRESS, [tenant]))
        if (now?.cursor !== from?.cursor) return
        const { rows } = await client.query<Row>(OF_DAYS, [tenant, days])
        const changed = change(rows.map(counterOf))
        await client.query(PUT, [
          tenant,
          changed.map(({ day }) => day),
          changed.map(({ dimension }) => dimension),
          changed.map(({ key }) => key),
          changed.map(({ counts }) => countsText(counts)),
        ])
        await client.query(SAVE, [tenant, to.cursor, to.until])
      }),
    clear: () =>
      transaction(pool, async (client) => {
        await client.query(LOCK, [tenant])
        await client.query('delete from countersign.statistics where tenant = $1', [tenant])
        await client.query('delete from countersign.statistics_progress where tenant = $1', [
          tenant,
        ])
      }),
  }
}

function progressIn({ rows: [row] }: QueryResult<Row>): Progress | undefined {
  return row && { cursor: textOf(row, 'cursor'), until: numberOf(row, 'until') }
}

function counterOf(row: Row): Counter {
  return {
    day: numberOf(row, 'day'),
    dimension: textOf(row, 'dimension') as Dimension,
    key: textOf(row, 'key'),
    counts: countsFrom(textOf(row, 'counts')),
  }
}

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 4760))'

const PROGRESS = 'select cursor, until from countersign.statistics_progress where tenant = $1'

const SAVE = `
  insert into countersign.statistics_progress (tenant, cursor, until) values ($1, $2, $3)
  on conflict (tenant) do update set cursor = excluded.cursor, until = excluded.until`

const COLUMNS = 'day, dimension, key, counts'

const DAYS = `
  select ${COLUMNS} from countersign.statistics
  where tenant = $1 and day >= $2 and day <= $3 and dimension = 'all'`

const SUMS = `
  select dimension, key, string_agg(counts, ',') as texts from countersign.statistics
  where tenant = $1 and day >= $2 and day <= $3 and dimension <> 'all' group by dimension, key`

const OF_DAYS = `
  select ${COLUMNS} from countersign.statistics where tenant = $1 and day = any($2::int[])`

const PUT = `
  insert into countersign.statistics (tenant, ${COLUMNS})
  select $1, * from unnest($2::int[], $3::text[], $4::text[], $5::text[])
  on conflict (tenant, day, dimension, key) do update set counts = excluded.counts`
