/*
 * What `waitForApproval` costs a workflow: each engine with its own signal and wait, and with
 * `requireApproval` in their place, followed by one step. `npm run bench:workflows` (add
 * `-- --json FILE`, `-- --passes 5`, `-- --seconds 3`, `-- --only 'DBOS|Restate'`).
 *
 * Both run in turns, each in a process of its own with a database of its own. The answer is given as
 * soon as it is asked for: by the engine's own signal, or as a decision that the outbox turns into
 * the wake-up.
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

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    passes: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '.' },
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
  readonly own: Side
  readonly countersign: Side
  /** Of the time of a cycle: its median with one caller, its mean share with many. */
  readonly ratio: number
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

async function measure(pair: EnginePair): Promise<Row[]> {
  const started: [Variant, ContestantProcess][] = []
  try {
    for (const variant of VARIANTS) {
      const where = await place(pair, variant)
      started.push([variant, await startProcess(pair.module, where, variant)])
    }
    for (const [, { run }] of started) await run({ callers: 8, seconds: 1 })
    const rows: Row[] = []
    for (const callers of CALLERS) {
      const ran: Record<Variant, Ran[]> = { own: [], countersign: [] }
      for (let pass = 0; pass < passes; pass += 1) {
        for (const [variant, { run }] of started) ran[variant].push(await run({ callers, seconds }))
      }
      const [own, countersign] = [sideOf(ran.own), sideOf(ran.countersign)]
      const ratio =
        callers === 1 ? countersign.p50 / own.p50 : own.perSecond / countersign.perSecond
      const { name, note } = pair
      rows.push({ name, ...(note ? { note } : {}), callers, own, countersign, ratio })
    }
    return rows
  } finally {
    for (const [, { stop }] of started) stop()
  }
}

const HEAD = 'callers   own /s  ours /s   own ms  ours ms  own wake ours wake  ratio'

function print({ name, note, callers, own, countersign, ratio }: Row): void {
  const cells = [
    String(callers).padStart(7),
    own.perSecond.toFixed(0).padStart(9),
    countersign.perSecond.toFixed(0).padStart(9),
    own.p50.toFixed(1).padStart(9),
    countersign.p50.toFixed(1).padStart(9),
    own.wakeP50.toFixed(1).padStart(10),
    countersign.wakeP50.toFixed(1).padStart(10),
    ratio.toFixed(2).padStart(7),
  ]
  const goal = ratio <= GOAL ? 'met' : 'missed'
  process.stdout.write(`${name.padEnd(25)}${cells.join('')}  ${goal}${note ? ` (${note})` : ''}\n`)
}

try {
  const rows: Row[] = []
  process.stdout.write(`${`goal: ratio ≤ ${GOAL}`.padEnd(25)}${HEAD}\n`)
  for (const pair of chosen) {
    for (const row of await measure(pair)) {
      rows.push(row)
      print(row)
    }
  }
  if (values.json) writeFileSync(values.json, JSON.stringify(rows, null, 2))
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}
