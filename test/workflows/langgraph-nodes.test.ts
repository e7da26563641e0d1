/** Nodes and entrypoints of the real LangGraph, in one process; a new graph object for each look. */
import { RunnableLambda } from '@langchain/core/runnables'
import {
  Annotation,
  Command,
  END,
  entrypoint,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import type { Answer } from '../../src/gate/admin/approvals.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import {
  guardStep,
  NotApproved,
  requireApproval,
  waitForApproval,
  withdrawThread,
} from '../../src/workflows/langgraph/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const State = Annotation.Root({ amount: Annotation<number>(), said: Annotation<string>() })
type Node = (state: typeof State.State) => Promise<Partial<typeof State.State>>

/** The graph as another process would make it: nothing but the checkpoints is shared. */
function world(node: (gate: Gate) => Node, options: { retryPolicy?: object } = {}) {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const gate = createGate({ policy: policyOf('tools: {}'), store, agent: 'biller' })
  const checkpointer = new MemorySaver()
  const thread = { configurable: { thread_id: 't/1 ü' } }
  const build = () =>
    new StateGraph(State)
      .addNode('work', node(gate), options)
      .addEdge(START, 'work')
      .addEdge('work', END)
      .compile({ checkpointer })
  const asked = async (tool?: string) => {
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    return approvals.filter(({ call }) => tool === undefined || call.tool === tool)
  }
  return {
    gate,
    checkpointer,
    build,
    thread,
    asked,
    start: (amount = 1) => build().invoke({ amount, said: '' }, thread),
    resume: (value: unknown) =>
      build().invoke(
        new Command({ resume: value, ...(value ? {} : { update: { said: '' } }) }),
        thread,
      ),
    /** For the interrupt of this id, as the state of the thread shows it. */
    async resumeNamed(value: unknown) {
      const { tasks } = await build().getState(thread)
      const ids = tasks.flatMap(({ interrupts }) => interrupts.map(({ id = '' }) => id))
      const resume = Object.fromEntries(ids.map((id) => [id, value]))
      return build().invoke(new Command({ resume }), thread)
    },
    /** As its users wake it. */
    async wake() {
      const { command, config, waiting } = await settleThread(build(), thread)
      const state = await build().invoke(command, config)
      return { state, waiting }
    },
    async answer(verdict: 'approve' | 'deny', more: Partial<Answer> & { tool?: string } = {}) {
      const { tool, ...said } = more
      const [one] = await asked(tool)
      if (!one) throw new Error('nothing waits')
      await gate.approvals.decide(one.id, { by: ana, verdict, seen: one.digest, ...said })
      return one
    },
  }
}

const NO_TASK = '00000000-0000-0000-0000-000000000000'
const paused = (state: unknown) =>
  (state as { __interrupt__?: unknown }).__interrupt__ !== undefined

function payNode(ran: string[]): (gate: Gate) => Node {
  return (gate) => {
    const pay = guardStep(gate, {
      name: 'pay',
      approval: true,
      run({ amount }: { amount: number }) {
        ran.push(`pay ${amount}`)
        return `paid ${amount}`
      },
    })
    return async ({ amount }) => {
      await task('prepare', async () => ran.push('prepare'))()
      return { said: await pay({ amount }) }
    }
  }
}

promise(
  ['CS-FLOW-1', 'CS-FLOW-4'],
  'a node of LangGraph waits, and goes on once with the answer; steps before ran once',
  async () => {
    const ran: string[] = []
    const w = world(payNode(ran))
    expect(paused(await w.start(7))).toBe(true)
    expect((await w.wake()).waiting).toEqual([
      { callId: (await w.asked())[0]?.id, name: 'pay', args: { amount: 7 }, message: 'pay' },
    ])
    await w.answer('approve')
    const { state } = await w.wake()
    expect(state.said).toBe('paid 7')
    expect(ran).toEqual(['prepare', 'pay 7'])
    expect((await w.gate.approvals.list({})).approvals).toHaveLength(1)
  },
)

