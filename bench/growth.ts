/*
 * What grows with the history. `npm run bench:growth` (add `-- --rows 1000,100000,1000000`,
 * `-- --store sqlite`, `-- --rounds 20`, `-- --json FILE`).
 *
 * Fills databases with exactly the rows that a store writes, makes their indexes for searching,
 * starts a server on each and times the requests of growth/requests.ts, in turns; then sweeping,
 * verifying, exporting and erasing on the store itself. The commands are not measured. What a person
 * or an agent waits for may take at most 1.5 times as long on the largest database as on the
 * smallest. A request below the floor passes whatever its ratio: there, the ratio is that of the
 * machine's noise. Insights add up counters of each day and name, and may take a second.
 *
 * Filling takes longest. `--keep FOLDER` leaves SQLite databases in a folder, or uses those that are
 * there; `--server URL` does the same with the databases `growth_ROWS` of a Postgres.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Figure } from './growth/figures.ts'
import { fillPostgres, fillSqlite } from './growth/fill.ts'
import { requestsTo } from './growth/requests.ts'
import type { Served } from './growth/server.ts'
import { hasDatabase, newDatabase, startDurable } from './store/postgres.ts'
import { quantile } from './store/sample.ts'

const GOAL = 1.5
const FLOOR_MS = 2

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000,100000' },
    store: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string', default: '20' },
    json: { type: 'string' },
    keep: { type: 'string' },
    server: { type: 'string' },
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
  /** Milliseconds that are allowed instead of a ratio. */
  readonly most: number | undefined
}
const rows: Row[] = []
const notes: { store: string; name: string; size: number; value: number; unit: string }[] = []

for (const kind of values.store.split(',') as ('sqlite' | 'postgres')[]) {
  const folder = values.keep ?? mkdtempSync(path.join(tmpdir(), 'countersign-growth-'))
  const isPostgres = kind === 'postgres'
  const own = isPostgres && values.server === undefined
  const started = own ? await startDurable(['max_connections=100']) : undefined
  const url = started?.url ?? values.server ?? ''
  try {
    const places = new Map<number, string>()
    for (const size of sizes) {
      places.set(size, await (isPostgres ? filledPostgres(url, size) : filledSqlite(folder, size)))
    }
    for (const [size, place] of places) await figuresOf(kind, place, { size, part: 'index' })
    await timeRequests(kind, places)
    for (const [size, place] of places) await figuresOf(kind, place, { size, part: 'rest' })
  } finally {
    await started?.stop()
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

async function filledSqlite(folder: string, size: number): Promise<string> {
  const file = path.join(folder, `${size}.db`)
  if (!existsSync(file)) await saying(`sqlite: ${size} approvals filled`, fillSqlite(file, size))
  return file
}

async function filledPostgres(url: string, size: number): Promise<string> {
  const name = `growth_${size}`
  if (await hasDatabase(url, name)) return Object.assign(new URL(url), { pathname: name }).href
  const place = await newDatabase(url, name)
  await saying(`postgres: ${size} approvals filled`, fillPostgres(place, size))
  return place
}

async function saying(what: string, work: Promise<void>): Promise<void> {
  const begun = performance.now()
  await work
  process.stderr.write(`${what} in ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
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
  for (const [index, { name, most }] of (servers[0]?.requests ?? []).entries()) {
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
      rows.push({ store: kind, name, size, p50, p99, ratio, most })
    }
  }
  for (const { stop } of servers) await stop()
}

/** What has to be linear, for each entry; and what must not be. */
async function figuresOf(
  kind: string,
  place: string,
  { size, part }: { readonly size: number; readonly part: 'index' | 'rest' },
): Promise<void> {
  const script = path.join(import.meta.dirname, 'growth/figures.ts')
  const child = fork(script, [kind, place, String(size), part], { execArgv: process.execArgv })
  const ended = once(child, 'exit')
  const [figures] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the figures ended with ${code}`))),
  ])) as [Figure[]]
  for (const { name, value, unit } of figures) note(kind, name, size, value, unit)
  await ended
}

function note(store: string, name: string, size: number, value: number, unit: string): void {
  notes.push({ store, name, size, value, unit })
}

const [smallest = 0, largest = 0] = [Math.min(...sizes), Math.max(...sizes)]
let failed = 0
for (const store of new Set(rows.map((row) => row.store))) {
  process.stdout.write(`\n${store}: p50 (p99) in ms\n`)
  const names = new Set(rows.filter((row) => row.store === store).map(({ name }) => name))
  for (const name of names) {
    const own = rows.filter((row) => row.store === store && row.name === name)
    const at = (size: number) => own.find((row) => row.size === size)?.p50 ?? Number.NaN
    const { ratio = Number.NaN, most } = own.find((row) => row.size === largest) ?? {}
    const isFlat =
      most === undefined
        ? ratio <= GOAL || at(largest) - at(smallest) <= FLOOR_MS
        : at(largest) <= most
    if (!isFlat) failed += 1
    const cells = own.map(({ p50, p99 }) => `${p50.toFixed(1)} (${p99.toFixed(1)})`.padStart(16))
    process.stdout.write(
      `${name.padEnd(34)}${cells.join('')}${`× ${ratio.toFixed(2)}`.padStart(9)}${isFlat ? '' : most === undefined ? '  grows' : '  too long'}\n`,
    )
  }
  for (const [name, own] of Map.groupBy(
    notes.filter((one) => one.store === store),
    (one) => one.name,
  )) {
    const cells = sizes.map((size) => own.find((one) => one.size === size)?.value ?? Number.NaN)
    const shown = cells.map((value) => value.toFixed(1).padStart(16)).join('')
    process.stdout.write(`${name.padEnd(34)}${shown} ${own[0]?.unit ?? ''}\n`)
  }
}
process.stdout.write(
  `\nGoal: at most × ${GOAL}, or ${FLOOR_MS} ms more; insights within a second. ${failed === 0 ? 'Met by all.' : `Missed by ${failed}.`}\n`,
)
if (values.json !== undefined) {
  writeFileSync(values.json, JSON.stringify({ goal: GOAL, floor: FLOOR_MS, rows, notes }, null, 1))
}
process.exitCode = failed === 0 ? 0 : 1
