import { setTimeout as sleep } from 'node:timers/promises'
import { OpenWorkflow, type Worker } from 'openworkflow'
import type { Store } from '../../src/store/store.ts'
import { requireApproval, wakeUps } from '../../src/workflows/openworkflow/index.ts'
import { ARGS, type Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { askedOnce, plainTable } from './plain-table.ts'

export type Backend = ConstructorParameters<typeof OpenWorkflow>[0]['backend']

interface Input extends Readonly<Record<string, string | number>> {
  readonly id: string
}

const LOOK_MS = 10

/** A workflow that waits for a signal, then a step, as its guide has it. */
export async function ownSignals(backend: Backend): Promise<Cycles> {
  const ow = new OpenWorkflow({ backend })
  const { woken, take } = wakes()
  const transfer = ow.defineWorkflow<Input, unknown>({ name: 'transfer' }, async (workflow) => {
    const { id } = workflow.input
    await workflow.step.waitForSignal({ name: 'wait', signal: `decided:${id}`, timeout: '10m' })
    return workflow.step.run({ name: 'transfer' }, () => {
      woken(id)
      return RESULT
    })
  })
  const worker = await started(ow)
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const { workflowRun } = await transfer.run({ id, ...ARGS })
      await parked(backend, workflowRun.id)
      const sent = performance.now()
      await ow.sendSignal({ signal: `decided:${id}`, data: true })
      await ended(backend, workflowRun.id)
      return take(id, sent)
    },
    close: () => closed(worker, backend),
  }
}

/** The same, with a question and an answer in a table. */
export async function withTable(backend: Backend, where: string): Promise<Cycles> {
  const ow = new OpenWorkflow({ backend })
  const { woken, take } = wakes()
  const { asked, told } = askedOnce()
  const table = await plainTable(where)
  const transfer = ow.defineWorkflow<Input, unknown>({ name: 'transfer' }, async (workflow) => {
    const { id } = workflow.input
    const { step } = workflow
    await step.run({ name: 'ask' }, async () => {
      await table.ask(id)
      told(id)
    })
    await step.waitForSignal({ name: 'wait', signal: `decided:${id}`, timeout: '10m' })
    await step.run({ name: 'answer' }, () => table.take(id))
    return step.run({ name: 'transfer' }, () => {
      woken(id)
      return RESULT
    })
  })
  const worker = await started(ow)
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const { workflowRun } = await transfer.run({ id, ...ARGS })
      await question
      await parked(backend, workflowRun.id)
      const sent = performance.now()
      await table.decide(id)
      await ow.sendSignal({ signal: `decided:${id}`, data: true })
      await ended(backend, workflowRun.id)
      return take(id, sent)
    },
    async close() {
      await closed(worker, backend)
      await table.close()
    },
  }
}

export async function withApproval(backend: Backend, store: Store): Promise<Cycles> {
  const ow = new OpenWorkflow({ backend })
  const { woken, take } = wakes()
  const { gate, asked, approve, close } = askingGate(store, [wakeUps(ow)])
  const transfer = ow.defineWorkflow<Input, unknown>({ name: 'transfer' }, async (workflow) => {
    const { id } = workflow.input
    await requireApproval(workflow, gate, requestOf(id))
    return workflow.step.run({ name: 'transfer' }, () => {
      woken(id)
      return RESULT
    })
  })
  const worker = await started(ow)
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const { workflowRun } = await transfer.run({ id, ...ARGS })
      const stored = await question
      await parked(backend, workflowRun.id)
      const sent = performance.now()
      await approve(stored)
      await ended(backend, workflowRun.id)
      return take(id, sent)
    },
    async close() {
      await closed(worker, backend)
      await close()
    },
  }
}

async function started(ow: OpenWorkflow): Promise<Worker> {
  const worker = ow.newWorker({ concurrency: 64 })
  await worker.start()
  return worker
}

/** A signal that comes before is dropped, or on Postgres leaves the run asleep: people are slower. */
async function parked(backend: Backend, workflowRunId: string): Promise<void> {
  for (;;) {
    const run = await backend.getWorkflowRun({ workflowRunId })
    if (run?.startedAt && run.workerId === null && Number(run.availableAt) > Date.now()) return
    await sleep(LOOK_MS)
  }
}

/** `handle.result()` looks once a second; looking more often is in the favour of both. */
async function ended(backend: Backend, workflowRunId: string): Promise<void> {
  for (;;) {
    const run = await backend.getWorkflowRun({ workflowRunId })
    if (run?.status === 'completed') return
    if (run?.status === 'failed') throw new Error(JSON.stringify(run.error))
    await sleep(LOOK_MS)
  }
}

async function closed(worker: Worker, backend: Backend): Promise<void> {
  await worker.stop()
  await backend.stop()
}
