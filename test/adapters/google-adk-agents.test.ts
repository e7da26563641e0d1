import {
  AgentTool,
  type BaseAgent,
  BaseToolset,
  type FunctionTool,
  GOOGLE_SEARCH,
  InMemorySessionService,
  LlmAgent,
  LoopAgent,
  Runner,
  SequentialAgent,
  ToolNode,
} from '@google/adk'
import { expect, test, vi } from 'vitest'
import { guardAgent, guardTools, guardToolset } from '../../src/adapters/google-adk/guard-tools.ts'
import { confirmations } from '../../src/adapters/google-adk/plugin.ts'
import { settleSession } from '../../src/adapters/google-adk/settle-session.ts'
import { createGate } from '../../src/gate/gate.ts'
import { allowAll } from '../../src/policy/evaluate/mode.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { ModelCall } from '../../src/testing/adapter-harness.ts'
import { call, turn, uma } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { GO, ScriptedLlm, sessionOf, toldBy, WHO } from './google-adk-harness.ts'
import {
  bank,
  type Content,
  decide,
  type Gate,
  open,
  pay,
  pending,
  play,
  type Ran,
  tool,
  yes,
} from './google-adk-world.ts'

promise(['AR-25'], 'the agent that made the call goes on with it, and no other', async () => {
  const gate = open()
  const ran: Ran[] = []
  const others: Ran[] = []
  const inner = new ScriptedLlm(turn(call('s1', 'pay', 7)))
  const outer = new ScriptedLlm([
    { calls: [{ id: 't1', tool: 'transfer_to_agent', args: { agentName: 'clerk' } }] },
  ])
  const clerk = new LlmAgent({ name: 'clerk', model: inner, tools: [pay(ran)] })
  const top = new LlmAgent({ name: 'top', model: outer, tools: [pay(others)], subAgents: [clerk] })
  guardAgent(gate, top)
  const plugin = await confirmations({ by: uma, approvals: gate.approvals })
  const session = await sessionOf(top, { plugins: [plugin] })
  await session.send(GO)
  await session.send(yes('s1'))
  expect(ran.map(({ amount }) => amount)).toEqual([7])
  expect(others).toEqual([])
  expect(outer.read).toHaveLength(1)
})

test.each(['approve', 'deny'] as const)('a transfer is asked about: %s', async (verdict) => {
  const gate = open()
  const inner = new ScriptedLlm([{ says: 'I am the helper' }])
  const outer = new ScriptedLlm([
    { calls: [{ id: 't1', tool: 'transfer_to_agent', args: { agentName: 'helper' } }] },
    { says: 'I stay here' },
  ])
  const helper = new LlmAgent({ name: 'helper', model: inner })
  const top = guardAgent(gate, new LlmAgent({ name: 'top', model: outer, subAgents: [helper] }))
  const session = await sessionOf(guardAgent(gate, top))
  const running = session.send(GO)
  await decide(gate, verdict, 'Not him')
  const said = (await running).at(-1)?.content?.parts?.[0]?.text
  expect(said).toBe(verdict === 'approve' ? 'I am the helper' : 'I stay here')
  expect(inner.read).toHaveLength(verdict === 'approve' ? 1 : 0)
  if (verdict === 'deny') expect(toldBy(outer)[0]?.text).toMatch(/helper was denied.*Not him/)
})

