import { setTimeout as sleep } from 'node:timers/promises'
import { OpenWorkflow, type Worker } from 'openworkflow'
import type { Store } from '../../src/store/store.ts'
import { requireApproval, wakeUps } from '../../src/workflows/openworkflow/index.ts'
import { ARGS, type Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'

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
      // A signal that no run waits for is dropped, so it is sent until one does.
      for (;;) {
        const sent = performance.now()
        const { workflowRunIds } = await ow.sendSignal({ signal: `decided:${id}`, data: true })
        if (workflowRunIds.length > 0) {
          await ended(backend, workflowRun.id)
          return take(id, sent)
        }
        await sleep(LOOK_MS)
      }
    },
    close: () => closed(worker, backend),
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
