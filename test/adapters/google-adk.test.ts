import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  AgentTool,
  type BaseAgent,
  BaseToolset,
  type Event,
  FunctionTool,
  GOOGLE_SEARCH,
  InMemorySessionService,
  LlmAgent,
  type LlmRequest,
  LoopAgent,
  MCPToolset,
  Runner,
  SequentialAgent,
  ToolNode,
} from '@google/adk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import {
  answerContent,
  REJECTED,
  REQUEST_CONFIRMATION,
} from '../../src/adapters/google-adk/confirmation.ts'
import { guardAgent, guardTools, guardToolset } from '../../src/adapters/google-adk/guard-tools.ts'
import { confirmations } from '../../src/adapters/google-adk/plugin.ts'
import { openQuestions, settleSession } from '../../src/adapters/google-adk/settle-session.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate } from '../../src/gate/gate.ts'
import { allowAll } from '../../src/policy/evaluate/mode.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { ModelCall, ModelTurn } from '../../src/testing/adapter-harness.ts'
import { call, kim, turn, uma } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { GO, ScriptedLlm, sessionOf, toldBy, WHO } from './google-adk-harness.ts'

type Content = LlmRequest['contents'][number]

const POLICY = `version: 1
people: { groups: { finance: [ana@example.com] } }
tools:
  wire: { approval: { approvers: [{ group: finance }] } }
  google_search: { approval: true }
mcp_servers:
  - { alias: bank, command: bank, allowed_tools: [{ name: pay, approval: true }, { name: look, approval: false }] }
local_agents:
  - { alias: helper, approval: true }
governance:
  - { id: no-nukes, match: { tool: nuke }, deny: Nobody nukes anything }
`

function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const principal = { issuer: uma.issuer, subject: uma.subject }
  return createGate({ policy, store, agent: 'biller', principal })
}

type Gate = ReturnType<typeof open>

interface Ran {
  readonly amount: number
  readonly confirmation: unknown
}

const AMOUNT = z.object({ amount: z.number() })

function tool(name: string, ran: Ran[], more: object = {}): FunctionTool {
  return new FunctionTool({
    name,
    description: `does ${name}`,
    parameters: AMOUNT,
    execute: ({ amount }, context) => {
      ran.push({ amount, confirmation: context?.toolConfirmation })
      return { did: name, amount }
    },
    ...more,
  }) as unknown as FunctionTool
}

const pay = (ran: Ran[], more: object = {}) =>
  tool('pay', ran, { requireConfirmation: true, ...more })

interface Played {
  readonly gate: Gate
  readonly ran: Ran[]
  readonly model: ScriptedLlm
  readonly warned: string[]
  readonly session: Awaited<ReturnType<typeof sessionOf>>
}

/** An agent whose user is authenticated, behind the plugin. */
async function play(
  turns: readonly ModelTurn[],
  tools: (ran: Ran[], gate: Gate) => LlmAgent['tools'] = (ran) => [pay(ran)],
  hints: Record<string, string | ((args: JsonObject) => string)> = {},
): Promise<Played> {
  const gate = open()
  const ran: Ran[] = []
  const warned: string[] = []
  const model = new ScriptedLlm(turns)
  const agent = new LlmAgent({
    name: 'biller',
    model,
    tools: guardTools(gate, tools(ran, gate), { hints }),
  })
  const plugin = await confirmations({
    by: ({ userId }) => (userId === uma.subject ? uma : undefined),
    approvals: gate.approvals,
    warn: (text) => warned.push(text),
  })
  return { gate, ran, model, warned, session: await sessionOf(agent, { plugins: [plugin] }) }
}

async function pending(gate: Gate) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return [...approvals].sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function decide(gate: Gate, verdict: 'approve' | 'deny', reason?: string): Promise<void> {
  const one = await vi.waitFor(async () => {
    const [first] = await pending(gate)
    if (!first) throw new Error('nobody was asked')
    return first
  })
  const { id, digest } = one
  await gate.approvals.decide(id, { by: kim, verdict, seen: digest, ...(reason ? { reason } : {}) })
}

/** The only event that asks. */
function asking(events: readonly Event[]): Event {
  const asked = events.filter((event) => openQuestions([event]).length > 0)
  expect(asked).toHaveLength(1)
  return asked[0] as Event
}

function answer(...answers: [id: string | undefined, response: object][]): Content {
  return {
    role: 'user',
    parts: answers.map(([id, response]) => ({
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        name: REQUEST_CONFIRMATION,
        response: response as Record<string, unknown>,
      },
    })),
  }
}