promise.each(
  ['CS-ADK-1', 'AF-47', 'AF-48'],
  'an agent as a tool does not bypass the gate',
  [
    ['its tools as they were written', (_gate, tools) => tools],
    ['its tools guarded to pause, which would be lost', (gate, tools) => guardTools(gate, tools)],
  ] as [string, (gate: Gate, tools: FunctionTool[]) => FunctionTool[]][],
  async (_how, made) => {
    const gate = open()
    const ran: Ran[] = []
    const inner = new ScriptedLlm(turn(call('s1', 'pay', 7)))
    const outer = new ScriptedLlm(
      turn({ id: 'p1', tool: 'helper', args: { request: 'Pay the bill' } }),
    )
    const helper = new LlmAgent({ name: 'helper', model: inner, tools: made(gate, [pay(ran)]) })
    const [asTool] = guardTools(gate, [new AgentTool({ agent: helper })])
    const top = new LlmAgent({ name: 'top', model: outer, tools: asTool ? [asTool] : [] })
    const session = await sessionOf(top)
    await session.send(GO)
    expect(inner.read).toEqual([])
    expect((await pending(gate)).map(({ call: one }) => [one.kind, one.tool])).toEqual([
      ['agent', 'helper'],
    ])
    await decide(gate, 'approve')
    const settled = await settleSession(session.runner, WHO)
    if (settled.status !== 'ready') throw new Error('it is decided')
    const running = session.send(settled.newMessage as Content)
    await vi.waitFor(async () => expect(await pending(gate)).toHaveLength(1))
    expect(ran).toEqual([])
    await decide(gate, 'approve')
    await running
    expect(ran.map(({ amount }) => amount)).toEqual([7])
    expect(toldBy(outer)).toEqual([{ id: 'p1', text: '{"result":"done"}' }])
  },
)

promise(
  ['CS-ADK-2'],
  'results beside a pause reach the model, as callbacks left them',
  async () => {
    const gate = open()
    const ran: Ran[] = []
    const calls = [call('c1', 'note', 1), call('c2', 'pay', 2), call('c3', 'note', 3)]
    const model = new ScriptedLlm(turn(...calls))
    const agent = new LlmAgent({
      name: 'biller',
      model,
      tools: guardTools(gate, [pay(ran), tool('note', ran)]),
      afterToolCallback: ({ tool: { name }, response }) =>
        name === 'note' ? { ...(response as object), hidden: true } : undefined,
    })
    const plugin = await confirmations({ by: uma, approvals: gate.approvals })
    const session = await sessionOf(agent, { plugins: [plugin] })
    const seen = await session.send(GO)
    expect(seen.flatMap((event) => event.content?.parts?.[0]?.functionResponse?.id ?? [])).toEqual([
      'c1',
      'c3',
    ])
    await session.send(yes('c2'))
    const told = new Map(toldBy(model).map(({ id, text }) => [id, text]))
    expect(told.get('c1')).toBe('{"did":"note","amount":1,"hidden":true}')
    expect(told.get('c2')).toBe('{"did":"pay","amount":2}')
    expect(told.get('c3')).toBe('{"did":"note","amount":3,"hidden":true}')
    expect(ran.map(({ amount }) => amount).sort()).toEqual([1, 2, 3])
  },
)

promise(
  ['CS-ADK-4'],
  'of tools with one name a later one does not loosen an earlier one',
  async () => {
    const gate = open()
    const ran: Ran[] = []
    const [first] = guardTools(gate, [
      tool('note', ran, { requireConfirmation: ({ amount }: Ran) => amount > 10 }),
    ])
    guardTools(gate, [tool('note', ran, { requireConfirmation: () => false })])
    const model = new ScriptedLlm(turn(call('c1', 'note', 100)))
    const agent = new LlmAgent({ name: 'biller', model, tools: first ? [first] : [] })
    await (await sessionOf(agent)).send(GO)
    expect(ran).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
  },
)

promise(['CS-SDK-7'], 'a tool that runs at the provider passes only where all is allowed', () => {
  const gate = open()
  expect(() => guardTools(gate, [GOOGLE_SEARCH])).toThrow(/cannot be guarded/)
  const free = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text: 'version: 1\n' } }),
    store: memoryStore(),
  })
  expect(guardTools(free, [GOOGLE_SEARCH])).toEqual([GOOGLE_SEARCH])
})

