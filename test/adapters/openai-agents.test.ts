import { Agent, handoff, type MCPServer, RunContext, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { guardHandoff } from '../../src/adapters/openai-agents/guard-handoff.ts'
import { guardTools } from '../../src/adapters/openai-agents/guard-tools.ts'
import { guardMcpServers } from '../../src/adapters/openai-agents/mcp-tools.ts'
import { loadRun, saveRun, settleRun } from '../../src/adapters/openai-agents/resume-run.ts'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { kim } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { toldBy } from './openai-agents-harness.ts'

const POLICY = `version: 1
tools: { pay: { approval: true }, risky: { risk: L4 } }
mcp_servers:
  - { alias: files, command: files, allowed_tools: [{ name: delete_file, approval: true }, { name: read_file, approval: false }] }
local_agents:
  - { alias: helper, approval: true }
`

const runner = new Runner({ tracingDisabled: true })
const call = (id: string, name: string, args: Record<string, unknown>) =>
  functionCall(name, args, { callId: id })

function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  return createGate({ policy, store, agent: 'biller' })
}

type Gate = ReturnType<typeof open>

async function pending(gate: Gate) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return approvals
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

const AMOUNT = z.object({ amount: z.number() })

function payTool(ran: number[], more: object = {}) {
  return tool({
    name: 'pay',
    description: 'pays',
    parameters: AMOUNT,
    execute: ({ amount }) => {
      ran.push(amount)
      return `paid ${amount}`
    },
    ...more,
  })
}

promise(['CF-31'], 'needsApproval of a tool gets the arguments second, and asks', async () => {
  const gate = open()
  const ran: number[] = []
  const needsApproval = vi.fn(async (_context: unknown, { amount }: { amount: number }) => {
    return amount > 100
  })
  const note = { ...payTool(ran, { needsApproval }), name: 'note' }
  const risky = { ...payTool(ran), name: 'risky' }
  const model = new ScriptedModel([
    [
      call('c1', 'note', { amount: 1 }),
      call('c2', 'note', { amount: 101 }),
      call('c3', 'risky', { amount: 5 }),
    ],
  ])
  const agent = new Agent({
    name: 'a',
    model,
    tools: guardTools(gate, [note, risky], { run: 'r' }),
  })
  const result = await runner.run(agent, 'go')
  // A tool that says nothing about approval leaves it to the file, which asks about its risk.
  const waiting = result.interruptions.map(({ rawItem }) => (rawItem as { callId: string }).callId)
  expect(waiting).toEqual(['c2', 'c3'])
  expect(ran).toEqual([1])
  expect(needsApproval).toHaveBeenCalledWith(expect.any(RunContext), { amount: 101 }, 'c2')
})

test('a run goes on for the version of the application that saved it, and for no other', async () => {
  const gate = open()
  const ran: number[] = []
  const model = new ScriptedModel([[call('c1', 'pay', { amount: 1 })], [assistantMessage('ok')]])
  const agent = new Agent({
    name: 'a',
    model,
    tools: guardTools(gate, [payTool(ran)], { run: 'r' }),
  })
  const { state } = await runner.run(agent, 'go')
  const saved = saveRun(state, 'v1')
  await expect(loadRun(agent, saved, 'v2')).rejects.toThrow(/saved by version v1/)
  await expect(loadRun(agent, '{}', 'v1')).rejects.toThrow(/no run that saveRun/)
  await expect(loadRun(agent, 'null', 'v1')).rejects.toThrow(/no run that saveRun/)
  const loaded = await loadRun(agent, saved, 'v1')
  expect(await settleRun(loaded)).toMatchObject({ waiting: [{ callId: 'c1', name: 'pay' }] })
  await decide(gate, 'approve')
  expect(await settleRun(loaded)).toEqual({ waiting: [] })
  await runner.run(agent, loaded)
  expect(ran).toEqual([1])
})

function nested(gate: Gate, ran: number[]) {
  const inner = new ScriptedModel([
    [call('s1', 'pay', { amount: 7 })],
    [assistantMessage('paid it')],
  ])
  const model = new ScriptedModel([
    [call('p1', 'helper', { input: 'go' })],
    [assistantMessage('ok')],
  ])
  const asking = { run: 'r' }
  const sub = new Agent({
    name: 'sub',
    model: inner,
    tools: guardTools(gate, [payTool(ran)], asking),
  })
  const helper = sub.asTool({ toolName: 'helper', toolDescription: 'helps' })
  const top = new Agent({ name: 'top', model, tools: guardTools(gate, [helper], asking) })
  return { top, model }
}

