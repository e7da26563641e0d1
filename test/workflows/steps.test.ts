import { expect, onTestFinished, test, vi } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { Json } from '../../src/base/json/json.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import { decideDurably } from '../../src/workflows/durably.ts'
import type { Engine } from '../../src/workflows/engine.ts'
import type { WorkflowGate } from '../../src/workflows/gates.ts'
import { stepDurably } from '../../src/workflows/guard-step.ts'
import type { ApprovalRequest } from '../../src/workflows/question.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { serveApprovals } from './world.ts'

/*
 * What a wait costs, counted: durable steps of the engine and calls of the gate. The engine here is
 * the smallest there can be, a list of what its steps returned; the real ones play the cases.
 */

class Suspended extends Error {}

/** Numbers its steps and tells the number inside of one only, as DBOS does. */
function replay(kept: Json[], names: string[]): Engine {
  let next = 0
  let inside: number | undefined
  return {
    run: 'list:1',
    position: () => undefined,
    stepPosition: () => inside ?? -1,
    async step(name, work) {
      const at = next
      next += 1
      if (at in kept) return kept[at] as never
      names.push(name)
      inside = at
      const result = await work().finally(() => {
        inside = undefined
      })
      kept[at] = JSON.parse(JSON.stringify(result))
      return result
    },
    async wait() {
      const at = next
      next += 1
      if (at in kept) return
      kept[at] = null
      throw new Suspended()
    },
    sleep: () => Promise.reject(new Error('it sleeps')),
    fail: (error) => error,
  }
}

function counting(gate: Gate) {
  const calls: string[] = []
  const counted: WorkflowGate = {
    ...gate,
    check(call, options) {
      calls.push('check')
      return gate.check(call, options)
    },
    run(call, tool, options) {
      calls.push('run')
      return gate.run(call, tool, options)
    },
  }
  return { calls, counted }
}

async function world(store: Store = memoryStore()) {
  const gate = createGate({ policy: policyOf(''), store, agent: 'biller', announce: false })
  const { calls, counted } = counting(gate)
  const kept: Json[] = []
  const names: string[] = []
  return {
    calls,
    names,
    counted,
    engine: () => replay(kept, names),
    async waits(work: (engine: Engine) => Promise<unknown>) {
      await expect(work(replay(kept, names))).rejects.toBeInstanceOf(Suspended)
    },
    async pending(): Promise<Approval[]> {
      return [...(await gate.approvals.list({ status: ['pending'] })).approvals]
    },
    answer: ({ id, digest }: Approval, more: Parameters<Gate['approvals']['decide']>[1] | object) =>
      gate.approvals.decide(id, { by: ana, verdict: 'approve', seen: digest, ...more }),
    get: gate.approvals.get,
  }
}

const REQUEST: ApprovalRequest = { name: 'review', args: { amount: 5 }, timeout: '7 days' }

test('a wait is two steps beside the engine’s own, a look and then a run', async () => {
  const { waits, pending, answer, engine, counted, names, calls } = await world()
  const ask = (on: Engine) => decideDurably(on, counted, REQUEST)
  await waits(ask)
  const [question] = await pending()
  await answer(question as Approval, { payload: { budget: 'q3' } })
  expect(await ask(engine())).toEqual({
    status: 'approved',
    by: ['ana@example.com'],
    args: { amount: 5 },
    payload: { budget: 'q3' },
    approval: question?.id,
  })
  expect(names).toEqual(['review: ask 0', 'review: ask 1'])
  expect(calls).toEqual(['check', 'run'])
  // A replay asks nothing.
  await ask(engine())
  expect(calls).toHaveLength(2)
})

test('over HTTP, a wait is four requests, and the policy read once for the gate', async () => {
  const store = memoryStore()
  const server = await serveApprovals(store, undefined)
  onTestFinished(() => server.close())
  const people = createGate({ policy: policyOf(''), store, agent: 'biller', announce: false })
  const requests: string[] = []
  const gate = remoteGate({
    ...server.access,
    announce: false,
    fetch(input, init) {
      const { pathname } = new URL(String(input))
      requests.push(pathname)
      return fetch(input, init)
    },
  })
  const kept: Json[] = []
  const ask = () => decideDurably(replay(kept, []), gate, REQUEST)
  await expect(ask()).rejects.toBeInstanceOf(Suspended)
  const [question] = (await people.approvals.list({ status: ['pending'] })).approvals
  const { id = '', digest = '' } = question ?? {}
  await people.approvals.decide(id, { by: ana, verdict: 'approve', seen: digest })
  expect(await ask()).toMatchObject({ status: 'approved', approval: id })
  expect(requests.map((path) => path.replace(id, ':id'))).toEqual([
    '/v1/calls',
    '/v1/policy',
    '/v1/calls',
    '/v1/approvals/:id/claim',
    '/v1/approvals/:id/result',
  ])
})

