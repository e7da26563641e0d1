/**
 * Workers of durable workflows, killed by kill -9 at every place, many times, with every engine:
 * `npm run proof workflows`. WORKFLOW_SEEDS sets how often (20).
 */
import { Client } from 'pg'
import { startPostgres } from '../../test/support/start-postgres.ts'
import { dbosPostgres } from '../../test/workflows/dbos-harness.ts'
import { inngestExecutor } from '../../test/workflows/inngest-harness.ts'
import { KILLS, type Kill, survives } from '../../test/workflows/kills.ts'
import { langgraphFiles } from '../../test/workflows/langgraph-harness.ts'
import {
  openworkflowPostgres,
  openworkflowSqlite,
} from '../../test/workflows/openworkflow-harness.ts'
import { temporal } from '../../test/workflows/temporal/harness.ts'
import type { EngineHarness } from '../../test/workflows/world.ts'

const SEEDS = Number(process.env.WORKFLOW_SEEDS ?? 20)
const AT_ONCE = 4

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
]
const rounds: { harness: EngineHarness; kill: Kill; seed: number }[] = []
for (let seed = 1; seed <= SEEDS; seed += 1) {
  for (const harness of harnesses) for (const kill of KILLS) rounds.push({ harness, kill, seed })
}

const passed = new Map<string, number>()
let failed = 0
let next = 0

async function play(): Promise<void> {
  for (;;) {
    const round = rounds[next]
    next += 1
    if (!round) return
    const { harness, kill, seed } = round
    try {
      await survives(harness, kill, seed)
      passed.set(harness.name, (passed.get(harness.name) ?? 0) + 1)
    } catch (error) {
      failed += 1
      process.stdout.write(`FAILED ${harness.name}, ${kill}, seed ${seed}: ${String(error)}\n`)
    }
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, play))
for (const [name, count] of passed) {
  process.stdout.write(`${name}: survived ${count} of ${KILLS.length * SEEDS} kills\n`)
}
await postgres.stop()
process.exitCode = failed === 0 ? 0 : 1
