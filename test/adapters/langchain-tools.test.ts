import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command, MemorySaver } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { guardMiddleware } from '../../src/adapters/langchain/guard-middleware.ts'
import { guardTools } from '../../src/adapters/langchain/guard-tools.ts'
import type { ThreadAsking } from '../../src/adapters/langchain/guarded-tool.ts'
import { promise } from '../support/promise.ts'
import { type Graph, nodeGraph, scriptedModel, toldBy } from './langchain-harness.ts'
import {
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