promise.each(
  ['CS-ADK-5', 'AR-18'],
  'where the ADK would go on with the next agent, a call blocks',
  [
    ['in a sequence', (subAgents) => new SequentialAgent({ name: 'top', subAgents })],
    ['in a loop', (subAgents) => new LoopAgent({ name: 'top', subAgents, maxIterations: 1 })],
  ] as [string, (subAgents: LlmAgent[]) => BaseAgent][],
  async (_where, made) => {
    const gate = open()
    const ran: Ran[] = []
    const next = new ScriptedLlm([{ says: 'next' }])
    const first = new ScriptedLlm(turn(call('c1', 'pay', 5)))
    const top = made([
      new LlmAgent({ name: 'one', model: first, tools: [pay(ran)] }),
      new LlmAgent({ name: 'two', model: next }),
    ])
    const session = await sessionOf(guardAgent(gate, top))
    const running = session.send(GO)
    await vi.waitFor(async () => expect(await pending(gate)).toHaveLength(1))
    expect(next.read).toEqual([])
    expect(ran).toEqual([])
    await decide(gate, 'approve')
    await running
    expect(ran.map(({ amount }) => amount)).toEqual([5])
    expect(next.read).toHaveLength(1)
  },
)

promise(['CS-ADK-1'], 'a copy of a guarded agent is guarded, too', async () => {
  const gate = open()
  const ran: Ran[] = []
  const model = new ScriptedLlm(turn(call('c1', 'pay', 5)))
  const agent = guardAgent(gate, new LlmAgent({ name: 'one', model, tools: [pay(ran)] }))
  const session = await sessionOf(agent.clone({ name: 'other', tools: [pay(ran)] }))
  await session.send(GO)
  expect(ran).toEqual([])
  expect(await pending(gate)).toHaveLength(1)
})

promise(['CS-ADK-1'], 'an agent that a toolset offers is guarded with it', async () => {
  const gate = open()
  const ran: Ran[] = []
  const clerk = { name: 'clerk', model: new ScriptedLlm([]), tools: [tool('pay', ran)] }
  class Agents extends BaseToolset {
    readonly agent = new LlmAgent(clerk)
    override async getTools() {
      return [new AgentTool({ agent: this.agent })]
    }
    override async close() {}
  }
  const toolset = new Agents([])
  const [before] = toolset.agent.tools
  await guardToolset(gate, toolset).getTools()
  expect(toolset.agent.tools[0]).not.toBe(before)
})

test('a mode that asks nobody keeps the tool from asking by itself', async () => {
  const gate = open().with({ mode: allowAll() })
  const ran: Ran[] = []
  const model = new ScriptedLlm(turn(call('c1', 'pay', 5)))
  const agent = new LlmAgent({ name: 'biller', model, tools: guardTools(gate, [pay(ran)]) })
  await (await sessionOf(agent)).send(GO)
  expect(ran.map(({ amount }) => amount)).toEqual([5])
  expect(toldBy(model)).toEqual([{ id: 'c1', text: '{"did":"pay","amount":5}' }])
})

test('a question the user went on without can still be answered by its id', async () => {
  const { session, ran } = await play([
    { calls: [call('c1', 'pay', 5)] },
    { says: 'It is sunny.' },
    { says: 'Paid.' },
  ])
  await session.send(GO)
  await session.send({ role: 'user', parts: [{ text: 'How is the weather?' }] })
  expect(await settleSession(session.runner, WHO)).toEqual({ status: 'idle' })
  await session.send(yes('c1'))
  expect(ran.map(({ amount }) => amount)).toEqual([5])
})

test('where the ADK cannot suspend, in a node of a workflow, a call blocks', async () => {
  const gate = open()
  const ran: Ran[] = []
  const [guarded] = guardTools(gate, [pay(ran)])
  if (!guarded) throw new Error('it is guarded')
  const sessionService = new InMemorySessionService()
  await sessionService.createSession({ appName: 'app', ...WHO })
  const agent = new ToolNode(guarded)
  const runner = new Runner({ appName: 'app', agent, sessionService } as never)
  const newMessage = { role: 'user', parts: [{ text: '{"amount":5}' }] }
  const running = (async () => {
    for await (const _ of runner.runAsync({ ...WHO, newMessage }));
  })()
  await vi.waitFor(async () => expect(await pending(gate)).toHaveLength(1))
  expect(ran).toEqual([])
  await decide(gate, 'approve')
  await running
  expect(ran.map(({ amount }) => amount)).toEqual([5])
})

