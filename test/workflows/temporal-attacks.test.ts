import assert from 'node:assert/strict'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { type RunningTemporal, temporal } from './temporal/harness.ts'
import { eventually, openWorld, type Started, type Worker, type World } from './world.ts'

// Processes start in these tests, and the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let world: World
let running: RunningTemporal
let workers: Worker[]

beforeAll(async () => {
  world = await openWorld(temporal)
  running = world.running as RunningTemporal
  // Two workers share one queue in all of this file.
  workers = await Promise.all([world.worker(), world.worker()])
})
afterAll(() => world.close())

async function output(started: Started): Promise<unknown> {
  const end = await world.end(started)
  assert.ok('output' in end, JSON.stringify(end))
  return end.output
}

function asksOf({ id }: Started): number {
  return running.frontend
    .history(id)
    .filter(
      ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name === 'countersignAsk',
    ).length
}

const lines = (line: string) => world.lines().filter((one) => one === line).length

promise(
  ['CS-FLOW-1', 'CS-FLOW-4'],
  "two workers on one queue ask once, run once, and go on with each other's workflows",
  async () => {
    const ids = Array.from({ length: 8 }, (_, n) => `shared${n}`)
    const all = await Promise.all(ids.map((id) => running.start('whole', { id, amount: 1 })))
    for (const tool of ['review', 'pay']) {
      const asked = await Promise.all(all.map((one) => world.asked(one, tool)))
      await Promise.all(asked.map((one) => world.answer(one, 'approve')))
    }
    for (const [n, started] of all.entries()) {
      expect(await output(started)).toMatchObject({ review: 'approved', paid: { paid: 1 } })
      const ran = ['prepare', 'finish'].map((step) => lines(`${step} ${ids[n]}`))
      expect([...ran, lines(`pay ${ids[n]} 1`)]).toEqual([1, 1, 1])
      expect(await world.approvals(started)).toHaveLength(2)
    }
  },
)

promise(
  ['CS-FLOW-2'],
  'a flood of forged signals runs nothing, and the answer still comes through',
  async () => {
    const started = await running.start('pay', { id: 'flood', amount: 1 })
    const asked = await world.asked(started, 'pay')
    const handle = running.client.workflow.getHandle(started.id)
    await Promise.all(Array.from({ length: 40 }, () => handle.signal('countersign', asked.id)))
    await Promise.all(Array.from({ length: 40 }, (_, n) => handle.signal('countersign', `${n}`)))
    expect(lines('pay flood 1')).toBe(0)
    await world.answer(asked, 'approve')
    expect(await output(started)).toEqual({ paid: 1 })
    expect(lines('pay flood 1')).toBe(1)
    expect(await world.approvals(started)).toHaveLength(1)
    // Signals that come together wake once.
    expect(asksOf(started)).toBeLessThan(40)
  },
)

promise(
  ['CS-FLOW-3'],
  'a question does not take the name of a tool, where its own terms would count for the tool',
  async () => {
    const end = await world.end(await running.start('misnamed', {}))
    expect(end).toMatchObject({ error: expect.stringContaining('is the name of a tool') })
  },
)

promise(
  ['CS-FLOW-4'],
  'an activity runs and withdraws nothing of another workflow, whatever its input says',
  async () => {
    const started = await running.start('pay', { id: 'theft', amount: 1 })
    const asked = await world.asked(started, 'pay')
    for (const run of [asked.call.run ?? '', 'temporal:', 'elsewhere']) {
      const end = await world.end(await running.start('impostor', { run }))
      expect(end).toMatchObject({ error: expect.stringContaining('functions for workflows') })
    }
    expect(lines('pay theft 1')).toBe(0)
    await world.answer(asked, 'approve')
    expect(await output(started)).toEqual({ paid: 1 })
  },
)

promise(
  ['CS-FLOW-1'],
  'a mistake of the program ends the workflow, and is not tried for ever',
  async () => {
    const end = await world.end(await running.start('mistaken', {}))
    expect(end).toMatchObject({ error: expect.stringMatching(/looks: a duration is/) })
  },
)

promise(
  ['CS-FLOW-2'],
  'no task of any workflow has failed so far; a signal that cannot be read fails one, and opens nothing',
  async () => {
    expect(running.frontend.taskFailures()).toEqual([])
    const started = await running.start('pay', { id: 'unreadable', amount: 1 })
    const asked = await world.asked(started, 'pay')
    await running.client.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: started.id },
      signalName: 'countersign',
      input: {
        payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{') }],
      },
    })
    await eventually('a task fails', async () => running.frontend.taskFailures()[0])
    await world.answer(asked, 'deny')
    expect(await running.result(started)).toBeUndefined()
    expect(lines('pay unreadable 1')).toBe(0)
  },
)

/** Last: from here on clocks are ahead. */
promise(
  ['CS-FLOW-4'],
  'a worker that dies in a tool is noticed by its silence, and the tool is not started again',
  async () => {
    const started = await running.start('lasting', { id: 'dead', ms: 60_000 })
    await world.answer(await world.asked(started, 'last'), 'approve')
    await eventually('it runs', async () => lines('last dead') || undefined)
    for (const worker of workers) await worker.kill()
    world.pass(31_000)
    workers = [await world.worker()]
    const end = await world.end(started)
    expect(end).toMatchObject({ error: expect.stringMatching(/knows whether it took effect/) })
    expect([lines('last dead'), lines('lasted dead')]).toEqual([1, 0])
  },
)

promise(
  ['CS-FLOW-1'],
  'a question whose time ends while no worker is up has expired when one is',
  async () => {
    const started = await running.start('lapsing', {})
    await world.asked(started, 'lapsing')
    for (const worker of workers) await worker.kill()
    world.pass(3_600_000)
    workers = [await world.worker()]
    expect(await output(started)).toBe('expired')
  },
)
