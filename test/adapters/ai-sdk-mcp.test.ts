import { createMCPClient } from '@ai-sdk/mcp'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { generateText, isStepCount, type ModelMessage, type Tool, type ToolSet } from 'ai'
import { expect, onTestFinished } from 'vitest'
import {
  carryProofs,
  guardMcpTools,
  type McpClientLike,
  type McpTransportLike,
} from '../../src/adapters/ai-sdk/guard-mcp-tools.ts'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { kim } from '../../src/testing/adapter-play.ts'
import { echoUpstream } from '../mcp/echo-upstream.ts'
import { gatedBank, policyAt } from '../mcp/gated-bank.ts'
import { promise } from '../support/promise.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { GO, tools } from './ai-sdk-play.ts'

/** A real server, a real client of the AI SDK, and a policy that speaks of the server alone. */
async function upstream(rules: string) {
  const echo = await echoUpstream()
  const client = await createMCPClient({ transport: { type: 'http', url: echo.url } })
  onTestFinished(() => client.close())
  const store = memoryStore()
  onTestFinished(() => store.close())
  const text = `version: 1\ndefaults: { undeclared: allow }\nmcp_servers:\n  - { alias: echo, url: "${echo.url}", ${rules} }\n`
  const gate = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
    store,
    agent: 'biller',
  })
  return { ...echo, gate, tools: (await client.tools()) as ToolSet }
}

async function generate(tools: ToolSet, messages: ModelMessage[], says?: string) {
  const calls = [{ id: 'c1', tool: 'echo', args: { say: says ?? 'hi' } }]
  const model = scriptedModel(says === undefined ? [{ says: 'done' }] : [{ calls }, { says: 'ok' }])
  const result = await generateText({ model, tools, messages, stopWhen: isStepCount(3) })
  return { messages: [...messages, ...result.responseMessages], told: toldBy(model) }
}

async function pending(gate: Gate) {
  return (await gate.approvals.list({ status: ['pending'] })).approvals
}

promise(
  ['CS-AISDK-4'],
  'tools of an MCP server are judged by the rules of that server, and run once approved',
  async () => {
    const { gate, tools, calls } = await upstream('approval: true')
    const guarded = guardTools(gate, tools, { run: 'chat-1', server: 'echo' })
    const { messages } = await generate(guarded, GO, 'hi')
    expect(calls).toEqual([])
    const [asked, ...more] = await pending(gate)
    expect(more).toEqual([])
    expect(asked?.call).toMatchObject({ server: 'echo', tool: 'echo' })
    expect(await resumeTurn(guarded, messages)).toMatchObject({ status: 'waiting' })
    await gate.approvals.decide(asked?.id ?? '', {
      by: kim,
      verdict: 'approve',
      seen: asked?.digest ?? '',
    })
    const ready = await resumeTurn(guarded, messages)
    if (ready.status !== 'ready') throw new Error('still waiting')
    const { told } = await generate(guarded, ready.messages)
    expect(calls.map(({ args }) => args)).toEqual([{ say: 'hi' }])
    expect(told[0]?.text).toContain('hi')
  },
)

promise(
  ['CS-AISDK-4'],
  'a rule for one tool of the server counts, and so does what the tool’s own code says',
  async () => {
    const free = await upstream('approval: false')
    await generate(guardTools(free.gate, free.tools, { run: 'a', server: 'echo' }), GO, 'hi')
    expect(free.calls).toHaveLength(1)
    const strict = { echo: { ...free.tools.echo, needsApproval: true } } as ToolSet
    await generate(guardTools(free.gate, strict, { run: 'b', server: 'echo' }), GO, 'ho')
    expect(free.calls).toHaveLength(1)
    expect(await pending(free.gate)).toHaveLength(1)
    const denied = await upstream('approval: false, allowed_tools: [other]')
    const guarded = guardTools(denied.gate, denied.tools, { run: 'c', server: 'echo' })
    const { told } = await generate(guarded, GO, 'hi')
    expect(denied.calls).toEqual([])
    expect(told[0]?.text).toMatch(/did not run/)
  },
)

