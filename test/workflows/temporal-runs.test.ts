import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import {
  cancelWorkflow,
  terminateWorkflow,
  withdrawEnded,
} from '../../src/workflows/temporal/index.ts'
import { promise } from '../support/promise.ts'
import { type RunningTemporal, temporal } from './temporal/harness.ts'
import { eventually, openWorld, type Started, type World } from './world.ts'

// Processes start in these tests, and the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let world: World
let running: RunningTemporal

beforeAll(async () => {
  world = await openWorld(temporal)
  running = world.running as RunningTemporal
})
afterAll(() => world.close())

async function statusOf({ id }: Approval): Promise<string | undefined> {
  return (await world.gate.approvals.get(id))?.approval.status
}

async function output(started: Started): Promise<unknown> {
  const end = await world.end(started)
  assert.ok('output' in end, JSON.stringify(end))
  return end.output
}

const handleOf = ({ id }: Started) => running.client.workflow.getHandle(id)
const lines = (line: string) => world.lines().filter((one) => one === line).length

/** The events of a workflow, by the names of their attributes. */
function eventsOf({ id }: Started, kind: string): { readonly id: number; readonly at: object }[] {
  return running.frontend.history(id).flatMap((event, index) => {
    const at = (event as Readonly<Record<string, unknown>>)[`${kind}EventAttributes`]
    return at ? [{ id: index + 1, at }] : []
  })
}

/** Makes a new run from the task before the first event of a kind. */
async function resetBefore(started: Started, kind: string): Promise<void> {
  const [first] = eventsOf(started, kind)
  assert.ok(first, `there is no ${kind}`)
  const tasks = eventsOf(started, 'workflowTaskCompleted').filter(({ id }) => id < first.id)
  const request: object = {
    namespace: 'default',
    workflowExecution: { workflowId: started.id },
    workflowTaskFinishEventId: tasks.at(-1)?.id,
    reason: 'a test',
    requestId: 'reset',
  }
  await running.client.workflowService.resetWorkflowExecution(request)
}

describe('before a worker is up', () => {
  const later: { [name: string]: Started } = {}

  test('workflows are started, signalled and ended', async () => {
    const early = await running.start('pay', { id: 'early', amount: 3 })
    for (const forged of [['any'], [{ approved: true }], [], ['approved', 'approved']]) {
      await handleOf(early).signal('countersign', ...forged)
    }
    const unread = await running.start('unwoken', { id: 'unread' })
    await handleOf(unread).cancel()
    Object.assign(later, { early, unread })
    await world.worker()
  })

  promise(
    ['CS-FLOW-2'],
    'signals that come before anything is asked are kept, and open nothing',
    async () => {
      const { early } = later as { early: Started }
      const asked = await world.asked(early, 'pay')
      expect(lines('pay early 3')).toBe(0)
      await world.answer(asked, 'approve')
      expect(await output(early)).toEqual({ paid: 3 })
      expect(lines('pay early 3')).toBe(1)
    },
  )

  test('a workflow that was cancelled before it asked asks nobody', async () => {
    const { unread } = later as { unread: Started }
    expect(await world.end(unread)).toMatchObject({ error: expect.stringMatching(/cancel/i) })
    expect(await world.approvals(unread)).toEqual([])
  })
})

