import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'
import { BackendSqlite } from 'openworkflow/sqlite'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/openworkflow/index.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

type Backend = ConstructorParameters<typeof OpenWorkflow>[0]['backend']

export async function openBackend({
  engineDatabase,
}: Pick<WorkerConfig, 'engineDatabase'>): Promise<Backend> {
  if (engineDatabase.startsWith('postgres')) return BackendPostgres.connect(engineDatabase)
  const backend = BackendSqlite.connect(engineDatabase)
  // It opens the file without a busy timeout, and here several processes share one file.
  const { db } = backend as unknown as { db: { exec(sql: string): void } }
  db.exec('PRAGMA busy_timeout = 5000')
  return backend
}

let opened: Promise<Backend> | undefined

function backendOf(config: WorkerConfig): Promise<Backend> {
  opened ??= openBackend(config)
  return opened
}

export async function wakeUps(config: WorkerConfig) {
  return wakeUpsOf(new OpenWorkflow({ backend: await backendOf(config) }))
}

export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const ow = new OpenWorkflow({ backend: await backendOf(config) })
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)
  for (const [name, body] of Object.entries(bodies)) {
    ow.defineWorkflow<JsonObject, Json>({ name }, async (workflow) => {
      const { step, input } = workflow
      const done = await body({
        input,
        step: (label, doing) => step.run({ name: label }, doing),
        waitForApproval: (request) => waitForApproval(workflow, gate, request),
        requireApproval: (request) => requireApproval(workflow, gate, request),
        pay: (args, options) => pay(workflow, args, options),
        break: (args) => breaks(workflow, args),
        both: ([one, other]) => Promise.all([one(), other()]),
      })
      return done as Json
    })
  }
  await ow.newWorker({ concurrency: 32 }).start()
}