promise(
  ['CS-AISDK-4'],
  'a tool of a server is not taken for a tool of that name, and the other way round',
  async () => {
    const { gate, tools, calls } = await upstream('approval: true')
    gate.declare('echo', { approval: false })
    await generate(guardTools(gate, tools, { run: 'a', server: 'echo' }), GO, 'hi')
    expect(calls).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
  },
)

promise.each(
  ['CS-AISDK-3', 'CS-AISDK-4'],
  'tools of a server that are guarded again are still judged by its rules',
  [
    ['for another chat', (guarded: ToolSet) => guarded, 'chat-b'],
    ['together with others', (guarded: ToolSet) => ({ ...guarded, ...tools([]) }), 'chat-a'],
  ] as [string, (guarded: ToolSet) => ToolSet, string][],
  async (_how, merged, run) => {
    const { gate, tools: found, calls } = await upstream('approval: true')
    const first = guardTools(gate, found, { run: 'chat-a', server: 'echo' })
    await generate(guardTools(gate, merged(first), { run }), GO, 'hi')
    expect(calls).toEqual([])
    const [asked] = await pending(gate)
    expect(asked?.call).toMatchObject({ server: 'echo', tool: 'echo', run })
  },
)

promise(
  ['CS-AISDK-8', 'SP-20'],
  'a call to a server with a gate of its own is asked about once, and an imitation is asked',
  async () => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const { paid, proofs, url } = await gatedBank(store)
    const signer = await openSigner({ store, keys: memoryKeys() })
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: policyAt(url.href) } })
    const principal = { issuer: 'local', subject: 'ana@example.com' }
    const outer = createGate({ policy, store, agent: 'outer', principal, countersign: { signer } })
    const connect = async (carry: <T extends McpTransportLike>(transport: T) => T) => {
      const transport = carry(new StreamableHTTPClientTransport(url))
      const client = await createMCPClient({ transport: transport as never })
      onTestFinished(() => client.close())
      return client as unknown as McpClientLike
    }
    /** The model pays once, a person says yes, and the turn goes on. */
    const payApproved = async (client: McpClientLike, run: string) => {
      const tools = await guardMcpTools(outer, client, { run, server: 'bank' })
      const calls = [{ id: 'c1', tool: 'pay', args: { amount: 5 } }]
      const model = scriptedModel([{ calls }, { says: 'ok' }])
      const first = await generateText({ model, tools, messages: GO, stopWhen: isStepCount(3) })
      const [asked] = await pending(outer)
      const seen = { by: kim, verdict: 'approve' as const, seen: asked?.digest ?? '' }
      await outer.approvals.decide(asked?.id ?? '', seen)
      const ready = await resumeTurn(tools, [...GO, ...first.responseMessages])
      if (ready.status !== 'ready') throw new Error('still waiting')
      return (await generate(tools, ready.messages)).told[0]?.text
    }
    expect(await payApproved(await connect(carryProofs), 'chat-1')).toContain('paid 5')
    expect(paid).toEqual([5])
    expect(await pending(outer)).toEqual([])
    // Without the transport that carries it there is no proof, and the inner gate asks.
    expect(await payApproved(await connect((same) => same), 'chat-2')).toContain('has not run')
    expect(proofs).toHaveLength(1)
    // Neither a spent proof nor a tool that was called past the outer gate pays.
    const bare = (await (await connect(carryProofs)).tools()).pay?.execute
    const args = { amount: 5, _meta: { 'countersign/proof': proofs[0] } }
    const past = await bare?.(args, { toolCallId: 'c9', messages: [] } as never)
    expect(JSON.stringify(past)).not.toContain('paid 5')
    expect(paid).toEqual([5])
  },
)

promise(
  ['CS-AISDK-4', 'CS-SDK-7'],
  'a tool of a server that runs elsewhere, and a server without a name, are refused',
  async () => {
    const { gate, tools, calls } = await upstream('approval: true')
    const { execute: _, ...bare } = tools.echo as Tool & { execute: unknown }
    const asking = { run: 'a', server: 'echo' }
    expect(() => guardTools(gate, { echo: bare } as ToolSet, asking)).toThrow(/has no execute/)
    const guarded = guardTools(gate, tools, { run: 'b', server: '' })
    const { told } = await generate(guarded, GO, 'hi')
    expect(calls).toEqual([])
    expect(told[0]?.text).toMatch(/did not run/)
  },
)
