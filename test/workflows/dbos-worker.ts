import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/dbos/index.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

export async function wakeUps({ engineDatabase }: WorkerConfig) {
  return wakeUpsOf(await DBOSClient.create({ systemDatabaseUrl: engineDatabase }))
}

export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)
  for (const [name, body] of Object.entries(bodies)) {
    DBOS.registerWorkflow(
      async (input: JsonObject) =>
        (await body({
          input,
          step: (label, doing) => DBOS.runStep(doing, { name: label }),
          waitForApproval: (request) => waitForApproval(gate, request),
          requireApproval: (request) => requireApproval(gate, request),
          pay,
          break: breaks,
          both: ([one, other]) => Promise.all([one(), other()]),
        })) as Json,
      { name },
    )
  }
  DBOS.setConfig({
    name: 'cases',
    systemDatabaseUrl: config.engineDatabase,
    runAdminServer: false,
    // It prints every error that ends a workflow, which here is most of them.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    applicationVersion: 'v1',
    // Recovers at its start what a worker of this name left behind.
    executorID: 'only',
  })
  await DBOS.launch()
  await DBOS.registerQueue('cases')
}
