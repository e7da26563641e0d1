/*
 * How fast a call is asked for, approved, claimed and finished, durably. `npm run bench:store`
 * (add `-- --json FILE`, `-- --rounds 40`, `-- --only sqlite|syncs|grants|postgres|waiters`).
 *
 * There are two limits. `ready rows`: what the disk and the database take when every row lies ready.
 * `bare loop`: as many callers as the store has, who make the same rows and wait for the sync they
 * share, without a rule, a lock, a trigger or a read. Limits and store take short turns in one
 * process on one disk, and every ratio is taken inside one round.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { openPostgres } from '../src/store/postgres/open-store.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import { deciding } from '../src/testing/commands.ts'
import { createRows, runCallers, runReady } from './store/bare.ts'
import { aRequest, runCycles } from './store/cycle.ts'
import { mintFor, timeGrants } from './store/grants.ts'
import { barePostgres, newDatabase, startDurable } from './store/postgres.ts'
import { median, quantile } from './store/sample.ts'
import { bareSqlite, syncTime } from './store/sqlite.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const CALLERS = 64
/** Cycles of each caller in one turn: enough to measure, short enough for both to meet the same noise. */
const TURN = 4

interface Line {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly goal?: string
  readonly met?: boolean
}

const lines: Line[] = []
function report(what: string, value: number, unit: string, goal?: [string, boolean]): void {
  lines.push({ what, value, unit, ...(goal ? { goal: goal[0], met: goal[1] } : {}) })
  const verdict = goal ? `   goal ${goal[0]}: ${goal[1] ? 'met' : 'missed'}` : ''
  process.stdout.write(`${what.padEnd(58)} ${value.toFixed(3).padStart(12)} ${unit}${verdict}\n`)
}

