import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OpenWorkflow } from 'openworkflow'
import { Client } from 'pg'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import { cancelRun, wakeUps } from '../../src/workflows/openworkflow/index.ts'
import { openBackend } from './openworkflow-worker.ts'
import type { EngineHarness, RunningEngine } from './world.ts'

const EXPIRE = "update workflow_runs set available_at = '1970-01-01' where status = 'running'"

async function open(database: string, expireLeases: () => Promise<void>): Promise<RunningEngine> {
  const backend = await openBackend({ engineDatabase: database })
  const ow = new OpenWorkflow({ backend })
  return {
    database,
    wakeUps: wakeUps(ow),
    async start(name, input, id) {
      const options = id === undefined ? {} : { idempotencyKey: id }
      const handle = await ow.runWorkflow<JsonObject, Json>({ name }, input, options)
      return { id: handle.workflowRun.id }
    },
    async result({ id }) {
      const run = await backend.getWorkflowRun({ workflowRunId: id })
      if (run?.status === 'completed') return { output: run.output as Json }
      if (run?.status === 'failed') return { error: JSON.stringify(run.error) }
      return run?.status === 'canceled' ? { error: 'canceled' } : undefined
    },
    cancel: ({ id }, gate) => cancelRun(ow, gate, id),
    async forge(_, approval) {
      await ow.sendSignal({ signal: `countersign:${approval}`, data: { approved: true } })
    },
    expireLeases,
    close: () => backend.stop(),
  }
}

export const openworkflowSqlite: EngineHarness = {
  name: 'OpenWorkflow on SQLite',
  engine: 'openworkflow',
  open(folder) {
    const file = path.join(folder, 'openworkflow.db')
    return open(file, async () => {
      const db = new DatabaseSync(file)
      db.exec('PRAGMA busy_timeout = 5000')
      db.exec(EXPIRE)
      db.close()
    })
  },
}

export function openworkflowPostgres(freshDatabase: () => Promise<string>): EngineHarness {
  return {
    name: 'OpenWorkflow on Postgres',
    engine: 'openworkflow',
    async open() {
      const url = await freshDatabase()
      return open(url, async () => {
        const client = new Client(url)
        await client.connect()
        await client.query(EXPIRE.replace('workflow_runs', 'openworkflow.workflow_runs'))
        await client.end()
      })
    },
  }
}
