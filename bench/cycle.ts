/*
 * A whole cycle through the public API: a call is asked about, a person says yes, the tool runs, its
 * result is kept. `npm run bench:cycle` (add `-- --json FILE`, `-- --passes 3`, `-- --seconds 3`,
 * `-- --only 'Countersign|plain'`).
 *
 * Beside it, in turns and in the same sitting: a plain reference that uses none of our code, and what
 * people would pick instead, as their guides have it. Each runs in a process of its own; Postgres
 * counts statements, commits and bytes itself, and the system counts the rest.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CONTESTANTS, type Contestant, type Ran, type Run } from './cycle/contestant.ts'
import { installPeers } from './cycle/peers.ts'
import { startProcess } from './cycle/process.ts'
import {
  COUNTED_AFTER_MS,
  postgresCounters,
  processCounters,
  syncsDuring,
  type Written,
} from './cycle/written.ts'
import { newDatabase, startDurable } from './store/postgres.ts'
import { median, quantile } from './store/sample.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    passes: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '.' },
  },
})
const seconds = Number(values.seconds)
const CALLERS = [1, 64] as const

const chosen = CONTESTANTS.filter(({ name }) => new RegExp(values.only, 'i').test(name))
if (chosen.some(({ module }) => module.includes('peers'))) installPeers()

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-cycle-'))
const postgres = chosen.some(({ keeps }) => keeps === 'postgres')
  ? await startDurable(['shared_preload_libraries=pg_stat_statements', 'max_connections=300'])
  : undefined

interface Started {
  readonly contestant: Contestant
  run(run: Run): Promise<Ran>
  written(): Promise<Written>
  syncs(work: () => Promise<unknown>): Promise<number | undefined>
  stop(): void
}

async function start(contestant: Contestant, index: number): Promise<Started> {
  const { module, keeps } = contestant
  const own = mkdtempSync(path.join(folder, `${index}-`))
  const url = keeps === 'postgres' && postgres ? await newDatabase(postgres.url, `c${index}`) : own
  const { pid, run, stop } = await startProcess(module, url)
  const counters = keeps === 'postgres' ? await postgresCounters(url) : undefined
  const database = keeps === 'sqlite' ? path.join(own, 'cycle.db') : undefined
  return {
    contestant,
    run,
    stop,
    written: () => counters?.() ?? processCounters(pid, database),
    syncs: (work) => (counters ? work().then(() => undefined) : syncsDuring(pid, work)),
  }
}

interface Row {
  readonly name: string
  readonly callers: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly wakeP50: number
  readonly perCycle: Written
}

const PER_CYCLE = ['bytes', 'rows', 'statements', 'commits', 'syncs'] as const

/** How much was written for each of these cycles. */
function perCycle(before: Written, after: Written, cycles: number): Written {
  const each = PER_CYCLE.flatMap((what) => {
    const [from, to] = [before[what], after[what]]
    return from === undefined || to === undefined ? [] : [[what, (to - from) / cycles] as const]
  })
  return Object.fromEntries(each)
}

async function measure(): Promise<Row[]> {
  const started: Started[] = []
  try {
    for (const [index, contestant] of chosen.entries()) started.push(await start(contestant, index))
    for (const { run } of started) await run({ callers: 8, seconds: 1 })
    const rows: Row[] = []
    for (const callers of CALLERS) {
      const passes = started.map(() => [] as Ran[])
      for (let pass = 0; pass < Number(values.passes); pass += 1) {
        for (const [index, { run }] of started.entries()) {
          passes[index]?.push(await run({ callers, seconds }))
        }
      }
      if (postgres) await sleep(COUNTED_AFTER_MS)
      const idle = await idleRates(started)
      for (const [index, one] of started.entries()) {
        const ran = passes[index] ?? []
        rows.push({
          ...summary(one.contestant.name, callers, ran),
          perCycle: await counted(one, callers, idle.get(one)),
        })
      }
    }
    return rows
  } finally {
    for (const { stop } of started) stop()
  }
}

/** Statements and commits of each second in which no call is made: heartbeats, polls, vacuum. */
type IdleRates = Pick<Written, 'statements' | 'commits'>

async function idleRates(started: readonly Started[]): Promise<Map<Started, IdleRates>> {
  const onPostgres = started.filter(({ contestant }) => contestant.keeps === 'postgres')
  if (onPostgres.length === 0) return new Map()
  const before = await Promise.all(onPostgres.map(({ written }) => written()))
  const begun = performance.now()
  await sleep(COUNTED_AFTER_MS)
  const after = await Promise.all(onPostgres.map(({ written }) => written()))
  const seconds = (performance.now() - begun) / 1_000
  return new Map(
    onPostgres.map((one, index) => [
      one,
      perCycle(before[index] ?? {}, after[index] ?? {}, seconds),
    ]),
  )
}

/**
 * A run of its own, because counting takes time as well. The server hands in its counts only after a
 * while, so what it does by itself meanwhile is taken off: it comes by the clock, not with a call.
 */