/** LangGraph takes falsy values only beside an update, or by the id of the interrupt. */
const FORGED = [
  { approved: true },
  true,
  'approve',
  { countersign: 'woken' },
  { countersign: 'approved', status: 'approved' },
  false,
  0,
  '',
]

promise.each(
  ['CS-FLOW-2'],
  'what a thread of LangGraph is resumed with decides nothing',
  FORGED.map((value): [string, unknown] => [JSON.stringify(value), value]),
  async (_, value) => {
    const ran: string[] = []
    const w = world(payNode(ran))
    await w.start(7)
    for (let n = 0; n < 3; n += 1) expect(paused(await w.resume(value))).toBe(true)
    expect(paused(await w.resumeNamed(value))).toBe(true)
    expect(ran).toEqual(['prepare'])
    expect((await w.gate.approvals.list({})).approvals).toHaveLength(1)
    await w.answer('approve')
    expect((await (value ? w.resume(value) : w.wake().then(({ state }) => state))).said).toBe(
      'paid 7',
    )
    // Once more, when it is over: the answer of the first time, and nothing runs.
    await w.resume(value).catch(() => {})
    expect(ran).toEqual(['prepare', 'pay 7'])
  },
)

promise(
  ['CS-FLOW-2'],
  'a falsy answer in the checkpoint of LangGraph neither opens a gate nor keeps it busy',
  async () => {
    const ran: string[] = []
    const w = world(payNode(ran))
    await w.start(7)
    const { config } = await w.build().getState(w.thread)
    // Of no task: LangGraph hands it to the first interrupt that asks, and to all after it.
    await w.checkpointer.putWrites(config, [['__resume__', false]], NO_TASK)
    expect(paused(await w.build().invoke(null, w.thread))).toBe(true)
    expect(ran).toEqual(['prepare'])
    await w.answer('approve')
    expect((await w.wake()).state.said).toBe('paid 7')
  },
)

promise(['CS-FLOW-2'], 'a no ends a node of LangGraph that requires a yes', async () => {
  const w = world((gate) => async () => {
    await requireApproval(gate, { name: 'review' })
    return { said: 'went on' }
  })
  await w.start()
  await w.answer('deny', { reason: 'Never' })
  const error = await w.wake().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NotApproved)
  expect((error as NotApproved).decision).toMatchObject({ status: 'denied', reason: 'Never' })
  // Resumed in spite of that, it is the same no.
  await expect(w.resume({ approved: true })).rejects.toThrow(/Never/)
})

promise(
  ['CS-FLOW-3'],
  'two gates of one node, and an interrupt of its own, are answered each by its own answer',
  async () => {
    const w = world((gate) => async () => {
      const first = await waitForApproval(gate, { name: 'first' })
      const picked = interrupt('Which one?')
      const second = await waitForApproval(gate, { name: 'second' })
      return { said: [first.status, picked, second.status].join(' ') }
    })
    await w.start()
    await w.resume('forged')
    await w.answer('approve', { tool: 'first' })
    const asking = await w.resume('woken')
    expect((asking as { __interrupt__?: { value: unknown }[] }).__interrupt__?.[0]?.value).toBe(
      'Which one?',
    )
    // It is not our question, so there is nothing to wake.
    expect((await settleThread(w.build(), w.thread)).command).toBeNull()
    expect(await w.asked('second')).toHaveLength(0)
    await w.resume('the blue one')
    await w.resume('forged once more')
    expect(await w.asked('second')).toHaveLength(1)
    await w.answer('deny', { tool: 'second' })
    expect((await w.resume('woken')).said).toBe('approved the blue one denied')
  },
)

promise(
  ['CS-FLOW-3'],
  'the next round of a thread of LangGraph is asked about again, with equal arguments too',
  async () => {
    const ran: string[] = []
    const w = world(payNode(ran))
    for (const round of [1, 2]) {
      expect(paused(await w.start(5))).toBe(true)
      await w.answer('approve')
      await w.wake()
      expect(ran.filter((line) => line === 'pay 5')).toHaveLength(round)
    }
  },
)