const yes = (...ids: string[]) =>
  answerContent(ids.map((id) => [id, { confirmed: true }])) as Content

promise(
  ['AR-1', 'AR-2', 'AR-5', 'AR-11', 'AR-12', 'AR-13', 'AR-14', 'AR-15', 'AR-16', 'AR-17', 'AR-18'],
  'a call that asks pauses the invocation, with its question under its own id',
  async () => {
    // Ids like these lose their order in objects; what is asked keeps it.
    const calls = [call('10', 'pay', 100), call('9', 'pay', 5)]
    const { session, ran, model, gate } = await play(turn(...calls))
    const events = await session.send(GO)
    expect(ran).toEqual([])
    expect(model.read).toHaveLength(1)
    expect(await pending(gate)).toHaveLength(2)
    const { content, longRunningToolIds, actions } = JSON.parse(JSON.stringify(asking(events)))
    const responses = content.parts.flatMap((part: Record<string, unknown>) =>
      part.functionResponse ? [part.functionResponse] : [],
    )
    const hint = 'Approve execution of tool pay?'
    const asked = (id: string, amount: number) => ({
      id,
      name: 'adk_request_confirmation',
      willContinue: true,
      response: {
        originalFunctionCall: { id, name: 'pay', args: { amount } },
        toolConfirmation: { hint, confirmed: false },
      },
    })
    expect(responses).toEqual([asked('10', 100), asked('9', 5)])
    expect(longRunningToolIds).toEqual(expect.arrayContaining(['10', '9']))
    expect(actions.requestedToolConfirmations).toEqual({
      '10': { hint, confirmed: false },
      '9': { hint, confirmed: false },
    })
  },
)

promise(
  ['AR-3', 'AR-4', 'AR-20', 'AR-23', 'AR-26', 'AR-30'],
  'the answer under the id of the call runs it, once, and the application runs nothing itself',
  async () => {
    const { session, ran, model } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await session.send(answer(['c1', { confirmed: true }]))
    const confirmation = { hint: 'Approve execution of tool pay?', confirmed: true }
    expect(ran).toEqual([{ amount: 100, confirmation }])
    expect(toldBy(model)).toEqual([{ id: 'c1', text: '{"did":"pay","amount":100}' }])
    await session.send(answer(['c1', { confirmed: true }]))
    expect(ran).toHaveLength(1)
  },
)

promise.each(
  ['AR-21', 'AR-23'],
  'a yes counts in every form',
  [
    ['bare', { confirmed: true }],
    ['in toolConfirmation', { toolConfirmation: { hint: 'x', confirmed: true } }],
    ['in response', { response: { confirmed: true } }],
    ['as text in response', { response: '{"confirmed":true}' }],
  ] as [string, object][],
  async (_form, response) => {
    const { session, ran } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await session.send(answer(['c1', response]))
    expect(ran).toHaveLength(1)
  },
)

promise.each(
  ['AR-27'],
  'after a no the model reads that the user rejected the call, and it has not run',
  [
    ['said', { confirmed: false }],
    ['by an empty answer', {}],
    ['in toolConfirmation', { toolConfirmation: {} }],
  ] as [string, object][],
  async (_how, response) => {
    const { session, ran, model } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await session.send(answer(['c1', response]))
    expect(ran).toEqual([])
    expect(toldBy(model)).toEqual([
      { id: 'c1', text: '{"error":"tool call was rejected by the user"}' },
    ])
    // And whoever says yes afterwards comes too late.
    await session.send(yes('c1'))
    expect(ran).toEqual([])
  },
)

promise(['AR-27', 'CS-SDK-4'], 'a no from the inbox says the same, and why', async () => {
  const { session, ran, model, gate } = await play(turn(call('c1', 'pay', 100)))
  await session.send(GO)
  await decide(gate, 'deny', 'Too much')
  // Somebody turns it into a yes on the way.
  await session.send(yes('c1'))
  expect(ran).toEqual([])
  const { error, message } = JSON.parse(toldBy(model)[0]?.text ?? '')
  expect({ error }).toEqual(REJECTED)
  expect(message).toMatch(/denied by a person and did not run\. Reason: Too much\./)
})