promise(
  ['AF-47', 'AF-48'],
  'an agent as a tool is asked about, and then what it calls',
  async () => {
    const gate = open()
    const ran: number[] = []
    const { top, model } = nested(gate, ran)
    let result = await runner.run(top, 'go')
    expect((await pending(gate)).map(({ call: asked }) => [asked.kind, asked.tool])).toEqual([
      ['agent', 'helper'],
    ])
    await decide(gate, 'approve')
    await settleRun(result.state)
    result = await runner.run(top, result.state)
    expect((await pending(gate)).map(({ call: asked }) => [asked.kind, asked.tool])).toEqual([
      ['tool', 'pay'],
    ])
    expect(ran).toEqual([])
    await decide(gate, 'approve')
    await settleRun(result.state)
    result = await runner.run(top, result.state)
    expect(ran).toEqual([7])
    expect(toldBy(model)).toEqual([{ id: 'p1', text: 'paid it' }])
  },
)

promise(['AF-47'], 'a delegation that is denied hands nothing over', async () => {
  const gate = open()
  const ran: number[] = []
  const { top, model } = nested(gate, ran)
  const { state } = await runner.run(top, 'go')
  await decide(gate, 'deny', 'Do it yourself')
  await settleRun(state)
  await runner.run(top, state)
  expect(ran).toEqual([])
  expect(toldBy(model)[0]?.text).toMatch(/helper was denied by a person.*Do it yourself/)
})

test.each(['approve', 'deny'] as const)('a handoff is asked about: %s', async (verdict) => {
  const gate = open()
  const other = new ScriptedModel([[assistantMessage('I am the helper')]])
  const helper = new Agent({ name: 'helper', model: other })
  const own = new ScriptedModel([
    [call('t1', 'transfer_to_helper', {})],
    [assistantMessage('I stay here')],
  ])
  const guarded = guardHandoff(gate, handoff(helper), { run: 'r', from: () => triage })
  const triage: Agent = new Agent({
    name: 'triage',
    instructions: 'Be kind.',
    model: own,
    handoffs: [guarded],
  })
  const running = runner.run(triage, 'go')
  await decide(gate, verdict, 'Not him')
  const { finalOutput } = await running
  expect(finalOutput).toBe(verdict === 'approve' ? 'I am the helper' : 'I stay here')
  expect(other.calls).toHaveLength(verdict === 'approve' ? 1 : 0)
  if (verdict === 'deny') {
    expect(own.calls.at(-1)?.request.systemInstructions).toMatch(
      /^Be kind\.\n\nThe call to helper was denied by a person and did not run\. Reason: Not him\./,
    )
  }
})

test('tools of an MCP server are asked about under its alias', async () => {
  const gate = open()
  const calls: unknown[] = []
  const schema = {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  }
  const server = {
    name: 'whatever',
    cacheToolsList: false,
    connect: async () => {},
    close: async () => {},
    invalidateToolsCache: async () => {},
    listTools: async () =>
      ['delete_file', 'read_file', 'format_disk'].map((name) => ({ name, inputSchema: schema })),
    callTool: async (name: string, args: unknown) => {
      calls.push([name, args])
      return [{ type: 'text', text: `did ${name}` }]
    },
  } as unknown as MCPServer
  const tools = await guardMcpServers(gate, { files: server }, { run: 'r' })
  const model = new ScriptedModel([
    [
      call('c1', 'delete_file', { path: '/x' }),
      call('c2', 'read_file', { path: '/y' }),
      call('c3', 'format_disk', { path: '/' }),
    ],
    [assistantMessage('ok')],
  ])
  const agent = new Agent({ name: 'a', model, tools })
  const { state } = await runner.run(agent, 'go')
  expect(calls).toEqual([['read_file', { path: '/y' }]])
  expect((await pending(gate)).map(({ call: asked }) => asked.server)).toEqual(['files'])
  await decide(gate, 'approve')
  await settleRun(state)
  await runner.run(agent, state)
  expect(calls).toEqual([
    ['read_file', { path: '/y' }],
    ['delete_file', { path: '/x' }],
  ])
  const told = new Map(toldBy(model).map(({ id, text }) => [id, text]))
  expect(told.get('c3')).toMatch(/not allowed by policy and did not run/)
})

test('arguments that are not JSON, or say a thing twice, are told and not run', async () => {
  const gate = open()
  const ran: number[] = []
  const [guarded] = guardTools(gate, [payTool(ran)], { run: 'r' })
  const invoke = (input: string) =>
    guarded?.invoke({} as never, input, { toolCall: { callId: 'c1' } } as never)
  expect(await invoke('{"amount":1,"amount":2}')).toMatch(/was not understood and did not run/)
  expect(await invoke('{oops')).toMatch(/was not understood and did not run/)
  expect(await invoke('[1]')).toMatch(/was not understood and did not run/)
  expect(ran).toEqual([])
})
