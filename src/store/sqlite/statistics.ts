import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { CounterTable, Progress } from '../statistics/roll-up.ts'
import {
  type Counter,
  countsFrom,
  countsText,
  createSums,
  type Dimension,
} from '../statistics/statistics.ts'
import { integer, prepare, type Row, text } from './connection.ts'
import type { RecordParts } from './records.ts'

/** Days that are read without a pause: a year of a busy company has a hundred thousand counters. */
const DAYS_AT_ONCE = 14

export function createCounterTable(
  db: DatabaseSync,
  { tenant, transact }: Pick<RecordParts, 'tenant' | 'transact'>,
): CounterTable {
  const sql = prepareCounters(db)

  function progress(): Progress | undefined {
    const row = sql.progress.get(tenant)
    return row && { cursor: text(row, 'cursor'), until: integer(row, 'until') }
  }

  return {
    progress: async () => progress(),
    async read({ from, to }) {
      const days: Counter[] = []
      const sums = createSums()
      for (let first = from; first <= to; first += DAYS_AT_ONCE) {
        const last = Math.min(to, first + DAYS_AT_ONCE - 1)
        days.push(...sql.days.all(tenant, first, last).map(counterOf))
        for (const row of sql.sums.all(tenant, first, last)) {
          sums.add(text(row, 'dimension') as Dimension, text(row, 'key'), text(row, 'texts'))
        }
        await turn()
      }
      return { days, sums: sums.all() }
    },
    merge: ({ from, to, days, change }) =>
      transact(() => {
        if (progress()?.cursor !== from?.cursor) return
        const known = sql.countersOf.all(tenant, JSON.stringify(days)).map(counterOf)
        for (const { day, dimension, key, counts } of change(known)) {
          sql.put.run(tenant, day, dimension, key, countsText(counts))
        }
        sql.save.run(tenant, to.cursor, to.until)
      }),
    clear: () =>
      transact(() => {
        sql.clearCounters.run(tenant)
        sql.clearProgress.run(tenant)
      }),
  }
}

function counterOf(row: Row): Counter {
  return {
    day: integer(row, 'day'),
    dimension: text(row, 'dimension') as Dimension,
    key: text(row, 'key'),
    counts: countsFrom(text(row, 'counts')),
  }
}

function prepareCounters(db: DatabaseSync) {
  const columns = 'day, dimension, key, counts'
  return {
    progress: prepare(db, 'select cursor, until from statistics_progress where tenant = ?'),
    save: prepare(
      db,
      `insert into statistics_progress (tenant, cursor, until) values (?, ?, ?)
       on conflict (tenant) do update set cursor = excluded.cursor, until = excluded.until`,
    ),
    days: prepare(
      db,
      `select ${columns} from statistics
       where tenant = ? and day >= ? and day <= ? and dimension = 'all'`,
    ),
    sums: prepare(
      db,
      `select dimension, key, group_concat(counts, ',') as texts from statistics
       where tenant = ? and day >= ? and day <= ? and dimension <> 'all' group by dimension, key`,
    ),
    countersOf: prepare(
      db,
      `select ${columns} from statistics
       where tenant = ? and day in (select value from json_each(?))`,
    ),
    put: prepare(
      db,
      `insert into statistics (tenant, ${columns}) values (?, ?, ?, ?, ?)
       on conflict (tenant, day, dimension, key) do update set counts = excluded.counts`,
    ),
    clearCounters: prepare(db, 'delete from statistics where tenant = ?'),
    clearProgress: prepare(db, 'delete from statistics_progress where tenant = ?'),
  }
}
