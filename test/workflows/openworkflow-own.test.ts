import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { OpenWorkflow } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import {
  type WorkflowParams,
  waitForApproval,
  wakeUps,
  withdrawEnded,
} from '../../src/workflows/openworkflow/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { eventually } from './world.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-openworkflow-'))
const backend = BackendSqlite.connect(path.join(folder, 'workflows.db'))
const ow = new OpenWorkflow({ backend })
const store = memoryStore()
const gate = createGate({ policy: policyOf(''), store, agent: 'biller', channels: [wakeUps(ow)] })

type Wrap = (workflow: WorkflowParams) => WorkflowParams

/** What programs hand on in place of what the engine gave them, another one for each use. */
const WRAPS: Readonly<Record<string, Wrap>> = {
  step: ({ step, run }) => ({ run, step: around(step) }),
  run: ({ step, run }) => ({ step, run: { ...run } }),
  'run in a frozen copy': ({ step, run }) => ({ step, run: Object.freeze({ ...run }) }),
  'run in a proxy': ({ step, run }) => ({ step, run: new Proxy(run, {}) }),
  'run in a deep copy': ({ step, run }) => ({ step, run: structuredClone(run) }),
  both: ({ step, run }) => ({ step: around(step), run: { id: run.id } }),
  'proxies of both': ({ step, run }) => ({ step: new Proxy(step, {}), run: { ...run } }),
}

function around(step: WorkflowParams['step']): WorkflowParams['step'] {
  return {
    run: (config, work) => step.run(config, work),
    sleep: (name, duration) => step.sleep(name, duration),
    waitForSignal: (options) => step.waitForSignal(options),
  }
}

/** Each is taken for the `run` of another replay. */
const deepFrozen: Wrap = ({ step, run }) => ({ step, run: Object.freeze(structuredClone(run)) })

const asks = ow.defineWorkflow<{ wrap: string }, string[]>({ name: 'asks' }, async (workflow) => {
  const wraps: Readonly<Record<string, Wrap>> = { ...WRAPS, 'frozen deep copies': deepFrozen }
  const wrap = wraps[workflow.input.wrap] ?? ((same) => same)
  const answers: string[] = []
  for (let round = 0; round < 2; round += 1) {
    const request = { name: 'release', args: { same: true } }
    const { status } = await waitForApproval(wrap(workflow), gate, request)
    answers.push(status)
  }
  return answers
})
const worker = ow.newWorker({ concurrency: 8 })

beforeAll(() => worker.start())
afterAll(async () => {
  await worker.stop()
  await gate.close()
  await store.close()
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function asked(workflow: string, not: readonly string[] = []) {
  return eventually(`${workflow} asks`, async () => {
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    return approvals.find(({ id, call }) => call.run?.includes(workflow) && !not.includes(id))
  })
}

async function answer({ id, digest }: { id: string; digest: string }, verdict: 'approve' | 'deny') {
  await gate.approvals.decide(id, { by: ana, verdict, seen: digest })
}

async function statusOf({ id }: { id: string }) {
  return (await gate.approvals.get(id))?.approval.status
}

describe('what the engine hands to a workflow', () => {
  promise.each(
    ['CS-FLOW-3'],
    'two rounds of a loop never share an answer, although the program wraps anew for each its',
    Object.keys(WRAPS).map((name): [string] => [name]),
    async (wrap) => {
      const { workflowRun } = await asks.run({ wrap })
      const first = await asked(workflowRun.id)
      await answer(first, 'approve')
      const second = await asked(workflowRun.id, [first.id])
      await answer(second, 'deny')
      const output = await eventually('it ends', async () => {
        const run = await backend.getWorkflowRun({ workflowRunId: workflowRun.id })
        return run?.status === 'completed' ? run.output : undefined
      })
      expect(output).toEqual(['approved', 'denied'])
    },
  )
})

promise(
  ['CS-FLOW-3'],
  'a copy that nothing tells from the engine’s own ends the workflow',
  async () => {
    const { workflowRun } = await asks.run({ wrap: 'frozen deep copies' })
    const first = await asked(workflowRun.id)
    await answer(first, 'approve')
    const error = await eventually('it ends', async () => {
      const run = await backend.getWorkflowRun({ workflowRunId: workflowRun.id })
      return run?.status === 'failed' ? JSON.stringify(run.error) : undefined
    })
    expect(error).toMatch(/belongs to another question/)
  },
)

describe('`withdrawEnded`', () => {
  promise(['CS-FLOW-9'], 'leaves what the engine does not know, and says so', async () => {
    const { workflowRun } = await asks.run({ wrap: 'none' })
    const question = await asked(workflowRun.id)
    const elsewhere = BackendSqlite.connect(path.join(folder, 'elsewhere.db'))
    expect(await withdrawEnded(elsewhere, gate)).toEqual({ withdrawn: 0, unknown: [question.id] })
    await elsewhere.stop()
    expect(await withdrawEnded(backend, gate)).toEqual({ withdrawn: 0, unknown: [] })
    expect(await statusOf(question)).toBe('pending')
    await ow.cancelWorkflowRun(workflowRun.id)
    expect(await withdrawEnded(backend, gate)).toEqual({ withdrawn: 1, unknown: [] })
    expect(await statusOf(question)).toBe('withdrawn')
  })
})