test('two sessions with the same ids of calls are two runs', async () => {
  const gate = open()
  const ran: Ran[] = []
  for (const amount of [1, 2]) {
    const model = new ScriptedLlm(turn(call('c1', 'pay', amount)))
    const agent = new LlmAgent({ name: `a${amount}`, model, tools: guardTools(gate, [pay(ran)]) })
    const { runner } = await sessionOf(agent)
    const { sessionService } = runner
    const name = { userId: 'uma', sessionId: `other-${amount}` }
    await sessionService.createSession({ appName: 'app', ...name })
    for await (const _ of runner.runAsync({ ...name, newMessage: GO }));
  }
  expect((await pending(gate)).map(({ call: one }) => one.run).toSorted()).toEqual([
    'app/uma/other-1',
    'app/uma/other-2',
  ])
})

const MCP_CALLS: readonly ModelCall[] = [
  { id: 'm1', tool: 'pay', args: { to: 'ana', amount: 5 } },
  { id: 'm2', tool: 'look', args: { what: 'moon' } },
]

promise.each(
  ['AR-31', 'AR-32', 'AR-33', 'AR-34'],
  'a toolset asks about what its confirmation policy names',
  [
    ['none, which is the usual', undefined, []],
    ['none, said', 'none', []],
    ['all', 'all', ['pay', 'look']],
    ['those named', ['pay'], ['pay']],
  ] as [string, 'none' | 'all' | string[] | undefined, string[]][],
  async (_which, confirm, asked) => {
    const gate = open()
    const { toolset, saw } = await bank()
    const guarded = guardToolset(gate, toolset, confirm ? { confirm } : {})
    // Said once, before it lists: what changes afterwards changes nothing.
    if (Array.isArray(confirm)) confirm.length = 0
    expect(() => guardToolset(gate, guarded, { confirm: ['look'] })).toThrow(/guarded already/)
    const agent = new LlmAgent({
      name: 'biller',
      model: new ScriptedLlm(turn(...MCP_CALLS)),
      tools: guardTools(gate, [guarded]),
    })
    const plugin = await confirmations({ by: uma, approvals: gate.approvals })
    const session = await sessionOf(agent, { plugins: [plugin] })
    await session.send(GO)
    const waiting = (await pending(gate)).map(({ call: one }) => one.tool)
    expect(waiting).toEqual(asked)
    expect(saw.includes('pay 5 ana')).toBe(!asked.includes('pay'))
    expect(saw.includes('look moon')).toBe(!asked.includes('look'))
    if (asked.length > 0) await session.send(yes('m1', 'm2'))
    expect([...saw].sort()).toEqual(['look moon', 'pay 5 ana'])
  },
)

promise(['AR-31'], 'under an alias the rules of the policy decide about its tools', async () => {
  const gate = open()
  const { toolset, saw } = await bank()
  expect(() => guardToolset(gate, toolset, { server: 'bank', confirm: 'all' })).toThrow(/both/)
  const model = new ScriptedLlm(turn(...MCP_CALLS, { id: 'm3', tool: 'swap', args: {} }))
  const tools = [guardToolset(gate, toolset, { server: 'bank' })]
  const session = await sessionOf(new LlmAgent({ name: 'biller', model, tools }))
  await session.send(GO)
  expect(saw).toEqual(['look moon'])
  expect((await pending(gate)).map(({ call: one }) => [one.server, one.tool])).toEqual([
    ['bank', 'pay'],
  ])
  await decide(gate, 'approve')
  const settled = await settleSession(session.runner, WHO)
  if (settled.status !== 'ready') throw new Error('it is decided')
  await session.send(settled.newMessage as Content)
  expect(saw).toEqual(['look moon', 'pay 5 ana'])
  const told = new Map(toldBy(model).map(({ id, text }) => [id, text]))
  expect(told.get('m3')).toMatch(/not allowed by policy and did not run/)
})
