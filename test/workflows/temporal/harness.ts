import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
} from '@temporalio/client'
import { rootCause } from '@temporalio/common'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import type { Json } from '../../../src/base/json/json.ts'
import { wakeUps } from '../../../src/workflows/temporal/index.ts'
import { type Frontend, startTemporal } from '../../support/temporal/frontend.ts'
import type { EngineHarness, RunningEngine } from '../world.ts'

let bundled: Promise<string> | undefined

/** The code of all workflows, made once for all workers. */
export function bundleOf(file = 'workflows.ts'): Promise<string> {
  const make = async () => {
    const { code } = await bundleWorkflowCode({
      workflowsPath: path.join(import.meta.dirname, file),
      logger: new DefaultLogger('ERROR'),
    })
    return code
  }
  if (file !== 'workflows.ts') return make()
  bundled ??= make()
  return bundled
}

export interface RunningTemporal extends RunningEngine {
  readonly frontend: Frontend
  readonly client: Client
}

async function open(folder: string): Promise<RunningTemporal> {
  const frontend = await startTemporal()
  const connection = await Connection.connect({
    address: frontend.address,
    connectTimeout: '1m',
  })
  const client = new Client({ connection, identity: 'client' })
  const bundle = path.join(folder, 'temporal', 'workflows.js')
  mkdirSync(path.dirname(bundle))
  writeFileSync(bundle, await bundleOf())
  let started = 0
  return {
    frontend,
    client,
    database: frontend.address,
    own: { bundle },
    wakeUps: wakeUps(client),
    async start(workflow, input, id) {
      started += 1
      const workflowId = id ?? `${workflow} ${String(input.id)}/${started}`
      try {
        await client.workflow.start(workflow, {
          workflowId,
          taskQueue: 'cases',
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
        })
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
      return { id: workflowId }
    },
    async result({ id }) {
      const handle = client.workflow.getHandle(id)
      const { status } = await handle.describe()
      if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return undefined
      try {
        return { output: (await handle.result()) as Json }
      } catch (error) {
        if (!(error instanceof WorkflowFailedError)) throw error
        return { error: rootCause(error.cause) ?? String(error) }
      }
    },
    // Its code withdraws the question.
    async cancel({ id }) {
      await client.workflow.getHandle(id).cancel()
    },
    async forge({ id }, approval) {
      const handle = client.workflow.getHandle(id)
      try {
        await handle.signal('countersign', approval, { approved: true })
        await handle.signal('countersign', { approval, approved: true, status: 'approved' })
      } catch (error) {
        // It is over.
        if ((error as Error).name !== 'WorkflowNotFoundError') throw error
      }
    },
    async expireLeases() {
      frontend.expire()
    },
    async close() {
      await connection.close()
      await frontend.close()
    },
  }
}

export const temporal: EngineHarness & { open(folder: string): Promise<RunningTemporal> } = {
  name: 'Temporal',
  engine: 'temporal',
  open,
}