promise.each(
  ['AR-22', 'CS-ADK-3'],
  'an answer that decides nothing is dropped with a warning, and the turn stays paused',
  [
    ['without an id', answer([undefined, { confirmed: true }]), 1],
    ['with an empty id', answer(['', { confirmed: true }]), 1],
    ['neither yes nor no', answer(['c1', { confirmed: 'yes' }]), 1],
    ['of a call nobody made', yes('c9'), 0],
  ] as [string, Content, number][],
  async (_which, content, warnings) => {
    const { session, ran, model, warned } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    const events = await session.send(content)
    expect(warned).toHaveLength(warnings)
    expect(ran).toEqual([])
    expect(model.read).toHaveLength(1)
    // The question is told again, and can be answered still.
    expect(openQuestions(events).map(({ call: asked }) => asked.id)).toEqual(['c1'])
    await session.send(yes('c1'))
    expect(ran).toHaveLength(1)
  },
)

promise(
  ['AR-24', 'CS-SDK-8'],
  'several answers may come in one message, and a turn goes on when all of them are there',
  async () => {
    const calls = [call('c1', 'pay', 1), call('c2', 'pay', 2), call('c3', 'pay', 3)]
    const { session, ran, model } = await play(turn(...calls))
    await session.send(GO)
    await session.send(answer(['c3', { confirmed: true }]))
    expect(ran).toEqual([])
    expect(model.read).toHaveLength(1)
    await session.send(answer(['c1', { confirmed: true }], ['c2', { confirmed: false }]))
    expect(ran.map(({ amount }) => amount)).toEqual([1, 3])
    expect(toldBy(model).map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
  },
)

promise(['AR-28'], 'what the user attaches reaches the tool beside its arguments', async () => {
  const { session, ran } = await play(turn(call('c1', 'pay', 100)))
  await session.send(GO)
  await session.send(answer(['c1', { confirmed: true, payload: { amount: 1 } }]))
  expect(ran).toMatchObject([{ amount: 100, confirmation: { payload: { amount: 1 } } }])
})

promise(
  ['AR-28', 'CS-SDK-1'],
  'what somebody attaches who may not decide reaches no tool',
  async () => {
    const { session, ran, gate } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await decide(gate, 'approve')
    await session.send(answer(['c1', { confirmed: true, payload: { amount: 1 } }]))
    expect(ran).toHaveLength(1)
    expect(ran[0]?.confirmation).not.toHaveProperty('payload')
  },
)

promise.each(
  ['AR-5', 'AR-6', 'AR-7', 'AR-8'],
  'requireConfirmation says which calls ask',
  [
    ['always', { requireConfirmation: true }, ['c1', 'c2']],
    ['never', { requireConfirmation: false }, []],
    ['not written', {}, []],
    ['by arguments', { requireConfirmation: ({ amount }: Ran) => amount > 10 }, ['c2']],
    ['later', { requireConfirmation: async ({ amount }: Ran) => amount > 10 }, ['c2']],
  ] as [string, object, string[]][],
  async (_how, more, asked) => {
    const calls = [call('c1', 'note', 1), call('c2', 'note', 100)]
    const { session, ran, gate } = await play(turn(...calls), (ran) => [tool('note', ran, more)])
    await session.send(GO)
    expect(ran).toHaveLength(2 - asked.length)
    expect((await pending(gate)).map(({ call: one }) => one.key)).toEqual(asked)
  },
)

promise.each(
  ['AR-9', 'AR-3'],
  'people read the hint of the tool',
  [
    ['its own', 'Approve this transfer?', 'Approve this transfer?'],
    ['made of the arguments', ({ amount }: JsonObject) => `Pay ${amount}?`, 'Pay 100?'],
    [
      'the usual one, where it fails',
      () => {
        throw new Error('no hint')
      },
      'Approve execution of tool pay?',
    ],
  ] as [string, string | ((args: JsonObject) => string), string][],
  async (_which, hint, read) => {
    const { session } = await play(turn(call('c1', 'pay', 100)), undefined, { pay: hint })
    const { actions } = asking(await session.send(GO))
    expect(actions.requestedToolConfirmations.c1?.hint).toBe(read)
  },
)

promise(
  ['SP-10', 'AR-9'],
  'the session shows the hint beside the whole call, and the approval has the default question',
  async () => {
    const { session, gate } = await play(turn(call('c1', 'pay', 100)))
    const event = asking(await session.send(GO))
    expect(event.actions.requestedToolConfirmations.c1?.hint).toBe('Approve execution of tool pay?')
    const shown = event.content?.parts?.flatMap(({ functionCall }) => functionCall ?? [])
    expect(shown).toMatchObject([
      { args: { originalFunctionCall: { id: 'c1', name: 'pay', args: { amount: 100 } } } },
    ])
    const [approval] = await pending(gate)
    expect((await gate.approvals.get(approval?.id ?? ''))?.question?.message).toBe(
      `Run 'pay' with arguments {"amount":100}?`,
    )
  },
)

promise(['AR-10'], 'what policy denies, and what does not fit, asks nobody', async () => {
  const calls = [call('c1', 'nuke', 1), { id: 'c2', tool: 'pay', args: { amount: 'much' } }]
  const { session, ran, gate, model } = await play(turn(...calls), (ran) => [
    pay(ran),
    tool('nuke', ran, { requireConfirmation: true }),
  ])
  await session.send(GO)
  expect(ran).toEqual([])
  expect(await pending(gate)).toEqual([])
  const [first, second] = toldBy(model)
  expect(first?.text).toMatch(/not allowed by policy and did not run/)
  expect(second?.text).toMatch(/was not understood and did not run/)
})

promise.each(
  ['CS-SDK-3', 'CS-ADK-3'],
  'an answer in the session does not count',
  [
    ['where others must approve', 'wire', uma.subject],
    ['from somebody the application does not know', 'pay', 'mallory'],
  ] as [string, string, string][],
  async (_which, name, known) => {
    const gate = open()
    const ran: Ran[] = []
    const model = new ScriptedLlm(turn(call('c1', name, 5)))
    const tools = guardTools(gate, [pay(ran), tool('wire', ran)])
    const plugin = await confirmations({
      by: ({ userId }) => (userId === known ? uma : undefined),
      approvals: gate.approvals,
    })
    const agent = new LlmAgent({ name: 'biller', model, tools })
    const session = await sessionOf(agent, { plugins: [plugin] })
    await session.send(GO)
    await session.send(yes('c1'))
    expect(ran).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
    expect(model.read).toHaveLength(1)
  },
)

promise(
  ['CS-SDK-1', 'CS-ADK-3'],
  'without the plugin an early answer is refused, and the call can still go on later',
  async () => {
    const gate = open()
    const ran: Ran[] = []
    const model = new ScriptedLlm(turn(call('c1', 'pay', 5)))
    const agent = new LlmAgent({ name: 'biller', model, tools: guardTools(gate, [pay(ran)]) })
    const session = await sessionOf(agent)
    await session.send(GO)
    const [question] = openQuestions(await session.events())
    await expect(session.send(yes(question?.id ?? ''))).rejects.toMatchObject({
      code: 'not_approved',
    })
    expect(await settleSession(session.runner, WHO)).toMatchObject({
      status: 'waiting',
      waiting: [{ callId: 'c1', name: 'pay' }],
    })
    await decide(gate, 'approve')
    const settled = await settleSession(session.runner, WHO)
    if (settled.status !== 'ready') throw new Error('it is decided')
    await session.send(settled.newMessage as Content)
    expect(ran).toHaveLength(1)
    expect(await settleSession(session.runner, WHO)).toEqual({ status: 'idle' })
  },
)

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
  expect((await pending(gate)).map(({ call: one }) => one.run)).toEqual([
    'app/uma/other-1',
    'app/uma/other-2',
  ])
})

/** A real server over HTTP, and what it really ran. */
async function bank(): Promise<{ readonly toolset: MCPToolset; readonly saw: string[] }> {
  const saw: string[] = []
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
  const http = createServer(async (request, response) => {
    // It keeps no sessions, so there is a new one for each request and nothing to listen to.
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const server = new McpServer({ name: 'bank', version: '1.2.3' })
    server.registerTool(
      'pay',
      { description: 'Pays.', inputSchema: { to: z.string(), amount: z.number() } },
      ({ to, amount }) => {
        saw.push(`pay ${amount} ${to}`)
        return text('paid')
      },
    )
    server.registerTool(
      'look',
      { description: 'Looks.', inputSchema: { what: z.string() } },
      ({ what }) => {
        saw.push(`look ${what}`)
        return text('seen')
      },
    )
    server.registerTool('swap', { description: 'Changes things.' }, () => {
      saw.push('swap')
      return text('swapped')
    })
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport as never)
    await transport.handleRequest(request, response)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/mcp`
  return { toolset: new MCPToolset({ type: 'StreamableHTTPConnectionParams', url }), saw }
}

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
