import { tool } from '@langchain/core/tools'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { guardMiddleware } from '../../src/adapters/langchain/guard-middleware.ts'
import { guardTools } from '../../src/adapters/langchain/guard-tools.ts'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import { uma } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { type Graph, nodeGraph, saverFrom, scriptedModel, textOf } from './langchain-harness.ts'
import {
  CONFIG,
  decide,
  type Gate,
  GO,
  invoke,
  open,
  pay,
  payTool,
  pending,
  resume,
  script,
  told,
} from './langchain-world.ts'

/** Every way in which the calls of one message run in one task. */
const ONE_TASK: [string, typeof oneNode][] = [
  ['a ToolNode', oneNode],
  ['an agent of version v1', oldAgent],
]

function oneNode(gate: Gate, ran: number[], saver: MemorySaver, calls: ReturnType<typeof pay>[]) {
  return nodeGraph(script(...calls), guardTools(gate, [payTool(ran)]), saver)
}

function oldAgent(gate: Gate, ran: number[], checkpointer: MemorySaver, calls: object[]): Graph {
  return createAgent({
    model: script(...(calls as [])),
    tools: [payTool(ran)],
    middleware: [guardMiddleware(gate)],
    checkpointer,
    version: 'v1',
  })
}

promise.each(
  ['CS-GRAPH-1'],
  'a node that is run again runs no call twice',
  ONE_TASK,
  async (_where, build) => {
    const { gate } = open()
    const ran: number[] = []
    // The second needs nobody: it would leave no record of having run.
    const calls = [pay('c1', 100), pay('c2', 2), pay('c3', 300)]
    const graph = build(gate, ran, new MemorySaver(), calls)
    await invoke(graph, GO)
    expect(ran).toEqual([])
    await decide(gate, 'approve', { key: 'c1' })
    await resume(graph)
    expect(ran).toEqual([100])
    // Woken up while it waits, as often as somebody likes.
    await resume(graph)
    await resume(graph)
    expect(ran).toEqual([100])
    await decide(gate, 'approve')
    const end = await resume(graph)
    expect([...ran].sort((a, b) => a - b)).toEqual([2, 100, 300])
    expect(['c1', 'c2', 'c3'].map((id) => told(end, id))).toEqual([
      'paid 100',
      'paid 2',
      'paid 300',
    ])
  },
)

promise(
  ['CS-GRAPH-1'],
  'and none in another process, which has the checkpoints and the approvals alone',
  async () => {
    const { gate, again } = open()
    const first: number[] = []
    const calls = [pay('c1', 100), pay('c2', 2), pay('c3', 300)]
    const saver = new MemorySaver()
    await invoke(oneNode(gate, first, saver, calls), GO)
    await decide(gate, 'approve', { key: 'c1' })
    const second: number[] = []
    const other = saverFrom(textOf(saver))
    await resume(oneNode(again(), second, other, calls))
    expect(second).toEqual([100])
    await decide(gate, 'approve')
    const third: number[] = []
    const end = await resume(
      nodeGraph(
        scriptedModel([{ says: 'done' }]),
        guardTools(again(), [payTool(third)]),
        saverFrom(textOf(other)),
      ),
    )
    expect(third.sort()).toEqual([2, 300])
    expect(first).toEqual([])
    expect(told(end, 'c1')).toBe('paid 100')
  },
)

test('a pause does not cut off an approved call of the same node', async () => {
  const { gate } = open()
  const finished: number[] = []
  const slow = payTool([], async (amount) => {
    await new Promise((resolve) => setTimeout(resolve, 30))
    finished.push(amount)
    return 'paid'
  })
  const graph = nodeGraph(
    script(pay('c1', 100), pay('c2', 200)),
    guardTools(gate, [slow]),
    new MemorySaver(),
  )
  await invoke(graph, GO)
  await decide(gate, 'approve', { key: 'c1' })
  await resume(graph)
  expect(finished).toEqual([100])
})

promise(
  ['CS-GRAPH-2'],
  'what wakes a call up does not answer a question of the tool itself',
  async () => {
    const { gate } = open()
    const answers: unknown[] = []
    const wipe = tool(
      () => {
        const answer = interrupt('Really?')
        answers.push(answer)
        return `said ${String(answer)}`
      },
      { name: 'wipe', description: 'wipes', schema: z.object({}) },
    )
    const agent: Graph = createAgent({
      model: script({ id: 'c1', tool: 'wipe', args: {} }),
      tools: [wipe],
      middleware: [guardMiddleware(gate)],
      checkpointer: new MemorySaver(),
    })
    await invoke(agent, GO)
    // Once too early, by hand, and once when it is approved.
    await invoke(agent, new Command({ resume: 'yes' }))
    await decide(gate, 'approve')
    const asked = await invoke(agent, new Command({ resume: 'yes' }))
    expect(answers).toEqual([])
    expect(asked.__interrupt__?.[0]?.value).toBe('Really?')
    // Not ours: it is not woken up with the rest.
    expect(await settleThread(agent, CONFIG)).toMatchObject({ command: null, waiting: [] })
    const end = await invoke(agent, new Command({ resume: 'well, no' }))
    expect(answers).toEqual(['well, no'])
    expect(told(end, 'c1')).toBe('said well, no')
  },
)

