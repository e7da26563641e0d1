import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Event, FunctionTool, LlmAgent, type LlmRequest, MCPToolset } from '@google/adk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { expect, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { answerContent } from '../../src/adapters/google-adk/confirmation.ts'
import { guardTools } from '../../src/adapters/google-adk/guard-tools.ts'
import { confirmations } from '../../src/adapters/google-adk/plugin.ts'
import { openQuestions } from '../../src/adapters/google-adk/settle-session.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { kim, uma } from '../../src/testing/adapter-play.ts'
import { ScriptedLlm, sessionOf } from './google-adk-harness.ts'

export type Content = LlmRequest['contents'][number]

export const POLICY = `version: 1
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

export function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const principal = { issuer: uma.issuer, subject: uma.subject }
  return createGate({ policy, store, agent: 'biller', principal })
}

export type Gate = ReturnType<typeof open>

export interface Ran {
  readonly amount: number
  readonly confirmation: unknown
}

export const AMOUNT = z.object({ amount: z.number() })

export function tool(name: string, ran: Ran[], more: object = {}): FunctionTool {
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

export const pay = (ran: Ran[], more: object = {}) =>
  tool('pay', ran, { requireConfirmation: true, ...more })

export interface Played {
  readonly gate: Gate
  readonly ran: Ran[]
  readonly model: ScriptedLlm
  readonly warned: string[]
  readonly session: Awaited<ReturnType<typeof sessionOf>>
}

/** An agent whose user is authenticated, behind the plugin. */
export async function play(
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

export async function pending(gate: Gate) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return [...approvals].sort((a, b) => (a.id < b.id ? -1 : 1))
}

export async function decide(
  gate: Gate,
  verdict: 'approve' | 'deny',
  reason?: string,
): Promise<void> {
  const one = await vi.waitFor(async () => {
    const [first] = await pending(gate)
    if (!first) throw new Error('nobody was asked')
    return first
  })
  const { id, digest } = one
  await gate.approvals.decide(id, { by: kim, verdict, seen: digest, ...(reason ? { reason } : {}) })
}

/** The only event that asks. */
export function asking(events: readonly Event[]): Event {
  const asked = events.filter((event) => openQuestions([event]).length > 0)
  expect(asked).toHaveLength(1)
  return asked[0] as Event
}

export const yes = (...ids: string[]) =>
  answerContent(ids.map((id) => [id, { confirmed: true }])) as Content

/** A real server over HTTP, and what it really ran. */
export async function bank(): Promise<{ readonly toolset: MCPToolset; readonly saw: string[] }> {
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
