/**
 * Workers of durable workflows, killed by kill -9 at every place, many times, with every engine:
 * `npm run proof workflows`. WORKFLOW_ENGINES sets which engines, as a regular expression, and
 * WORKFLOW_AT_ONCE how many side by side (4); `workflow-kills/rounds.ts` has the rest.
 */
import { Client } from 'pg'
import { startPostgres } from '../../test/support/start-postgres.ts'
import { awsDurable } from '../../test/workflows/aws-durable-harness.ts'
import { dbosPostgres } from '../../test/workflows/dbos-harness.ts'
import { inngestExecutor } from '../../test/workflows/inngest-harness.ts'
import { langgraphFiles } from '../../test/workflows/langgraph-harness.ts'
import {
  openworkflowPostgres,
  openworkflowSqlite,
} from '../../test/workflows/openworkflow-harness.ts'
import { restate } from '../../test/workflows/restate-harness.ts'
import { temporal } from '../../test/workflows/temporal/harness.ts'
import { playKills } from './workflow-kills/rounds.ts'

const AT_ONCE = Number(process.env.WORKFLOW_AT_ONCE ?? 4)
const { WORKFLOW_ENGINES: engines = '.' } = process.env

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

const failed = await playKills(harnesses, { atOnce: AT_ONCE })
await postgres.stop()
process.exitCode = failed === 0 ? 0 : 1
