/*
 * What `waitForApproval` costs a workflow: each engine with its own signal and wait, with a plain
 * table that keeps question and answer, and with `requireApproval`, each followed by one step.
 * `npm run bench:workflows` (add `-- --json FILE`, `-- --passes 5`, `-- --seconds 3`,
 * `-- --only 'DBOS|Restate'`, `-- --count` for what a wait writes and its processor time, and no times).
 *
 * All run in turns, each in a process of its own with a database of its own. The answer is given as
 * soon as it is asked for: by the engine's own signal, by the table and the same signal, or as a
 * decision that the outbox turns into the wake-up.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Ran } from './cycle/contestant.ts'
import { installPeers } from './cycle/peers.ts'
import { type ContestantProcess, startProcess } from './cycle/process.ts'
import { newDatabase, startDurable } from './store/postgres.ts'
import { median, quantile } from './store/sample.ts'
import { type EnginePair, PAIRS, VARIANTS, type Variant } from './workflows/contestants.ts'
import { type Counted, counted } from './workflows/counted.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    passes: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '.' },
    count: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const passes = Number(values.passes)
const CALLERS = [1, 64] as const
const GOAL = 1.25

const chosen = PAIRS.filter(({ name }) => new RegExp(values.only, 'i').test(name))
if (chosen.some(({ needsPeers }) => needsPeers)) installPeers()

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-workflows-'))
const postgres = chosen.some(({ keeps }) => keeps === 'postgres')
  ? await startDurable(['max_connections=300'])
  : undefined
let databases = 0

interface Side {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly wakeP50: number
}

interface Row {
  readonly name: string
  readonly note?: string
  readonly callers: number
  readonly sides: Readonly<Record<Variant, Side>>
  /** Of the time of a cycle to that of the engine's own: its median with one caller, else its mean share. */
  readonly ratios: Readonly<Record<'plain' | 'countersign', number>>
}

interface CountRow {
  readonly name: string
  readonly counts: Readonly<Record<Variant, Counted>>
}

async function place({ keeps }: EnginePair, variant: Variant): Promise<string> {
  databases += 1
  if (keeps === 'postgres' && postgres) return newDatabase(postgres.url, `w${databases}`)
  return mkdtempSync(path.join(folder, `${variant}-`))
}

function sideOf(ran: readonly Ran[]): Side {
  const latencies = ran.flatMap((one) => one.latencies)
  const wakes = ran.flatMap((one) => one.wakes)
  return {
    perSecond: median(ran.map(({ cycles, elapsed }) => (cycles * 1_000) / elapsed)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    wakeP50: quantile(wakes, 0.5),
  }
}

interface Started {
  readonly variant: Variant
  readonly process: ContestantProcess
  readonly where: string
}

/** Runs the work with every variant of an engine started and warm. */
async function withStarted<T>(
  pair: EnginePair,
  work: (started: readonly Started[]) => Promise<T>,
): Promise<T> {
  const started: Started[] = []
  try {
    for (const variant of VARIANTS) {
      const where = await place(pair, variant)
      started.push({ variant, where, process: await startProcess(pair.module, where, variant) })
    }
    for (const { process } of started) await process.run({ callers: 8, seconds: 1 })
    return await work(started)
  } finally {
    for (const { process } of started) process.stop()
  }
}

function byVariant<T>(of: (variant: Variant) => T): Record<Variant, T> {
  return Object.fromEntries(VARIANTS.map((one) => [one, of(one)])) as Record<Variant, T>
}

function measure(pair: EnginePair): Promise<Row[]> {
  return withStarted(pair, async (started) => {
    const rows: Row[] = []
    for (const callers of CALLERS) {
      const ran = byVariant<Ran[]>(() => [])
      for (let pass = 0; pass < passes; pass += 1) {
        for (const { variant, process } of started) {
          ran[variant].push(await process.run({ callers, seconds }))
        }
      }
      const sides = byVariant((variant) => sideOf(ran[variant]))
      const { own } = sides
      const ratio = ({ p50, perSecond }: Side) =>
        callers === 1 ? p50 / own.p50 : own.perSecond / perSecond
      const ratios = { plain: ratio(sides.plain), countersign: ratio(sides.countersign) }
      const { name, note } = pair
      rows.push({ name, ...(note ? { note } : {}), callers, sides, ratios })
    }
    return rows
  })
}

function count(pair: EnginePair): Promise<CountRow> {
  return withStarted(pair, async (started) => {
    const counts: Partial<Record<Variant, Counted>> = {}
    for (const { variant, process, where } of started) {
      const { run, pid } = process
      counts[variant] =
        pair.keeps === 'postgres' && postgres
          ? await counted({ run, pid: postgres.pid, url: where, pids: [pid, postgres.pid] })
          : await counted({ run, pid, pids: [pid] })
    }
    return { name: pair.name, counts: counts as CountRow['counts'] }
  })
}

const NAMES: Readonly<Record<Variant, string>> = { own: 'own', plain: 'table', countersign: 'ours' }

function cells(values: readonly string[]): string {
  return values.map((one) => one.padStart(10)).join('')
}

const HEAD = cells([
  'callers',
  ...VARIANTS.map((one) => `${NAMES[one]} /s`),
  ...VARIANTS.map((one) => `${NAMES[one]} ms`),
  ...VARIANTS.map((one) => `${NAMES[one]} wake`),
  'table/own',
  'ours/own',
])

function print({ name, note, callers, sides, ratios }: Row): void {
  const figures = (what: keyof Side, digits: number) =>
    VARIANTS.map((one) => sides[one][what].toFixed(digits))
  const line = cells([
    String(callers),
    ...figures('perSecond', 0),
    ...figures('p50', 1),
    ...figures('wakeP50', 1),
    ratios.plain.toFixed(2),
    ratios.countersign.toFixed(2),
  ])
  const goal = ratios.countersign <= GOAL ? 'met' : 'missed'
  process.stdout.write(`${name.padEnd(25)}${line}  ${goal}${note ? ` (${note})` : ''}\n`)
}

const COUNTS = { transactions: 'tx', syncs: 'syncs', processor: 'cpu' } as const
const COUNT_HEAD = cells(
  Object.values(COUNTS).flatMap((what) => VARIANTS.map((one) => `${NAMES[one]} ${what}`)),
)

function printCount({ name, counts }: CountRow): void {
  const figures = (what: keyof Counted) =>
    VARIANTS.map((one) => counts[one][what]?.toFixed(1) ?? '–')
  const line = cells((Object.keys(COUNTS) as (keyof Counted)[]).flatMap(figures))
  process.stdout.write(`${name.padEnd(25)}${line}\n`)
}

async function play<R>(of: (pair: EnginePair) => Promise<readonly R[]>, show: (row: R) => void) {
  const rows: R[] = []
  for (const pair of chosen) {
    for (const row of await of(pair)) {
      rows.push(row)
      show(row)
    }
  }
  if (values.json) writeFileSync(values.json, JSON.stringify(rows, null, 2))
}

try {
  if (values.count) {
    process.stdout.write(`${'per wait, one caller'.padEnd(25)}${COUNT_HEAD}\n`)
    await play(async (pair) => [await count(pair)], printCount)
  } else {
    process.stdout.write(`${`goal: ours/own ≤ ${GOAL}`.padEnd(25)}${HEAD}\n`)
    await play(measure, print)
  }
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
