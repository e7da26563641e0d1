import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { guardMiddleware } from '../../src/adapters/langchain/guard-middleware.ts'
import { guardTools } from '../../src/adapters/langchain/guard-tools.ts'
import type { ThreadAsking } from '../../src/adapters/langchain/guarded-tool.ts'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { kim, uma } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import {
  type Graph,
  nodeGraph,
  saverFrom,
  scriptedModel,
  textOf,
  toldBy,
} from './langchain-harness.ts'

const POLICY = `version: 1
tools:
  pay: { approval: { edit: true, condition: { args_match: { amount: { gt: 10 } } } } }
  wipe: { approval: true }
mcp_servers:
  - { alias: files, command: files, allowed_tools: [{ name: delete_file, approval: true }] }
local_agents:
  - { alias: helper, approval: { edit: true } }
`

const CONFIG = { configurable: { thread_id: 'thread-1' } }

function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const options = {
    policy,
    store,
    agent: 'biller',
    principal: { issuer: uma.issuer, subject: uma.subject },
  }
  return { gate: createGate(options), again: () => createGate(options) }
}

type Gate = ReturnType<typeof open>['gate']

async function pending(gate: Gate) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return [...approvals].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Decides what waits: the call with this key, or the only one. */
async function decide(
  gate: Gate,
  verdict: 'approve' | 'deny',
  {
    key,
    ...more
  }: { key?: string; args?: { [name: string]: string | number }; reason?: string } = {},
): Promise<void> {
  const { id, digest } = await vi.waitFor(async () => {
    const found = (await pending(gate)).find(({ call }) => key === undefined || call.key === key)
    if (!found) throw new Error('nobody was asked')
    return found
  })
  await gate.approvals.decide(id, { by: kim, verdict, seen: digest, ...more })
}

function payTool(ran: number[], work: (amount: number) => unknown = (amount) => `paid ${amount}`) {
  return tool(
    ({ amount }: { amount: number }) => {
      ran.push(amount)
      return work(amount)
    },
    { name: 'pay', description: 'pays', schema: z.object({ amount: z.number() }) },
  )
}

const pay = (id: string, amount: number) => ({ id, tool: 'pay', args: { amount } })

function script(...calls: { id: string; tool: string; args: { [key: string]: never } | object }[]) {
  return scriptedModel([{ calls: calls as never }, { says: 'done' }])
}

const GO = { messages: [new HumanMessage('go')] }

async function invoke(graph: Graph, input: unknown, config: object = CONFIG) {
  return (await graph.invoke(input as never, config as never)) as {
    readonly messages: readonly BaseMessage[]
    readonly __interrupt__?: readonly { readonly id: string; readonly value: unknown }[]
  }
}

async function resume(graph: Graph) {
  const { command, config } = await settleThread(graph, CONFIG)
  return invoke(graph, command, config)
}

