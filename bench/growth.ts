/*
 * What grows with the history. `npm run bench:growth` (add `-- --rows 1000,100000,1000000`,
 * `-- --store sqlite`, `-- --rounds 20`, `-- --json FILE`).
 *
 * Fills databases with exactly the rows that a store writes, starts a server on each and times the
 * requests of growth/requests.ts, in turns; then opening, sweeping, verifying and erasing on the
 * store itself. Exporting and the commands are not measured. What a person or an agent waits for may take at most 1.5 times as long on the
 * largest database as on the smallest. A request below the floor passes whatever its ratio: there,
 * the ratio is that of the machine's noise.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { recordsOf } from '../src/gate/audit/audit-records.ts'
import { verifyAudit } from '../src/gate/audit/audit-verify.ts'
import { openPostgres } from '../src/store/postgres/open-store.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import { fillPostgres, fillSqlite } from './growth/fill.ts'
import { requestsTo } from './growth/requests.ts'
import type { Served } from './growth/server.ts'
import { newDatabase, startDurable } from './store/postgres.ts'
import { quantile } from './store/sample.ts'

const GOAL = 1.5
const FLOOR_MS = 2

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000,100000' },
    store: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
})
const sizes = values.rows
  .split(',')
  .map(Number)
  .sort((a, b) => a - b)
const rounds = Number(values.rounds)

interface Row {
  readonly store: string
  readonly name: string
  readonly size: number
  readonly p50: number
  readonly p99: number
  /** How many times as long as on the smallest: the median of the rounds. */
  readonly ratio: number
}
const rows: Row[] = []
const notes: { store: string; name: string; size: number; value: number; unit: string }[] = []

for (const kind of values.store.split(',') as ('sqlite' | 'postgres')[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-growth-'))
  const postgres = kind === 'postgres' ? await startDurable(['max_connections=100']) : undefined
  try {
    const places = new Map<number, string>()
    for (const size of sizes) {
      const begun = performance.now()
      const place = postgres
        ? await newDatabase(postgres.url, `growth_${size}`)
        : path.join(folder, `${size}.db`)
      await (postgres ? fillPostgres : fillSqlite)(place, size)
      places.set(size, place)
      say(`${kind}: ${size} approvals filled in ${seconds(begun)}`)
    }
    await timeRequests(kind, places)
    for (const [size, place] of places) await timeStore(kind, place, size)
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function serve(kind: string, place: string, size: number) {
  const child = fork(path.join(import.meta.dirname, 'growth/server.ts'), [kind, place], {
    execArgv: process.execArgv,
  })
  const [served] = (await once(child, 'message')) as [Served]
  note(kind, 'start', size, served.startMs, 'ms')
  const stop = async () => {
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  }
  return { size, requests: requestsTo(served, size), stop }
}

/** All servers run at once and are asked in turns: what the machine does meanwhile befalls them all. */
async function timeRequests(kind: string, places: ReadonlyMap<number, string>): Promise<void> {
  const servers = await Promise.all([...places].map(([size, place]) => serve(kind, place, size)))
  for (const [index, { name }] of (servers[0]?.requests ?? []).entries()) {
    const times = servers.map((): number[] => [])
    // The first requests of a process are those of its compiler. What is decided is decided once.
    const warmUp = name === 'decide' || name === 'claim' ? 0 : 5
    for (let nth = 0; nth < rounds + warmUp; nth += 1) {
      for (const [at, { requests }] of servers.entries()) {
        const begun = performance.now()
        await requests[index]?.run(nth)
        if (nth >= warmUp) times[at]?.push(performance.now() - begun)
      }
    }
    for (const [at, { size }] of servers.entries()) {
      const own = times[at] ?? []
      const smallest = times[0] ?? []
      const ratio = quantile(
        own.map((ms, round) => ms / (smallest[round] ?? Number.NaN)),
        0.5,
      )
      const [p50, p99] = [quantile(own, 0.5), quantile(own, 0.99)]
      rows.push({ store: kind, name, size, p50, p99, ratio })
    }
  }
  for (const { stop } of servers) await stop()
}

/** What has to be linear, for each entry; and what must not be. */
async function timeStore(kind: string, place: string, size: number): Promise<void> {
  const store = kind === 'sqlite' ? await openSqlite(place) : await openPostgres(place)
  const sweep = performance.now()
  await store.due(100)
  note(kind, 'sweep, nothing due', size, performance.now() - sweep, 'ms')
  const log = await store.vault.log()
  const verify = performance.now()
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const at = await store.now()
  const report = await verifyAudit(() => recordsOf(log, { at, rows: true }), { hash })
  if (!report.ok) throw new Error(`the record is not intact: ${JSON.stringify(report.problem)}`)
  note(kind, 'verify', size, ((performance.now() - verify) / report.entries) * 1_000, 'µs/entry')
  await log.close()
  note(kind, 'memory after verifying', size, process.memoryUsage().rss / 1_048_576, 'MB')
  const erase = performance.now()
  const erased = await store.erase(Date.now() - 59 * 86_400_000)
  const each = ((performance.now() - erase) / Math.max(erased, 1)) * 1_000
  note(kind, 'erase', size, each, 'µs/piece')
  await store.close()
  if (kind === 'sqlite') note(kind, 'bytes', size, statSync(place).size / size, 'B/approval')
}

function note(store: string, name: string, size: number, value: number, unit: string): void {
  notes.push({ store, name, size, value, unit })
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function seconds(begun: number): string {
  return `${((performance.now() - begun) / 1_000).toFixed(0)} s`
}

const [smallest = 0, largest = 0] = [Math.min(...sizes), Math.max(...sizes)]
let failed = 0
for (const store of new Set(rows.map((row) => row.store))) {
  process.stdout.write(`\n${store}: p50 (p99) in ms\n`)
  const names = new Set(rows.filter((row) => row.store === store).map(({ name }) => name))
  for (const name of names) {
    const own = rows.filter((row) => row.store === store && row.name === name)
    const at = (size: number) => own.find((row) => row.size === size)?.p50 ?? Number.NaN
    const ratio = own.find((row) => row.size === largest)?.ratio ?? Number.NaN
    const isFlat = ratio <= GOAL || at(largest) - at(smallest) <= FLOOR_MS
    if (!isFlat) failed += 1
    const cells = own.map(({ p50, p99 }) => `${p50.toFixed(1)} (${p99.toFixed(1)})`.padStart(16))
    process.stdout.write(
      `${name.padEnd(34)}${cells.join('')}${`× ${ratio.toFixed(2)}`.padStart(9)}${isFlat ? '' : '  grows'}\n`,
    )
  }
  for (const { name, size, value, unit } of notes.filter((one) => one.store === store)) {
    process.stdout.write(
      `${`${name}, ${size}`.padEnd(34)}${value.toFixed(1).padStart(16)} ${unit}\n`,
    )
  }
}
process.stdout.write(
  `\nGoal: at most × ${GOAL}, or ${FLOOR_MS} ms more. ${failed === 0 ? 'Met by all.' : `Missed by ${failed}.`}\n`,
)
if (values.json !== undefined) {
  writeFileSync(values.json, JSON.stringify({ goal: GOAL, floor: FLOOR_MS, rows, notes }, null, 1))
}
process.exitCode = failed === 0 ? 0 : 1
