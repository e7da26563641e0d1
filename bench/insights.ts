/*
 * Insights over a long history: `npm run bench:insights` (add `-- --approvals 1000000`, `-- --days 366`,
 * `-- --rounds 10`).
 *
 * The time of `GET /v1/insights` depends on the counters that were rolled up, not on the approvals
 * behind them. So only the counters are filled in, by the roll-up's own code; first a sample goes
 * through a store and is rolled up there, and both must be the same. Fails above a second of wall time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { Command } from '../src/approval/command.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import type { Counted } from '../src/store/statistics/statistics.ts'
import { dayOf } from '../src/store/statistics/statistics.ts'
import { deciding, telling } from '../src/testing/commands.ts'
import { fillCounters, happened, LIVES_MS, personOf, requestOf } from './growth/fill-counters.ts'
import { benchServer } from './lib/bench-server.ts'
import { quantile } from './store/sample.ts'

const GOAL_MS = 1_000
const DAY = 86_400_000
const SAMPLE = { many: 600, days: 20 }

const { values } = parseArgs({
  options: {
    approvals: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '366' },
    rounds: { type: 'string', default: '10' },
  },
})
const [many, days, rounds] = [values.approvals, values.days, values.rounds].map(Number) as [
  number,
  number,
  number,
]
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-insights-'))
let slowest = 0
try {
  await compareSample()
  const file = path.join(folder, 'filled.db')
  await (await openSqlite(file)).close()
  const begin = (dayOf(Date.now()) - days + 1) * DAY
  const begun = performance.now()
  const counters = await fillCounters(file, { many, begin, days })
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
  say(`${many} approvals over ${days} days: ${counters} counters, filled in ${seconds} s`)
  await time(file)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
say(`Goal: at most ${GOAL_MS} ms. ${slowest <= GOAL_MS ? 'Met.' : 'Missed.'}`)
process.exitCode = slowest <= GOAL_MS ? 0 : 1

/** The counters of a few approvals that a store recorded, beside those that are filled in. */
async function compareSample(): Promise<void> {
  const begin = (dayOf(Date.now()) - SAMPLE.days + 1) * DAY
  let now = begin
  const real = await openSqlite(path.join(folder, 'real.db'), { clock: () => now })
  for (const { at, id, command } of commandsOf(begin)) {
    now = at
    await real.apply(id, command)
  }
  while (await real.statistics.step()) {}
  const range = { from: dayOf(begin), to: dayOf(begin) + SAMPLE.days }
  const recorded = await real.statistics.read(range)
  await real.close()
  const file = path.join(folder, 'sample.db')
  await (await openSqlite(file)).close()
  await fillCounters(file, { ...SAMPLE, begin })
  const filled = await openSqlite(file)
  const counted = await filled.statistics.read(range)
  await filled.close()
  if (!isDeepStrictEqual(sorted(recorded), sorted(counted))) {
    throw new Error('the counters that are filled in are not those that a store rolls up')
  }
  say(`${SAMPLE.many} approvals: filled in and rolled up by a store are the same`)
}

/** In the order of their time, as they were sent. */
function commandsOf(begin: number) {
  const commands: { at: number; id: string; command: Command }[] = []
  for (let n = 0; n < SAMPLE.many; n += 1) {
    const { askedAt, end, took } = happened(n, SAMPLE.many, begin, SAMPLE.days)
    const request = requestOf(n)
    const { id } = request
    commands.push({ at: askedAt, id, command: request })
    commands.push(
      end === 'expire'
        ? { at: askedAt + LIVES_MS, id, command: telling('expire') }
        : { at: askedAt + took, id, command: deciding(request, personOf(n), end) },
    )
  }
  return commands.sort((one, other) => one.at - other.at)
}

function sorted({ days: counted, sums }: Pick<Counted, 'days' | 'sums'>) {
  const named = sums.map(({ dimension, key, counts }) => [`${dimension} ${key}`, plain(counts)])
  return {
    days: counted.map(({ day, counts }) => [day, plain(counts)]),
    sums: named.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  }
}

function plain(counts: object): unknown {
  return JSON.parse(JSON.stringify(counts))
}

/** Over HTTP without a socket: signed in as an admin, who gets the longest answer. */
async function time(file: string): Promise<void> {
  const store = await openSqlite(file)
  const server = benchServer(store, 'version: 1\n')
  const origin = 'http://127.0.0.1:4747'
  const send = async (at: string, init: RequestInit = {}) =>
    server.app.fetch(
      new Request(`${origin}${at}`, {
        ...init,
        headers: { host: '127.0.0.1:4747', origin, ...(init.headers as object) },
      }),
    )
  const signedIn = await send('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: await server.inviteOperator() }),
  })
  const { csrf } = (await signedIn.json()) as { csrf: string }
  const person = {
    cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '',
    'x-countersign-csrf': csrf,
  }
  const begun = performance.now()
  while (await store.statistics.step()) {}
  say(`blocks made in the background in ${(performance.now() - begun).toFixed(0)} ms`)
  for (const range of [30, 366]) {
    const [walls, cpus]: [number[], number[]] = [[], []]
    let first = Number.NaN
    for (let nth = 0; nth <= rounds; nth += 1) {
      const before = process.cpuUsage()
      const begun = performance.now()
      const answer = await send(`/v1/insights?days=${range}`, { headers: person })
      const body = (await answer.json()) as { total: { asked: number } }
      const wall = performance.now() - begun
      if (answer.status !== 200 || !(body.total.asked > 0)) throw new Error('no insights')
      const { user, system } = process.cpuUsage(before)
      // The first is that of the compiler, and of what is not remembered yet.
      if (nth === 0) first = wall
      else {
        walls.push(wall)
        cpus.push((user + system) / 1_000)
      }
    }
    const ms = (times: readonly number[], share: number) => quantile(times, share).toFixed(0)
    say(
      `${range} days: first ${first.toFixed(0)} ms; then wall p50 ${ms(walls, 0.5)}, p99 ${ms(walls, 0.99)} ms; processor p50 ${ms(cpus, 0.5)}, p99 ${ms(cpus, 0.99)} ms`,
    )
    slowest = Math.max(slowest, first, quantile(walls, 0.99))
  }
  await server.close()
  await store.close()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
