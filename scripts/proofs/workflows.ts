/**
 * Workers of durable workflows, killed by kill -9 at every place, many times, with every engine:
 * `npm run proof workflows`. WORKFLOW_SEEDS sets how often (20), WORKFLOW_ENGINES which engines, as
 * a regular expression, WORKFLOW_AT_ONCE how many side by side (4), and WORKFLOW_PROOF a file that keeps
 * what passed: started again with it, the proof goes on where it stopped.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { startPostgres } from '../../test/support/start-postgres.ts'
import { awsDurable } from '../../test/workflows/aws-durable-harness.ts'
import { dbosPostgres } from '../../test/workflows/dbos-harness.ts'
import { inngestExecutor } from '../../test/workflows/inngest-harness.ts'
import { KILLS, type Kill, surviveAll } from '../../test/workflows/kills.ts'
import { langgraphFiles } from '../../test/workflows/langgraph-harness.ts'
import {
  openworkflowPostgres,
  openworkflowSqlite,
} from '../../test/workflows/openworkflow-harness.ts'
import { restate } from '../../test/workflows/restate-harness.ts'
import { temporal } from '../../test/workflows/temporal/harness.ts'
import type { EngineHarness } from '../../test/workflows/world.ts'

const SEEDS = Number(process.env.WORKFLOW_SEEDS ?? 20)
const AT_ONCE = Number(process.env.WORKFLOW_AT_ONCE ?? 4)
const { WORKFLOW_PROOF: kept, WORKFLOW_ENGINES: engines = '.' } = process.env

process.env.WORKFLOW_PATIENCE_MS ??= '300000'

const postgres = await startPostgres()
let made = 0
let making: Promise<unknown> = Promise.resolve()

/** One after the other: two at once trip over the template database. */
function freshDatabase(): Promise<string> {
  const next = making.then(async () => {
    made += 1
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(`create database proof_${made}`)
    await client.end()
    return Object.assign(new URL(postgres.url), { pathname: `/proof_${made}` }).href
  })
  making = next.catch(() => {})
  return next
}

const harnesses = [
  openworkflowSqlite,
  openworkflowPostgres(freshDatabase),
  dbosPostgres(freshDatabase),
  temporal,
  inngestExecutor(),
  inngestExecutor({ checkpointing: false }),
  langgraphFiles,
  restate,
  awsDurable,
].filter(({ name }) => new RegExp(engines, 'i').test(name))

/** One engine with one seed: a worker after the other dies, at every place that is left. */
interface Round {
  readonly harness: EngineHarness
  readonly seed: number
  readonly kills: readonly Kill[]
}

function lineOf({ harness, seed }: Omit<Round, 'kills'>, kill: Kill): string {
  return `passed: ${harness.name}, ${kill}, seed ${seed}`
}

const before = kept && existsSync(kept) ? readFileSync(kept, 'utf8').split('\n') : []
const passed = new Set(before.filter((line) => line.startsWith('passed: ')))
const rounds: Round[] = []
for (let seed = 1; seed <= SEEDS; seed += 1) {
  for (const harness of harnesses) {
    const kills = KILLS.filter((kill) => !passed.has(lineOf({ harness, seed }, kill)))
    if (kills.length > 0) rounds.push({ harness, seed, kills })
  }
}

let failed = 0

function tell(round: Round, kill: Kill, error: unknown): void {
  const { harness, seed } = round
  const line =
    error === undefined
      ? lineOf(round, kill)
      : `FAILED ${harness.name}, ${kill}, seed ${seed}: ${String(error)}`
  if (error === undefined) passed.add(line)
  else failed += 1
  if (error !== undefined) process.stdout.write(`${line}\n`)
  if (kept) appendFileSync(kept, `${line}\n`)
}

async function play(): Promise<void> {
  for (let round = rounds.shift(); round; round = rounds.shift()) {
    const { harness, seed, kills } = round
    const at = round
    try {
      await surviveAll(harness, kills, (kill, error) => tell(at, kill, error), { seed })
    } catch (error) {
      failed += 1
      process.stdout.write(`FAILED ${harness.name}, seed ${seed}: ${String(error)}\n`)
    }
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, play))
for (const { name } of harnesses) {
  const count = [...passed].filter((line) => line.startsWith(`passed: ${name}, `)).length
  process.stdout.write(`${name}: survived ${count} of ${SEEDS * KILLS.length} kills\n`)
}
await postgres.stop()
process.exitCode = failed === 0 ? 0 : 1