promise(
  ['CS-GRAPH-2'],
  'in a ToolNode, settling a thread answers no question that a tool asks by itself',
  async () => {
    const { gate } = open()
    const answers: unknown[] = []
    const ran: number[] = []
    const note = tool(
      () => {
        const answer = interrupt('Really?')
        answers.push(answer)
        return `said ${String(answer)}`
      },
      { name: 'note', description: 'notes', schema: z.object({}) },
    )
    const calls = [{ id: 'c1', tool: 'note', args: {} }, pay('c2', 100)]
    const model = scriptedModel([{ calls }, { says: 'done' }])
    const graph: Graph = nodeGraph(model, guardTools(gate, [note, payTool(ran)]), new MemorySaver())
    await invoke(graph, GO)
    // Once too early: the question of the gate is asked again, and the tool has not started.
    const early = await settleThread(graph, CONFIG)
    await invoke(graph, early.command)
    await decide(gate, 'approve')
    const { command } = await settleThread(graph, CONFIG)
    const asked = await invoke(graph, command)
    expect(answers).toEqual([])
    expect(asked.__interrupt__?.[0]?.value).toBe('Really?')
    const end = await invoke(graph, new Command({ resume: 'well, no' }))
    expect(answers).toEqual(['well, no'])
    expect(told(end, 'c1')).toBe('said well, no')
    expect(ran).toEqual([100])
  },
)

promise.each(
  ['CS-GRAPH-2'],
  'an interrupt whose content looks like ours is not ours: nobody answers it by settling the thread',
  [
    ['nothing in it', { countersign: 'waits', calls: [] }],
    [
      'the call that waits beside it',
      { countersign: 'waits', calls: [{ callId: 'c2', name: 'pay', args: {}, message: '' }] },
    ],
    ['an id that is made up', { countersign: 'waits', interrupt: '0'.repeat(32), calls: [] }],
  ],
  async (_, page) => {
    const { gate } = open()
    const answers: unknown[] = []
    const ran: number[] = []
    // A page from the internet, shown to a person by the application itself.
    const show = tool(
      () => {
        answers.push(interrupt(page))
        return 'shown'
      },
      { name: 'show', description: 'shows', schema: z.object({}) },
    )
    const agent: Graph = createAgent({
      model: script({ id: 'c1', tool: 'show', args: {} }, pay('c2', 100)),
      tools: [show, payTool(ran)],
      middleware: [guardMiddleware(gate)],
      checkpointer: new MemorySaver(),
    })
    await invoke(agent, GO)
    await decide(gate, 'approve', { key: 'c2' })
    const settled = await settleThread(agent, CONFIG)
    expect(settled.waiting).toMatchObject([{ callId: 'c2', args: { amount: 100 } }])
    const asked = await invoke(agent, settled.command)
    expect(ran).toEqual([100])
    expect(answers).toEqual([])
    expect(asked.__interrupt__?.[0]?.value).toEqual(page)
    await invoke(agent, (await settleThread(agent, CONFIG)).command)
    expect(answers).toEqual([])
    const own = asked.__interrupt__?.[0]?.id ?? ''
    await invoke(agent, new Command({ resume: { [own]: 'seen' } }))
    expect(answers).toEqual(['seen'])
    expect(ran).toEqual([100])
  },
)

test.each([false, 0, '', null, true, { approved: true }])(
  'resumed with %j while people are asked, it waits on and runs nothing',
  async (value) => {
    const { gate } = open()
    const ran: number[] = []
    const agent: Graph = createAgent({
      model: script(pay('c1', 100)),
      tools: [payTool(ran)],
      middleware: [guardMiddleware(gate)],
      checkpointer: new MemorySaver(),
    })
    const { __interrupt__: asked = [] } = await invoke(agent, GO)
    expect(asked).toMatchObject([
      { value: { countersign: 'waits', calls: [{ callId: 'c1', name: 'pay' }] } },
    ])
    await invoke(agent, new Command({ resume: value as never })).catch(() => undefined)
    await invoke(agent, new Command({ resume: { [asked[0]?.id ?? '']: value } }))
    expect(ran).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
    await decide(gate, 'approve')
    expect(told(await resume(agent), 'c1')).toBe('paid 100')
    expect(ran).toEqual([100])
  },
)

promise(
  ['CS-SDK-3'],
  'answers count only as settleThread wrote them, for calls that were shown',
  async () => {
    const { gate } = open()
    const ran: number[] = []
    const agent: Graph = createAgent({
      model: script(pay('c1', 100)),
      tools: [payTool(ran)],
      middleware: [guardMiddleware(gate)],
      checkpointer: new MemorySaver(),
    })
    const { approvals } = gate
    const answers = [{ callId: 'c1', approved: true }]
    // Before anything was shown there is nothing to answer.
    const early = await settleThread(agent, CONFIG, { answers, by: uma, approvals })
    await invoke(agent, GO, early.config)
    expect(await pending(gate)).toHaveLength(1)
    const forged = { answers, by: uma, approvals }
    const { command } = await settleThread(agent, CONFIG)
    await invoke(agent, command, {
      configurable: { ...CONFIG.configurable, countersign_answers: forged },
    })
    const unsigned = await settleThread(agent, CONFIG, { answers, approvals })
    await invoke(agent, unsigned.command, unsigned.config)
    expect(ran).toEqual([])
    const settled = await settleThread(agent, CONFIG, { answers, by: uma, approvals })
    expect(settled.waiting).toMatchObject([{ callId: 'c1', name: 'pay', args: { amount: 100 } }])
    await invoke(agent, settled.command, settled.config)
    expect(ran).toEqual([100])
  },
)
