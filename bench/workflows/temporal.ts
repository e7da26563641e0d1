/** Temporal: a workflow that waits for a signal, then an activity. */
import path from 'node:path'
import { Client, Connection } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker'
import type { JsonObject } from '../../src/base/json/json.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { countersignActivities, wakeUps } from '../../src/workflows/temporal/index.ts'
import { startTemporal } from '../../test/support/temporal/frontend.ts'
import type { Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { askedOnce, plainTable } from './plain-table.ts'

const { woken, take } = wakes()
const TASK_QUEUE = 'bench'

const bank = {
  async transfer(id: string): Promise<JsonObject> {
    woken(id)
    return RESULT
  },
}

async function connected() {
  const { address } = await startTemporal()
  const client = new Client({ connection: await Connection.connect({ address }) })
  return { address, client }
}

async function work(address: string, activities: object): Promise<void> {
  const logger = new DefaultLogger('ERROR')
  Runtime.install({ logger, shutdownSignals: [] })
  const workflowsPath = path.join(import.meta.dirname, 'temporal-workflows.ts')
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue: TASK_QUEUE,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
    activities,
  })
  // Until the process ends.
  void worker.run()
}

export async function own(): Promise<Cycles> {
  const { address, client } = await connected()
  await work(address, bank)
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const start = { workflowId: id, taskQueue: TASK_QUEUE, args: [id] }
      const handle = await client.workflow.start('own', start)
      const sent = performance.now()
      await handle.signal('decided')
      await handle.result()
      return take(id, sent)
    },
    async close() {},
  }
}

export async function plain(folder: string): Promise<Cycles> {
  const { address, client } = await connected()
  const table = await plainTable(folder)
  const { asked, told } = askedOnce()
  await work(address, {
    ...bank,
    ask: (id: string) => table.ask(id).then(() => told(id)),
    answer: (id: string) => table.take(id),
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const start = { workflowId: id, taskQueue: TASK_QUEUE, args: [id] }
      const handle = await client.workflow.start('plain', start)
      await question
      const sent = performance.now()
      await table.decide(id)
      await handle.signal('decided')
      await handle.result()
      return take(id, sent)
    },
    close: () => table.close(),
  }
}

export async function countersign(folder: string): Promise<Cycles> {
  const { address, client } = await connected()
  const store = await openSqlite(`${folder}/countersign.db`)
  const { gate, asked, approve, close } = askingGate(store, [wakeUps(client)])
  await work(address, { ...bank, ...countersignActivities(gate, {}) })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const start = { workflowId: id, taskQueue: TASK_QUEUE, args: [id, requestOf(id)] }
      const handle = await client.workflow.start('countersign', start)
      const stored = await question
      const sent = performance.now()
      await approve(stored)
      await handle.result()
      return take(id, sent)
    },
    close,
  }
}