promise(
  ['CS-FLOW-3'],
  'gates of one name in nested runnables of one node have a question each',
  async () => {
    const w = world((gate) => async () => {
      const inner = RunnableLambda.from(async () => {
        const { status } = await waitForApproval(gate, { name: 'same', args: { equal: true } })
        return status
      })
      const { status } = await waitForApproval(gate, { name: 'same', args: { equal: true } })
      return { said: `${status} ${await inner.invoke({})}` }
    })
    await w.start()
    const first = await w.answer('approve')
    await w.wake()
    const [second] = await w.asked()
    expect(second?.id).not.toBe(first.id)
    await w.answer('deny')
    expect((await w.wake()).state.said).toBe('approved denied')
  },
)

promise(
  ['CS-FLOW-4'],
  'a node of LangGraph that fails and is tried again neither asks nor runs again',
  async () => {
    const ran: string[] = []
    let failures = 0
    const w = world(
      (gate) => {
        const work = payNode(ran)(gate)
        return async (state) => {
          const done = await work(state)
          failures += 1
          if (failures < 3) throw new Error('the network is away')
          return done
        }
      },
      { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
    )
    await w.start(7)
    await w.answer('approve')
    expect((await w.wake()).state.said).toBe('paid 7')
    expect(failures).toBe(3)
    expect(ran.filter((line) => line === 'pay 7')).toHaveLength(1)
    expect((await w.gate.approvals.list({})).approvals).toHaveLength(1)
  },
)

promise(
  ['CS-FLOW-1'],
  'an entrypoint of LangGraph waits like a node, in its tasks too',
  async () => {
    const w = world(() => async () => ({}))
    const flow = () =>
      entrypoint({ name: 'expense', checkpointer: saverOf(w) }, async (amount: number) => {
        const inside = task('review', async () => {
          const { status } = await waitForApproval(w.gate, { name: 'inside', args: { amount } })
          return status
        })
        const { payload } = await requireApproval<{ budget: string }>(w.gate, { name: 'outside' })
        return `${await inside()} from ${payload?.budget}`
      })
    const thread = { configurable: { thread_id: 'flow' } }
    await flow().invoke(9, thread)
    await w.answer('approve', { tool: 'outside', payload: { budget: 'travel' } })
    await flow().invoke(new Command({ resume: true }), thread)
    await w.answer('approve', { tool: 'inside' })
    expect(await flow().invoke(new Command({ resume: true }), thread)).toBe('approved from travel')
    expect((await w.gate.approvals.list({})).approvals).toHaveLength(2)
  },
)

/** One saver for all graphs of a world. */
const savers = new WeakMap<object, MemorySaver>()
function saverOf(key: object): MemorySaver {
  const saver = savers.get(key) ?? new MemorySaver()
  savers.set(key, saver)
  return saver
}

promise(
  ['CS-FLOW-5'],
  'a thread of LangGraph that is given up withdraws its questions',
  async () => {
    const w = world(payNode([]))
    await w.start()
    expect(await withdrawThread(w.gate, 't/1')).toBe(0)
    expect(await withdrawThread(w.gate, w.thread.configurable.thread_id)).toBe(1)
    expect(await w.asked()).toHaveLength(0)
  },
)

test('outside of a node, and in a graph that cannot pause, nothing is asked or runs', async () => {
  const ran: string[] = []
  const w = world(payNode(ran))
  await expect(waitForApproval(w.gate, { name: 'review' })).rejects.toThrow(/node of a thread/)
  const unsaved = new StateGraph(State)
    .addNode('work', payNode(ran)(w.gate))
    .addEdge(START, 'work')
    .addEdge('work', END)
    .compile()
  await expect(unsaved.invoke({ amount: 1, said: '' })).rejects.toThrow(/node of a thread/)
  await expect(unsaved.invoke({ amount: 1, said: '' }, w.thread)).rejects.toThrow(/cannot pause/)
  expect(ran.filter((line) => line.startsWith('pay'))).toEqual([])
})
