import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMemoryCounters } from '../memory/statistics.ts'
import { statistics } from '../sqlite/migrations/0015-statistics.ts'
import { createCounterTable } from '../sqlite/statistics.ts'
import { makeBlock, readDays, staleMarks } from './blocks.ts'
import type { CounterTable, Progress } from './roll-up.ts'
import { type Counted, type Counter, type Days, NOTHING } from './statistics.ts'

const TODAY = 20_000
const NOW: Progress = { cursor: 'c-1', until: TODAY * 86_400_000 }

function sqliteTable(): CounterTable {
  const db = new DatabaseSync(':memory:')
  onTestFinished(() => db.close())
  db.exec(statistics.sql)
  return createCounterTable(db, { tenant: 'acme', transact: async (work) => work() })
}

const TABLES: [string, () => CounterTable][] = [
  ['memory', createMemoryCounters],
  ['sqlite', sqliteTable],
]

function counterOf(day: number, dimension: Counter['dimension'], key: string, n: number): Counter {
  const times = { [String(n % 7)]: n }
  return { day, dimension, key, counts: { ...NOTHING, asked: n, approved: n - 1, times } }
}

/** Half a year, with a gap of some weeks, in which names come and go. */
function history(): Counter[] {
  const counters: Counter[] = []
  for (let day = TODAY - 180; day <= TODAY; day += 1) {
    if (day > TODAY - 120 && day < TODAY - 80) continue
    counters.push(counterOf(day, 'all', '', 1 + (day % 13)))
    counters.push(counterOf(day, 'agent', `agent-${day % 5}`, 1 + (day % 11)))
    counters.push(counterOf(day, 'tool', JSON.stringify([null, `tool-${day % 3}`]), 1 + (day % 5)))
  }
  return counters
}

async function filled(open: () => CounterTable): Promise<CounterTable> {
  const table = open()
  await table.merge({ from: undefined, to: NOW, days: [], change: history })
  return table
}

function sorted({ days, sums }: Pick<Counted, 'days' | 'sums'>) {
  const byName = (one: object, other: object) =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
  return {
    days: days.map(({ day, counts }) => plain({ day, counts })).sort(byName),
    sums: sums.map(plain).sort(byName),
  }
}

const RANGES: readonly Days[] = [
  { from: TODAY - 29, to: TODAY },
  { from: TODAY - 365, to: TODAY },
  { from: TODAY - 150, to: TODAY - 60 },
  { from: TODAY, to: TODAY },
]

async function expectSame(table: CounterTable): Promise<void> {
  for (const days of RANGES) {
    expect(sorted(await readDays(table, days))).toEqual(sorted(await table.read(days)))
  }
}

async function makeAll(table: CounterTable): Promise<number> {
  let made = 0
  while (await makeBlock(table, NOW)) made += 1
  return made
}

test.each(TABLES)('%s: blocks add up to what their days do', async (_name, open) => {
  const table = await filled(open)
  await expectSame(table)
  expect(await makeAll(table)).toBeGreaterThan(2)
  await expectSame(table)
  const read = vi.spyOn(table, 'read')
  await readDays(table, { from: TODAY - 365, to: TODAY })
  const ofDays = read.mock.calls.filter(([{ from }]) => from >= 0)
  const days = ofDays.reduce((sum, [{ from, to }]) => sum + to - from + 1, 0)
  // The rest of a year comes from blocks, apart from the gap and what lies before the history.
  expect(days).toBeLessThan(366 - 3 * 32)
})

test.each(TABLES)('%s: a block is stale once one of its days counts more', async (_name, open) => {
  const table = await filled(open)
  await makeAll(table)
  const day = TODAY - 60
  const to = { ...NOW, cursor: 'c-2' }
  const change = () => [
    counterOf(day, 'all', '', 500),
    counterOf(day, 'agent', 'agent-new', 499),
    ...staleMarks([day]),
  ]
  await table.merge({ from: NOW, to, days: [day], change })
  await expectSame(table)
  expect(await makeBlock(table, to)).toBe(true)
  expect(await makeBlock(table, to)).toBe(false)
  await expectSame(table)
})

test.each(TABLES)('%s: a block is not kept where counting went on', async (_name, open) => {
  const table = await filled(open)
  const before = { ...NOW, cursor: 'c-0' }
  expect(await makeBlock(table, before)).toBe(true)
  const { days } = await table.read({ from: -2_000_000, to: -1 })
  expect(days).toEqual([])
})