class Samples {
  readonly #of = new Map<string, number[]>()
  add(what: string, value: number): void {
    this.#of.set(what, [...(this.#of.get(what) ?? []), value])
  }
  median(what: string): number {
    return median(this.#of.get(what) ?? [])
  }
}

async function benchSqlite(folder: string): Promise<void> {
  const store = await openSqlite(path.join(folder, 'approvals.db'), {
    head: path.join(folder, 'head.json'),
  })
  const bare = bareSqlite(folder)
  const rows = createRows()
  const found = new Samples()
  await runCycles(store, CALLERS, 20)
  await runCallers(rows, bare.commit, CALLERS, 10)
  for (let round = 0; round < rounds; round += 1) {
    const ready = await runReady(rows, bare.commit, CALLERS, 100)
    const loop = await runCallers(rows, bare.commit, CALLERS, TURN)
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const ours = await runCycles(store, CALLERS, TURN)
    delay.disable()
    found.add('ready', ready.perSecond)
    found.add('loop', loop.perSecond)
    found.add('ours', ours.perSecond)
    found.add('ours ÷ ready', ours.perSecond / ready.perSecond)
    found.add('ours ÷ loop', ours.perSecond / loop.perSecond)
    found.add('delay', delay.percentile(99) / 1e6)
    found.add('p99', ours.p99)

    const sync = syncTime(folder, 4_096)
    const loopAlone = await runCallers(rows, bare.commit, 1, 40)
    const alone = await runCycles(store, 1, 40)
    found.add('syncs', sync * 4)
    found.add('loop alone', loopAlone.p50)
    found.add('alone', alone.p50)
    found.add('alone ÷ syncs', alone.p50 / (sync * 4))
    found.add('alone ÷ loop', alone.p50 / loopAlone.p50)
  }
  const ratio = found.median('ours ÷ loop')
  const toReady = found.median('ours ÷ ready')
  const toSyncs = found.median('alone ÷ syncs')
  report('SQLite, 64 callers: ready rows', found.median('ready'), 'cycles/s')
  report('SQLite, 64 callers: bare loop', found.median('loop'), 'cycles/s')
  report('SQLite, 64 callers: store', found.median('ours'), 'cycles/s')
  report('SQLite, 64 callers: store ÷ bare loop', ratio, '×', ['≥ 0.6', ratio >= 0.6])
  // Held to both readings of "the same rows": the harder one is not allowed to go unseen.
  report('SQLite, 64 callers: store ÷ ready rows', toReady, '×', ['≥ 0.6', toReady >= 0.6])
  report('SQLite, 64 callers: p99 of a cycle', found.median('p99'), 'ms')
  report('SQLite, 64 callers: event-loop delay p99', found.median('delay'), 'ms')
  report('SQLite, 1 caller: four syncs of 4 KB, p50', found.median('syncs'), 'ms')
  report('SQLite, 1 caller: bare loop, p50', found.median('loop alone'), 'ms')
  report('SQLite, 1 caller: store, p50', found.median('alone'), 'ms')
  report('SQLite, 1 caller: store ÷ syncs', toSyncs, '×', ['≤ 1.5', toSyncs <= 1.5])
  report('SQLite, 1 caller: store ÷ bare loop', found.median('alone ÷ loop'), '×')
  bare.close()
  await store.close()
}

async function benchPostgres(): Promise<void> {
  const server = await startDurable()
  try {
    const url = await newDatabase(server.url, 'ours')
    const store = await openPostgres(url)
    const bare = await barePostgres(await newDatabase(server.url, 'bare'))
    const rows = createRows()
    const found = new Samples()
    await runCycles(store, CALLERS, 10)
    await runCallers(rows, bare.commit, CALLERS, 5)
    for (let round = 0; round < rounds; round += 1) {
      const ready = await runReady(rows, bare.commit, CALLERS, 100)
      const loop = await runCallers(rows, bare.commit, CALLERS, TURN)
      const ours = await runCycles(store, CALLERS, TURN)
      found.add('ready', ready.perSecond)
      found.add('loop', loop.perSecond)
      found.add('ours', ours.perSecond)
      found.add('ours ÷ ready', ours.perSecond / ready.perSecond)
      found.add('ours ÷ loop', ours.perSecond / loop.perSecond)
      found.add('alone', (await runCycles(store, 1, 10)).p50)
      if (round % 5 === 0) found.add('wake', await wakeTime(url))
    }
    const ratio = found.median('ours ÷ ready')
    const wake = found.median('wake')
    report('Postgres, 64 callers: bare batched SQL, ready rows', found.median('ready'), 'cycles/s')
    report('Postgres, 64 callers: bare loop', found.median('loop'), 'cycles/s')
    report('Postgres, 64 callers: store', found.median('ours'), 'cycles/s')
    report('Postgres, 64 callers: store ÷ bare batched SQL', ratio, '×', ['≥ 0.4', ratio >= 0.4])
    report('Postgres, 64 callers: store ÷ bare loop', found.median('ours ÷ loop'), '×')
    report('Postgres, 1 caller: store, p50', found.median('alone'), 'ms')
    report('Postgres: wake-up of another server, p50', wake, 'ms', ['≤ 2', wake <= 2])
    await bare.close()
    await store.close()
  } finally {
    await server.stop()
  }
}

/** From the acknowledgement in one server to the waiter in another. */
async function wakeTime(url: string): Promise<number> {
  const [decider, waiter] = await Promise.all([openPostgres(url), openPostgres(url)])
  const times: number[] = []
  for (let index = 0; index < 100; index += 1) {
    const request = aRequest()
    const { approval } = await decider.apply(request.id, request)
    let wokenAt = 0
    const waiting = waiter.waitFor(approval.id, 1).then(() => {
      wokenAt = performance.now()
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await decider.apply(approval.id, deciding(approval))
    const decidedAt = performance.now()
    await waiting
    times.push(Math.max(0, wokenAt - decidedAt))
  }
  await Promise.all([decider.close(), waiter.close()])
  return quantile(times, 0.5)
}

function benchWaiters(): void {
  const program = path.join(import.meta.dirname, 'store/waiters.ts')
  const text = execFileSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' })
  const { heap, rss } = JSON.parse(text) as { heap: number; rss: number }
  report('A parked waiter at 100,000: heap', heap, 'bytes')
  report('A parked waiter at 100,000: resident', rss, 'bytes', ['≤ 1,229', rss <= 1_229])
}

/** Counts the syncs that the system really saw, where strace is there to count them. */
function benchSyncs(folder: string): void {
  const log = path.join(folder, 'strace.log')
  const program = path.join(import.meta.dirname, 'store/batches.ts')
  const args = [
    '-f',
    '-c',
    '-e',
    'trace=fsync,fdatasync',
    '-o',
    log,
    process.execPath,
    program,
    folder,
  ]
  const run = spawnSync('strace', args, { encoding: 'utf8' })
  if (run.error || run.status !== 0) {
    process.stdout.write('strace is not here: syncs were not counted\n')
    return
  }
  const { batches } = JSON.parse(run.stdout) as { batches: number }
  const table = execFileSync('cat', [log], { encoding: 'utf8' })
  const syncs = table
    .split('\n')
    .filter((line) => /fd?a?t?a?sync$/.test(line))
    .reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[3]), 0)
  const ratio = syncs / batches
  report('SQLite: syncs per acknowledged batch', ratio, '×', ['≥ 1', ratio >= 1])
}

/** A call that a grant covers: one commit, where asking, answering and claiming take three. */
async function benchGrants(folder: string): Promise<void> {
  const store = await openSqlite(path.join(folder, 'grants.db'))
  const grant = await mintFor(store)
  const found = new Samples()
  await timeGrants(store, grant, 50)
  for (let round = 0; round < rounds; round += 1) {
    const { asked, granted } = await timeGrants(store, grant, 50)
    found.add('asked', asked)
    found.add('granted', granted)
    found.add('granted ÷ asked', granted / asked)
  }
  const ratio = found.median('granted ÷ asked')
  report('SQLite, 1 caller: one commit that asks, p50', found.median('asked'), 'ms')
  report('SQLite, 1 caller: use, yes and claim by a grant, p50', found.median('granted'), 'ms')
  report('SQLite, 1 caller: by a grant ÷ asking', ratio, '×', ['≤ 1.5', ratio <= 1.5])
  await store.close()
}

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-bench-'))
try {
  const parts: Record<string, () => void | Promise<void>> = {
    sqlite: () => benchSqlite(folder),
    syncs: () => benchSyncs(folder),
    grants: () => benchGrants(folder),
    postgres: benchPostgres,
    waiters: benchWaiters,
  }
  for (const [name, run] of Object.entries(parts)) {
    if (values.only === undefined || values.only === name) await run()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(lines, undefined, 2)}\n`)
