/*
 * What grows with the history. `npm run bench:growth` (add `-- --rows 1000,100000,1000000`,
 * `-- --store sqlite`, `-- --rounds 20`, `-- --only 'search|audit'`, `-- --json FILE`).
 *
 * Fills databases with exactly the rows that a store writes, starts a server on each and times the
 * requests of growth/requests.ts, in turns, by the clock and by the processor time of the server (and
 * of Postgres); then the commands, sweeping, verifying, exporting and erasing. What a person or an agent waits for
 * may take at most 1.5 times the processor time on the largest database that it takes on the smallest.
 * A request below the floor passes whatever its ratio: there, the ratio is that of the machine's
 * noise. Insights add up counters of each day and name, and may take a second.
 *
 * Filling takes longest: about half a millisecond of processor time for an approval. `--keep FOLDER`
 * leaves the databases in a folder, or uses those that are there: each is kept once it is whole.
 * `--server URL` uses the databases `growth_ROWS` of a Postgres that runs on this machine.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Figure } from './growth/figures.ts'
import { fillPostgres } from './growth/fill-postgres.ts'
import { fillSqlite } from './growth/fill-sqlite.ts'
import { createReport } from './growth/report.ts'
import { requestsTo } from './growth/requests.ts'
import type { Served } from './growth/server.ts'
import { processorTime } from './lib/processor-time.ts'
import {
  backendsOf,
  hasDatabase,
  newDatabase,
  renameDatabase,
  startDurable,
} from './store/postgres.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000,100000' },
    store: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string', default: '20' },
    only: { type: 'string' },
    part: { type: 'string', default: 'requests,figures' },
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
const only = new RegExp(values.only ?? '')
const report = createReport(sizes)

const folder = values.keep ?? mkdtempSync(path.join(tmpdir(), 'countersign-growth-'))
mkdirSync(folder, { recursive: true })
try {
  for (const kind of values.store.split(',') as ('sqlite' | 'postgres')[]) {
    if (kind === 'sqlite') {
      const places = new Map<number, string>()
      for (const size of sizes) places.set(size, await filledFile(size))
      await measure(kind, places, async () => [])
      continue
    }
    const server = values.server === undefined ? await startOwn() : undefined
    const url = server?.url ?? values.server ?? ''
    try {
      const places = new Map<number, string>()
      for (const size of sizes) places.set(size, await filledDatabase(url, size))
      await measure(kind, places, (place) => backendsOf(place))
    } finally {
      await server?.stop()
    }
  }
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })
}
report.print()
if (values.json !== undefined) report.write(values.json)
process.exitCode = report.failed() === 0 ? 0 : 1

function startOwn() {
  return startDurable(
    // Checkpoints as on a server for such a database: not one after the other.
    ['max_connections=100', 'max_wal_size=8GB', 'shared_buffers=512MB'],
    path.join(folder, 'postgres'),
  )
}

async function filledFile(size: number): Promise<string> {
  const file = path.join(folder, `${size}.db`)
  if (existsSync(file)) return file
  const progress = (done: number) => process.stderr.write(`\r${done} of ${size} approvals`)
  await saying(`sqlite: ${size} approvals filled`, fillSqlite(file, size, progress))
  return file
}

async function filledDatabase(url: string, size: number): Promise<string> {
  const name = `growth_${size}`
  const place = Object.assign(new URL(url), { pathname: name }).href
  if (await hasDatabase(url, name)) return place
  const file = await filledFile(size)
  const part = await newDatabase(url, `${name}_part`)
  await saying(`postgres: ${size} approvals filled`, fillPostgres(part, file))
  await renameDatabase(url, `${name}_part`, name)
  return place
}

async function saying(what: string, work: Promise<void>): Promise<void> {
  const begun = performance.now()
  await work
  process.stderr.write(`\r${what} in ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
}

type Backends = (place: string) => Promise<readonly number[]>

async function measure(
  kind: string,
  places: ReadonlyMap<number, string>,
  backends: Backends,
): Promise<void> {
  if (values.part.includes('requests')) await timeRequests(kind, places, backends)
  if (!values.part.includes('figures')) return
  for (const [size, place] of places) await figuresOf(kind, place, size)
}

async function serve(kind: string, place: string, size: number) {
  const child = fork(path.join(import.meta.dirname, 'growth/server.ts'), [kind, place], {
    execArgv: process.execArgv,
  })
  const [served] = (await once(child, 'message')) as [Served]
  report.note({ store: kind, name: 'start', size, value: served.startMs, unit: 'ms' })
  const stop = async () => {
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  }
  return { size, place, pid: child.pid ?? 0, requests: requestsTo(served, size), stop }
}

/** All servers run at once and are asked in turns: what the machine does meanwhile befalls them all. */
async function timeRequests(
  kind: string,
  places: ReadonlyMap<number, string>,
  backends: Backends,
): Promise<void> {
  const servers = await Promise.all([...places].map(([size, place]) => serve(kind, place, size)))
  for (const [index, { name, most, once: isOnce }] of (servers[0]?.requests ?? []).entries()) {
    if (!only.test(name)) continue
    const times = servers.map((): { ms: number; processor: number }[] => [])
    // The first requests of a process are those of its compiler. What is decided is decided once.
    const warmUp = isOnce === true ? 0 : 5
    for (let nth = 0; nth < rounds + warmUp; nth += 1) {
      for (const [at, { requests, pid, place }] of servers.entries()) {
        const pids = [pid, ...(await backends(place))]
        const used = () => pids.reduce((sum, one) => sum + (processorTime(one) ?? 0), 0)
        const [before, begun] = [used(), performance.now()]
        await requests[index]?.run(nth)
        const ms = performance.now() - begun
        if (nth >= warmUp) times[at]?.push({ ms, processor: used() - before })
      }
    }
    process.stderr.write(`${kind}: ${name}\n`)
    for (const [at, { size }] of servers.entries()) {
      report.row({ store: kind, name, size, most, times: times[at] ?? [], of: times[0] ?? [] })
    }
  }
  for (const { stop } of servers) await stop()
}

/** What has to be linear, for each entry; and what must not be. */
async function figuresOf(kind: string, place: string, size: number): Promise<void> {
  const script = path.join(import.meta.dirname, 'growth/figures.ts')
  const child = fork(script, [kind, place, String(size)], { execArgv: process.execArgv })
  const ended = once(child, 'exit')
  const [figures] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the figures ended with ${code}`))),
  ])) as [Figure[]]
  for (const figure of figures) report.note({ store: kind, size, ...figure })
  await ended
}