describe('runs', () => {
  promise(
    ['CS-FLOW-3'],
    'every run of a chain that continues as new asks anew, also what was answered in the last one',
    async () => {
      const started = await running.start('chained', {})
      const seen: string[] = []
      for (const verdict of ['approve', 'deny', 'approve'] as const) {
        const asked = await world.asked(started, 'again', seen)
        seen.push(asked.id)
        await world.answer(asked, verdict)
        // Late, and to the next run.
        await running.forge(started, asked.id)
      }
      expect(await output(started)).toEqual(['approved', 'denied', 'approved'])
      const runs = (await world.approvals(started)).map(({ call }) => call.run)
      expect(new Set(runs).size).toBe(3)
    },
  )

  promise(
    ['CS-FLOW-1'],
    'a reset finds the question that is open, and nothing takes it for one that is left behind',
    async () => {
      const started = await running.start('expense', { id: 'reset' })
      const asked = await world.asked(started, 'review')
      await eventually('it waits', async () => eventsOf(started, 'timerStarted')[0])
      await resetBefore(started, 'timerStarted')
      await eventually('it waits again', async () => eventsOf(started, 'timerStarted')[0])
      expect(await withdrawEnded(running.client, world.gate)).toEqual({ withdrawn: 0, unknown: [] })
      await world.answer(asked, 'approve')
      expect(await output(started)).toMatchObject({ status: 'approved', approval: asked.id })
      expect(await world.approvals(started)).toHaveLength(1)
    },
  )

  promise(
    ['CS-FLOW-4'],
    'a reset to the start finds the answer, and the result of the tool, which does not run again',
    async () => {
      const started = await running.start('pay', { id: 'again', amount: 4 })
      await world.answer(await world.asked(started, 'pay'), 'approve')
      expect(await output(started)).toEqual({ paid: 4 })
      const ran = () =>
        eventsOf(started, 'activityTaskScheduled').filter(({ at }) =>
          JSON.stringify(at).includes('countersignRun'),
        ).length
      expect(ran()).toBe(1)
      await resetBefore(started, 'activityTaskScheduled')
      expect(ran()).toBe(0)
      expect(await output(started)).toEqual({ paid: 4 })
      expect(ran()).toBe(1)
      expect(lines('pay again 4')).toBe(1)
      // Temporal's own steps run again: that is what a reset is for.
      expect(lines('prepare again')).toBe(2)
      expect(await world.approvals(started)).toHaveLength(1)
    },
  )
})

describe('ends', () => {
  promise(['CS-FLOW-5'], 'a scope that is cancelled withdraws its question', async () => {
    const started = await running.start('limited', {})
    expect(await output(started)).toBe('gave up')
    const [asked] = await world.approvals(started)
    expect(asked?.status).toBe('withdrawn')
  })

  promise(
    ['CS-FLOW-5'],
    'a workflow that is terminated leaves its question until it is withdrawn',
    async () => {
      const one = await running.start('expense', { id: 'left' })
      const other = await running.start('expense', { id: 'ended' })
      const alive = await running.start('expense', { id: 'alive' })
      const asked = await Promise.all([one, other, alive].map((it) => world.asked(it, 'review')))
      await handleOf(one).terminate()
      await terminateWorkflow(running.client, world.gate, other.id, 'a test')
      expect(await Promise.all(asked.map(statusOf))).toEqual(['pending', 'withdrawn', 'pending'])
      expect(await withdrawEnded(running.client, world.gate)).toEqual({ withdrawn: 1, unknown: [] })
      expect(await Promise.all(asked.map(statusOf))).toEqual(['withdrawn', 'withdrawn', 'pending'])
      await cancelWorkflow(running.client, world.gate, alive.id)
      expect(await statusOf(asked[2] as Approval)).toBe('withdrawn')
      expect(await world.end(alive)).toHaveProperty('error')
    },
  )

  promise(
    ['CS-FLOW-4'],
    'a tool that runs while its workflow is cancelled is waited for, longer than a worker may be silent',
    async () => {
      const started = await running.start('lasting', { id: 'long', ms: 2_500 })
      await world.answer(await world.asked(started, 'last'), 'approve')
      await eventually('it runs', async () => lines('last long') || undefined)
      await handleOf(started).cancel()
      expect(await output(started)).toEqual({ lasted: 'long' })
      expect([lines('last long'), lines('lasted long')]).toEqual([1, 1])
      const [, attempt] = eventsOf(started, 'activityTaskStarted')
      expect(attempt?.at).toMatchObject({ attempt: 1 })
    },
  )

  promise(['CF-9'], 'a refusal is a failure of Temporal, with the decision', async () => {
    const started = await running.start('caught', {})
    const asked = await world.asked(started, 'strict')
    await world.answer(asked, 'deny', { reason: 'No' })
    expect(await output(started)).toMatchObject({
      type: 'NotApproved',
      nonRetryable: true,
      details: [{ status: 'denied', reason: 'No', approval: asked.id }],
    })
  })
})