async function counted(
  { contestant, run, written, syncs }: Started,
  callers: number,
  idle: IdleRates = {},
): Promise<Written> {
  const before = await written()
  const begun = performance.now()
  const { cycles } = await run({ callers, seconds: 1 })
  if (contestant.keeps === 'postgres') await sleep(COUNTED_AFTER_MS)
  const seconds = (performance.now() - begun) / 1_000
  const all = await written()
  const each = perCycle(before, withoutIdle(all, idle, seconds), cycles)
  if (each.syncs !== undefined) return each
  let traced = 0
  const seen = await syncs(async () => {
    traced = (await run({ callers, seconds: 1 })).cycles
  })
  return seen === undefined ? each : { ...each, syncs: seen / traced }
}

function withoutIdle(written: Written, idle: IdleRates, seconds: number): Written {
  const less = (what: keyof IdleRates) => {
    const count = written[what]
    return count === undefined ? {} : { [what]: count - (idle[what] ?? 0) * seconds }
  }
  return { ...written, ...less('statements'), ...less('commits') }
}

function summary(name: string, callers: number, ran: readonly Ran[]): Omit<Row, 'perCycle'> {
  const latencies = ran.flatMap((one) => one.latencies)
  return {
    name,
    callers,
    perSecond: median(ran.map(({ cycles, elapsed }) => (cycles * 1_000) / elapsed)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    wakeP50: quantile(
      ran.flatMap(({ wakes }) => wakes),
      0.5,
    ),
  }
}

interface Goal {
  readonly says: string
  readonly value: number
  readonly met: boolean
}

/** The goals, as far as both sides of each ratio ran. */
function goals(rows: readonly Row[]): Goal[] {
  const row = (name: string, callers: number) =>
    rows.find((one) => one.name === name && one.callers === callers)
  const rate = (own: string, other: string) =>
    ratio(row(own, 64)?.perSecond, row(other, 64)?.perSecond)
  const time = (own: string, other: string) => ratio(row(own, 1)?.p50, row(other, 1)?.p50)
  const pg = 'Countersign, Postgres'
  const lite = 'Countersign, SQLite'
  const each = row(pg, 1)?.perCycle ?? {}
  const all: [string, number | undefined, (value: number) => boolean][] = [
    ['Postgres, 64 callers: × DBOS (≥ 5)', rate(pg, 'DBOS, Postgres'), (v) => v >= 5],
    ['Postgres, 64 callers: × Restate (≥ 3)', rate(pg, 'Restate'), (v) => v >= 3],
    ['Postgres, 64 callers: × plain (≥ 1)', rate(pg, 'plain reference, Postgres'), (v) => v >= 1],
    [
      'Postgres, one caller: × the time of DBOS (≤ 0.6)',
      time(pg, 'DBOS, Postgres'),
      (v) => v <= 0.6,
    ],
    [
      'SQLite, 64 callers: × plain (≥ 0.25)',
      rate(lite, 'plain reference, SQLite'),
      (v) => v >= 0.25,
    ],
    ['SQLite, 64 callers: × Restate (≥ 12)', rate(lite, 'Restate'), (v) => v >= 12],
    [
      'SQLite, one caller: × the time of plain (≤ 2.5)',
      time(lite, 'plain reference, SQLite'),
      (v) => v <= 2.5,
    ],
    ['Postgres: statements per cycle (≤ 12)', each.statements, (v) => v <= 12],
    ['Postgres: commits per cycle (≤ 4)', each.commits, (v) => v <= 4.05],
  ]
  return all.flatMap(([says, value, isMet]) =>
    value === undefined || Number.isNaN(value) ? [] : [{ says, value, met: isMet(value) }],
  )
}

function ratio(own: number | undefined, other: number | undefined): number | undefined {
  return own === undefined || other === undefined ? undefined : own / other
}

function number(value: number | undefined, digits: number, width: number): string {
  const text = value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits)
  return text.padStart(width)
}

function print(rows: readonly Row[]): void {
  const head = 'callers    /s   p50 ms   p99 ms  wake ms   bytes   rows  stmts commits  syncs'
  process.stdout.write(`${''.padEnd(27)}${head}\n`)
  for (const { name, callers, perSecond, p50, p99, wakeP50, perCycle: each } of rows) {
    const cells = [
      number(callers, 0, 7),
      number(perSecond, 0, 6),
      number(p50, 2, 9),
      number(p99, 2, 9),
      number(wakeP50, 2, 9),
      number(each.bytes, 0, 8),
      number(each.rows, 1, 7),
      number(each.statements, 1, 7),
      number(each.commits, 1, 8),
      number(each.syncs, 2, 7),
    ]
    process.stdout.write(`${name.padEnd(27)}${cells.join('')}\n`)
  }
}

try {
  const rows = await measure()
  print(rows)
  const reached = goals(rows)
  process.stdout.write('\n')
  for (const { says, value, met } of reached) {
    process.stdout.write(`${says.padEnd(52)} ${number(value, 2, 8)}   ${met ? 'met' : 'missed'}\n`)
  }
  if (values.json) writeFileSync(values.json, JSON.stringify({ rows, goals: reached }, null, 2))
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
