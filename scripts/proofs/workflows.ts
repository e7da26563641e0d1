/**
 * Workers of durable workflows, killed by kill -9 at every place, many times, with every engine:
 * `npm run proof workflows`. WORKFLOW_SEEDS sets how often (20), WORKFLOW_ENGINES which engines, as
 * a regular expression, and WORKFLOW_PROOF a file that keeps what passed: started again with it, the
 * proof goes on where it stopped.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { startPostgres } from '../../test/support/start-postgres.ts'
import { awsDurable } from '../../test/workflows/aws-durable-harness.ts'
import { dbosPostgres } from '../../test/workflows/dbos-harness.ts'
import { inngestExecutor } from '../../test/workflows/inngest-harness.ts'
import { KILLS, type Kill, survives } from '../../test/workflows/kills.ts'
import { langgraphFiles } from '../../test/workflows/langgraph-harness.ts'
import {
  openworkflowPostgres,
  openworkflowSqlite,
} from '../../test/workflows/openworkflow-harness.ts'
import { restate } from '../../test/workflows/restate-harness.ts'
import { temporal } from '../../test/workflows/temporal/harness.ts'
import type { EngineHarness } from '../../test/workflows/world.ts'

const SEEDS = Number(process.env.WORKFLOW_SEEDS ?? 20)
const AT_ONCE = 4
const { WORKFLOW_PROOF: kept, WORKFLOW_ENGINES: engines = '.' } = process.env

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

interface Round {
  readonly harness: EngineHarness
  readonly kill: Kill
  readonly seed: number
}

function lineOf({ harness, kill, seed }: Round): string {
  return `passed: ${harness.name}, ${kill}, seed ${seed}`
}

const before = kept && existsSync(kept) ? readFileSync(kept, 'utf8').split('\n') : []
const passed = new Set(before.filter((line) => line.startsWith('passed: ')))
const rounds: Round[] = []
for (let seed = 1; seed <= SEEDS; seed += 1) {
  for (const harness of harnesses) for (const kill of KILLS) rounds.push({ harness, kill, seed })
}
const left = rounds.filter((round) => !passed.has(lineOf(round)))

let failed = 0

async function play(): Promise<void> {
  for (let round = left.shift(); round; round = left.shift()) {
    const { harness, kill, seed } = round
    try {
      await survives(harness, kill, seed)
      passed.add(lineOf(round))
      if (kept) appendFileSync(kept, `${lineOf(round)}\n`)
    } catch (error) {
      failed += 1
      const line = `FAILED ${harness.name}, ${kill}, seed ${seed}: ${String(error)}\n`
      process.stdout.write(line)
      if (kept) appendFileSync(kept, line)
    }
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, play))
for (const { name } of harnesses) {
  const of = rounds.filter(({ harness }) => harness.name === name)
  const count = of.filter((round) => passed.has(lineOf(round))).length
  process.stdout.write(`${name}: survived ${count} of ${of.length} kills\n`)
}
await postgres.stop()
process.exitCode = failed === 0 ? 0 : 1
