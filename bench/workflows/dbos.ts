/** DBOS as its guide has it: a workflow that receives a message, then a step. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { requireApproval, wakeUps } from '../../src/workflows/dbos/index.ts'
import type { Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { askedOnce, plainTable } from './plain-table.ts'

const { woken, take } = wakes()

const pay = (id: string) =>
  DBOS.runStep(
    async () => {
      woken(id)
      return RESULT
    },
    { name: 'transfer' },
  )

async function launch(systemDatabaseUrl: string): Promise<void> {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl,
    systemDatabasePoolSize: 32,
    runAdminServer: false,
    logLevel: 'error',
  })
  await DBOS.launch()
}

export async function own(url: string): Promise<Cycles> {
  const transfer = DBOS.registerWorkflow(
    async (id: string) => {
      const approved = await DBOS.recv('decision', { timeoutSeconds: 600 })
      if (approved !== true) throw new Error('not approved')
      return pay(id)
    },
    { name: 'transfer' },
  )
  await launch(url)
  return {
    async cycle() {
      const workflowID = crypto.randomUUID()
      const handle = await DBOS.startWorkflow(transfer, { workflowID })(workflowID)
      const sent = performance.now()
      await DBOS.send(workflowID, true, 'decision')
      await handle.getResult()
      return take(workflowID, sent)
    },
    close: () => DBOS.shutdown(),
  }
}

export async function plain(url: string): Promise<Cycles> {
  const table = await plainTable(url)
  const { asked, told } = askedOnce()
  const transfer = DBOS.registerWorkflow(
    async (id: string) => {
      await DBOS.runStep(() => table.ask(id).then(() => told(id)), { name: 'ask' })
      await DBOS.recv('decision', { timeoutSeconds: 600 })
      await DBOS.runStep(() => table.take(id), { name: 'answer' })
      return pay(id)
    },
    { name: 'transfer' },
  )
  await launch(url)
  return {
    async cycle() {
      const workflowID = crypto.randomUUID()
      const question = asked(workflowID)
      const handle = await DBOS.startWorkflow(transfer, { workflowID })(workflowID)
      await question
      const sent = performance.now()
      await table.decide(workflowID)
      await DBOS.send(workflowID, true, 'decision')
      await handle.getResult()
      return take(workflowID, sent)
    },
    async close() {
      await DBOS.shutdown()
      await table.close()
    },
  }
}

export async function countersign(url: string): Promise<Cycles> {
  const { gate, asked, approve, close } = askingGate(await openPostgres(url), [wakeUps(DBOS)])
  const transfer = DBOS.registerWorkflow(
    async (id: string) => {
      await requireApproval(gate, requestOf(id))
      return pay(id)
    },
    { name: 'transfer' },
  )
  await launch(url)
  return {
    async cycle() {
      const workflowID = crypto.randomUUID()
      const question = asked(workflowID)
      const handle = await DBOS.startWorkflow(transfer, { workflowID })(workflowID)
      const stored = await question
      const sent = performance.now()
      await approve(stored)
      await handle.getResult()
      return take(workflowID, sent)
    },
    async close() {
      await DBOS.shutdown()
      await close()
    },
  }
}