test('a denial is found by one call as well, with its reason', async () => {
  const { waits, pending, answer, engine, counted, calls } = await world()
  const ask = (on: Engine) => decideDurably(on, counted, REQUEST)
  await waits(ask)
  const [question] = await pending()
  await answer(question as Approval, { verdict: 'deny', reason: 'not this month' })
  expect(await ask(engine())).toMatchObject({
    status: 'denied',
    by: ['ana@example.com'],
    reason: 'not this month',
  })
  expect(calls).toEqual(['check', 'run'])
})

promise(['CS-FLOW-1'], 'the workflow gets what a person changed, in every replay', async () => {
  const { waits, pending, answer, engine, counted } = await world()
  const request = { ...REQUEST, approval: { edit: ['amount'] } }
  const ask = (on: Engine) => decideDurably(on, counted, request)
  await waits(ask)
  const [question] = await pending()
  await answer(question as Approval, { args: { amount: 3 } })
  for (const _ of ['first', 'again']) {
    expect(await ask(engine())).toMatchObject({ status: 'approved', args: { amount: 3 } })
  }
})

/** Claiming takes so long that what was claimed must not start any more. */
function stalling(store: Store): Store {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  return {
    ...store,
    async apply(id, command) {
      const applied = await store.apply(id, command)
      if (command.type === 'claim') now += 10_000
      return applied
    },
  }
}

promise(
  ['CS-FLOW-1', 'CS-FLOW-4'],
  'a process that stands still after its claim: an answer is used by the claim, and a guarded step does not start',
  async () => {
    const pay = { name: 'pay', approval: true, run: vi.fn() } as const
    for (const over of ['store', 'http'] as const) {
      const { waits, pending, answer, engine, counted, get } = await stalled(over)
      const ask = (on: Engine) => decideDurably(on, counted, REQUEST)
      await waits(ask)
      const [question] = await pending()
      await answer(question as Approval, { payload: { budget: 'q3' } })
      for (const _ of ['first', 'again']) {
        expect(await ask(engine())).toMatchObject({ status: 'approved', payload: { budget: 'q3' } })
      }
      // Nothing that could be too late comes after the claim.
      expect((await get(question?.id ?? ''))?.approval.execution?.state).toBe('succeeded')

      const step = await stalled(over)
      const work = (on: Engine) => stepDurably(on, step.counted, pay, { amount: 5 })
      await step.waits(work)
      const [asked] = await step.pending()
      await step.answer(asked as Approval, {})
      await expect(work(step.engine())).rejects.toMatchObject({ code: 'not_started', ran: false })
      await expect(work(step.engine())).rejects.toMatchObject({ code: 'not_started', ran: false })
      expect((await step.get(asked?.id ?? ''))?.approval.execution?.state).toBe('failed')
    }
    expect(pay.run).not.toHaveBeenCalled()
  },
)

/** A world whose process stands still after each claim, with approvals here or on a server. */
async function stalled(over: 'store' | 'http') {
  const store = stalling(memoryStore())
  if (over === 'store') return world(store)
  const server = await serveApprovals(store, undefined)
  onTestFinished(() => server.close())
  return { ...(await world(store)), counted: remoteGate({ ...server.access, announce: false }) }
}

promise(
  ['CS-FLOW-3', 'CS-FLOW-4'],
  'two gates of one name are two questions, and a guarded step runs once',
  async () => {
    const { waits, pending, answer, engine, counted, get } = await world()
    let paid = 0
    const pay = {
      name: 'pay',
      approval: true,
      run: (args: { amount: number }) => {
        paid += args.amount
        return { paid: args.amount }
      },
    } as const
    const work = async (on: Engine) => [
      await decideDurably(on, counted, REQUEST),
      await decideDurably(on, counted, REQUEST),
      await stepDurably(on, counted, pay, { amount: 5 }),
    ]
    const asked: string[] = []
    for (let round = 0; round < 3; round += 1) {
      await waits(work)
      const [question] = await pending()
      asked.push(question?.id ?? '')
      await answer(question as Approval, {})
    }
    expect(new Set(asked).size).toBe(3)
    expect((await work(engine()))[2]).toEqual({ paid: 5 })
    await work(engine())
    expect(paid).toBe(5)
    const runs = await Promise.all(asked.map(async (id) => (await get(id))?.approval.call.key))
    expect(runs).toEqual(['review#0', 'review#3', 'pay#6'])
  },
)
