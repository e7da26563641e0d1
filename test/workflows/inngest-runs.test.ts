/** What only Inngest does: its error, its events, its ids. One process, without killing it. */
import { step as anyStep, NonRetriableError } from 'inngest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import {
  type FunctionContext,
  NotApproved,
  requireApproval,
  waitForApproval,
  wakeUps,
  withdrawOnEnd,
} from '../../src/workflows/inngest/index.ts'
import { type InngestExecutor, startExecutor } from '../support/inngest/executor.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { clientOf, serveFunctions } from './inngest-worker.ts'
import { eventually } from './world.ts'

let executor: InngestExecutor
let gate: Gate
let serving: { close(): void }
const store = memoryStore()
const attempts: string[] = []
const caught: unknown[] = []

beforeAll(async () => {
  executor = await startExecutor()
  const client = clientOf(executor.url)
  gate = createGate({
    policy: policyOf('people: { groups: { finance: [ana@example.com] } }'),
    store,
    agent: 'biller',
    channels: [wakeUps(client)],
  })
  const functionOf = (id: string, body: (ctx: FunctionContext) => Promise<unknown>) =>
    client.createFunction({ id, triggers: { event: `own/${id}` } }, (ctx) => body(ctx))
  serving = await serveFunctions(client, [
    functionOf('requires', async (ctx) => {
      try {
        await requireApproval(ctx, gate, { name: 'requires' })
      } catch (error) {
        caught.push(error)
        throw error
      }
    }),
    functionOf('mistaken', (ctx) => {
      attempts.push(ctx.runId)
      return waitForApproval(ctx, gate, { name: 'mistaken', args: { big: 1n as never } })
    }),
    functionOf('branches', async (ctx) => {
      const broken = async () => {
        await requireApproval(ctx, gate, { name: 'breaks' })
      }
      await Promise.all([waitForApproval(ctx, gate, { name: 'waits' }), broken()])
    }),
    functionOf('copies', async ({ runId, step }) => {
      const statuses: string[] = []
      for (let round = 0; round < 2; round += 1) {
        // As a middleware, or a helper of the user, would hand it on.
        const copy = { runId, step: { ...step } }
        statuses.push((await waitForApproval(copy, gate, { name: 'again' })).status)
      }
      return statuses
    }),
    withdrawOnEnd(client, gate),
  ])
})

afterAll(async () => {
  serving.close()
  await executor.close()
  await gate.close()
  await store.close()
})

async function start(name: string, data: JsonObject = {}): Promise<string> {
  const { ids } = await clientOf(executor.url).send({ name, data })
  return executor.runOf(ids[0] ?? '')
}

function asked(run: string, tool: string) {
  return eventually(`${tool} is asked`, async () =>
    (await gate.approvals.list({ status: ['pending'] })).approvals.find(
      ({ call }) => call.tool === tool && call.run?.startsWith(`inngest:${run}`),
    ),
  )
}

test('a no is a NonRetriableError with the decision as its cause, and the run is not tried again', async () => {
  const run = await start('own/requires')
  const { id, digest } = await asked(run, 'requires')
  await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest, reason: 'Never' })
  const end = await eventually('it ends', async () => executor.end(run))
  expect(end).toHaveProperty('error', expect.stringContaining('NonRetriableError'))
  expect(caught).toHaveLength(1)
  const [error] = caught
  expect(error).toBeInstanceOf(NonRetriableError)
  const { cause } = error as NonRetriableError
  expect(cause).toBeInstanceOf(NotApproved)
  expect((cause as NotApproved).decision).toMatchObject({ status: 'denied', reason: 'Never' })
})

test('a question that is no JSON is a mistake, which is not tried again', async () => {
  const run = await start('own/mistaken')
  const end = await eventually('it ends', async () => executor.end(run))
  expect(end).toHaveProperty('error', expect.stringMatching(/big/))
  expect(attempts.filter((one) => one === run).length).toBeLessThanOrEqual(2)
})

promise(
  ['CS-FLOW-5'],
  'a run of Inngest that fails in one branch withdraws the question of the other',
  async () => {
    const run = await start('own/branches')
    const waits = await asked(run, 'waits')
    const { id, digest } = await asked(run, 'breaks')
    await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
    await eventually('it is withdrawn', async () => {
      const shown = await gate.approvals.get(waits.id)
      return shown?.approval.status === 'withdrawn' ? true : undefined
    })
    expect(executor.end(run)).toHaveProperty('error')
  },
)

promise(
  ['CS-FLOW-5'],
  'the end of another run of Inngest, or of none, withdraws nothing',
  async () => {
    const run = await start('own/requires')
    const waiting = await asked(run, 'requires')
    for (const named of [
      'another',
      run.slice(1),
      `${run}/requires`,
      `inngest:${run}`,
      '',
      7,
      null,
    ]) {
      const ended = await start('inngest/function.cancelled', { run_id: named })
      await eventually('it is looked at', async () => executor.end(ended))
    }
    const shown = await gate.approvals.get(waiting.id)
    expect(shown?.approval.status).toBe('pending')
    const ended = await start('inngest/function.cancelled', { run_id: run })
    expect(await eventually('it ends', async () => executor.end(ended))).toEqual({ output: 1 })
  },
)

promise(
  ['CS-FLOW-3'],
  'copies of `step` of Inngest are one: two gates are two questions',
  async () => {
    const run = await start('own/copies')
    const first = await asked(run, 'again')
    await gate.approvals.decide(first.id, { by: ana, verdict: 'approve', seen: first.digest })
    const { id, digest } = await eventually('it is asked again', async () => {
      const next = await asked(run, 'again')
      return next.id === first.id ? undefined : next
    })
    await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: digest })
    const end = await eventually('it ends', async () => executor.end(run))
    expect(end).toEqual({ output: ['approved', 'denied'] })
  },
)

test('the `step` of the package is that of all runs, and asks nothing', async () => {
  const ctx = { runId: 'one', step: anyStep as unknown as FunctionContext['step'] }
  await expect(waitForApproval(ctx, gate, {})).rejects.toThrow(/`step` of the function/)
})

test('a run without an id asks nothing: its question would be that of every other one', async () => {
  const step = {
    run: () => Promise.reject(new Error('asked')),
    sleep: async () => {},
    waitForSignal: async () => null,
  }
  const ctx = { runId: '', step }
  await expect(waitForApproval(ctx, gate, {})).rejects.toThrow(/has no id/)
})
