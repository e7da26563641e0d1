import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import {
  countersignActivities,
  wakeUps as wakeUpsOf,
} from '../../../src/workflows/temporal/index.ts'
import { writerTo } from '../tools.ts'
import type { WorkerParts } from '../worker.ts'
import type { WorkerConfig } from '../worker-config.ts'
import { caseActivities, lastingTool } from './activities.ts'

export async function wakeUps({ engineDatabase: address }: WorkerConfig) {
  const connection = await Connection.connect({ address, connectTimeout: '1m' })
  return wakeUpsOf(new Client({ connection, identity: 'outbox' }))
}

export async function work({ config, gate, tools }: WorkerParts): Promise<void> {
  // It prints every error that ends a workflow, which here is most of them.
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const writing = writerTo(config.log)
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: config.engineDatabase }),
    taskQueue: 'cases',
    workflowBundle: { codePath: config.own?.bundle ?? '' },
    identity: 'worker',
    activities: {
      ...countersignActivities(gate, { ...tools, last: lastingTool(writing) }),
      ...caseActivities(writing),
    },
    // Every task replays the whole history.
    maxCachedWorkflows: 0,
  })
  // Until the process is killed.
  void worker.run()
}