function told({ messages }: { readonly messages: readonly BaseMessage[] }, id: string): string {
  const found = messages.filter(
    (message) => ToolMessage.isInstance(message) && message.tool_call_id === id,
  )
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

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

function withHelper(gate: Gate, ran: number[], asking: ThreadAsking = {}) {
  const inner = createAgent({
    model: scriptedModel([{ calls: [pay('s1', 70)] }, { says: 'paid it' }]),
    tools: [payTool(ran)],
    middleware: [guardMiddleware(gate)],
  })
  const tasks: string[] = []
  const helper = tool(
    async ({ task }: { task: string }, config) => {
      tasks.push(task)
      const { messages } = await inner.invoke({ messages: [new HumanMessage(task)] }, config)
      return messages.at(-1)?.text ?? ''
    },
    { name: 'helper', description: 'helps', schema: z.object({ task: z.string() }) },
  )
  const agent: Graph = createAgent({
    model: script({ id: 'p1', tool: 'helper', args: { task: 'all of it' } }),
    tools: [helper],
    middleware: [guardMiddleware(gate, { agents: ['helper'], ...asking })],
    checkpointer: new MemorySaver(),
  })
  return { agent, tasks }
}

promise(
  ['AF-47', 'AF-48'],
  'a sub-agent is asked about as a delegation, and then what it calls',
  async () => {
    const { gate } = open()
    const ran: number[] = []
    const { agent, tasks } = withHelper(gate, ran)
    await invoke(agent, GO)
    expect((await pending(gate)).map(({ call }) => [call.kind, call.tool])).toEqual([
      ['agent', 'helper'],
    ])
    await decide(gate, 'approve', { args: { task: 'half of it' } })
    await resume(agent)
    expect((await pending(gate)).map(({ call }) => [call.kind, call.tool])).toEqual([
      ['tool', 'pay'],
    ])
    expect(ran).toEqual([])
    await decide(gate, 'approve')
    const end = await resume(agent)
    expect(ran).toEqual([70])
    expect(told(end, 'p1')).toMatch(/A person changed the call to helper.*\npaid it/s)
    // LangGraph runs the body of a tool again when something inside of it has paused.
    expect(new Set(tasks)).toEqual(new Set(['half of it']))
  },
)

promise(['AF-47'], 'a delegation that is denied hands nothing over', async () => {
  const { gate } = open()
  const ran: number[] = []
  const { agent, tasks } = withHelper(gate, ran)
  await invoke(agent, GO)
  await decide(gate, 'deny', { reason: 'Do it yourself' })
  const end = await resume(agent)
  expect(tasks).toEqual([])
  expect(told(end, 'p1')).toMatch(/helper was denied by a person.*Do it yourself/)
})

test('a tool that changes the state gives its command again, and is told what changed', async () => {
  const { gate } = open()
  const ran: number[] = []
  const updating = payTool(ran, (amount) => {
    const told = new ToolMessage({ content: `moved ${amount}`, tool_call_id: 'c1', name: 'pay' })
    return new Command({ update: { messages: [told] } })
  })
  const graph = nodeGraph(
    script(pay('c1', 100), { id: 'c2', tool: 'wipe', args: {} }),
    guardTools(gate, [
      updating,
      tool(() => 'wiped', { name: 'wipe', description: 'wipes', schema: z.object({}) }),
    ]),
    new MemorySaver(),
  )
  await invoke(graph, GO)
  await decide(gate, 'approve', { key: 'c1', args: { amount: 20 } })
  await resume(graph)
  expect(ran).toEqual([20])
  await decide(gate, 'approve')
  const end = await resume(graph)
  expect(ran).toEqual([20])
  expect(told(end, 'c1')).toMatch(/amount is now 20.*\nmoved 20/s)
  expect(told(end, 'c2')).toBe('wiped')
})

test('content, artifact and status of a message survive being kept', async () => {
  const { gate } = open()
  const ran: number[] = []
  const rich = tool(
    ({ amount }: { amount: number }) => {
      ran.push(amount)
      return [`drew ${amount}`, { pixels: [1, 2] }]
    },
    {
      name: 'pay',
      description: 'draws',
      schema: z.object({ amount: z.number() }),
      responseFormat: 'content_and_artifact',
    },
  )
  const [guarded] = guardTools(gate, [rich], { run: 'r' })
  await gate.check({ tool: 'pay', args: { amount: 50 }, run: 'r', key: 'c1' })
  await decide(gate, 'approve')
  const call = { type: 'tool_call' as const, id: 'c1', name: 'pay', args: { amount: 50 } }
  const first = await guarded?.invoke(call)
  const second = await guarded?.invoke(call)
  expect(ran).toEqual([50])
  for (const message of [first, second]) {
    expect(message).toMatchObject({ content: 'drew 50', artifact: { pixels: [1, 2] } })
  }
})

promise(['CS-SDK-7'], 'what runs at the provider is refused unless policy allows it', async () => {
  const { gate } = open()
  expect(() => guardTools(gate, [{ type: 'wipe' }])).toThrow(/wipe has no execute/)
  expect(guardTools(gate, [{ type: 'web_search' }])).toEqual([{ type: 'web_search' }])
  const agent: Graph = createAgent({
    model: script(),
    tools: [{ type: 'wipe' }],
    middleware: [guardMiddleware(gate)],
  })
  await expect(invoke(agent, GO)).rejects.toThrow(/wipe has no execute/)
})

test('nobody is asked about arguments that the tool would not take', async () => {
  const { gate } = open()
  const ran: number[] = []
  const model = script({ id: 'c1', tool: 'pay', args: { amount: 'lots' } })
  const end = await invoke(
    nodeGraph(model, guardTools(gate, [payTool(ran)]), new MemorySaver()),
    GO,
  )
  expect(told(end, 'c1')).toMatch(/pay was not understood and did not run\. Reason: amount/)
  expect(await pending(gate)).toEqual([])
  expect(ran).toEqual([])
})

test('tools of an MCP server are asked about under its alias', async () => {
  const { gate } = open()
  const tools = ['delete_file', 'format_disk'].map((name) =>
    tool(() => `did ${name}`, { name, description: name, schema: z.object({}) }),
  )
  const model = script(
    { id: 'c1', tool: 'delete_file', args: {} },
    { id: 'c2', tool: 'format_disk', args: {} },
    pay('c3', 1),
  )
  const ran: number[] = []
  // Guarded apart, they run in one node all the same.
  const all = [...guardTools(gate, tools, { server: 'files' }), ...guardTools(gate, [payTool(ran)])]
  const graph = nodeGraph(model, all, new MemorySaver())
  await invoke(graph, GO)
  expect((await pending(gate)).map(({ call }) => call.server)).toEqual(['files'])
  expect(ran).toEqual([])
  await decide(gate, 'approve')
  const end = await resume(graph)
  expect(told(end, 'c1')).toBe('did delete_file')
  expect(told(end, 'c2')).toMatch(/not allowed by policy and did not run/)
  expect(ran).toEqual([1])
})

test('a guarded tool of a guarded agent is asked about once', async () => {
  const { gate } = open()
  const ran: number[] = []
  const agent: Graph = createAgent({
    model: script(pay('c1', 100)),
    tools: guardTools(gate, guardTools(gate, [payTool(ran)])),
    middleware: [guardMiddleware(gate)],
    checkpointer: new MemorySaver(),
  })
  await invoke(agent, GO)
  expect(await pending(gate)).toHaveLength(1)
  await decide(gate, 'approve')
  expect(told(await resume(agent), 'c1')).toBe('paid 100')
  expect(ran).toEqual([100])
})

test('a graph that cannot pause says so, and runs nothing', async () => {
  const { gate } = open()
  const ran: number[] = []
  const agent = (): Graph =>
    createAgent({
      model: script(pay('c1', 100)),
      tools: [payTool(ran)],
      middleware: [guardMiddleware(gate)],
    })
  await expect(invoke(agent(), GO)).rejects.toThrow(/this graph cannot pause/)
  await expect(invoke(agent(), GO, {})).rejects.toThrow(/belongs to no thread/)
  expect(ran).toEqual([])
})

test('a call from outside of a graph blocks', async () => {
  const { gate } = open()
  const ran: number[] = []
  const [guarded] = guardTools(gate, [payTool(ran)])
  expect(await guarded?.invoke({ amount: 1 })).toBe('paid 1')
  const paying = guarded?.invoke({ amount: 100 })
  await decide(gate, 'deny', { reason: 'No' })
  expect(await paying).toMatch(/pay was denied by a person and did not run\. Reason: No\./)
  expect(ran).toEqual([1])
})

promise(
  ['CS-SDK-4'],
  'a tool that throws is told to the model, and not run again by itself',
  async () => {
    const { gate } = open()
    const ran: number[] = []
    const failing = payTool(ran, (amount) => {
      throw new Error(`the bank does not know ${amount}`)
    })
    const model = script(pay('c1', 100), pay('c2', 5))
    const agent: Graph = createAgent({
      model,
      tools: [failing],
      middleware: [guardMiddleware(gate)],
      checkpointer: new MemorySaver(),
    })
    await invoke(agent, GO)
    await decide(gate, 'approve')
    const end = await resume(agent)
    expect(told(end, 'c1')).toMatch(/pay ran and failed\. Reason: the bank does not know 100/)
    expect(told(end, 'c2')).toMatch(/pay ran and failed\. Reason: the bank does not know 5/)
    expect(ran.sort()).toEqual([100, 5])
    expect(toldBy(model)).toHaveLength(2)
    // Outside of an agent, what needs nobody fails as it ever did.
    const [guarded] = guardTools(gate, [failing])
    await expect(guarded?.invoke({ amount: 6 })).rejects.toThrow(/does not know 6/)
  },
)

test('a gate, a way to wait and a name are needed', () => {
  const { gate } = open()
  expect(() => guardMiddleware({} as never)).toThrow(/without a gate/)
  expect(() => guardTools(gate, [], { mode: 'later' as never })).toThrow(/no way to wait/)
})
