import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { expect, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { kim, uma } from '../../src/testing/adapter-play.ts'
import { type Graph, scriptedModel } from './langchain-harness.ts'

export const POLICY = `version: 1
tools:
  pay: { approval: { edit: true, condition: { args_match: { amount: { gt: 10 } } } } }
  wipe: { approval: true }
mcp_servers:
  - { alias: files, command: files, allowed_tools: [{ name: delete_file, approval: true }] }
local_agents:
  - { alias: helper, approval: { edit: true } }
`

export const CONFIG = { configurable: { thread_id: 'thread-1' } }

export function open() {
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

export type Gate = ReturnType<typeof open>['gate']

export async function pending(gate: Gate) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return [...approvals].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Decides what waits: the call with this key, or the only one. */
export async function decide(
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

export function payTool(
  ran: number[],
  work: (amount: number) => unknown = (amount) => `paid ${amount}`,
) {
  return tool(
    ({ amount }: { amount: number }) => {
      ran.push(amount)
      return work(amount)
    },
    { name: 'pay', description: 'pays', schema: z.object({ amount: z.number() }) },
  )
}

export const pay = (id: string, amount: number) => ({ id, tool: 'pay', args: { amount } })

export function script(
  ...calls: { id: string; tool: string; args: { [key: string]: never } | object }[]
) {
  return scriptedModel([{ calls: calls as never }, { says: 'done' }])
}

export const GO = { messages: [new HumanMessage('go')] }

export async function invoke(graph: Graph, input: unknown, config: object = CONFIG) {
  return (await graph.invoke(input as never, config as never)) as {
    readonly messages: readonly BaseMessage[]
    readonly __interrupt__?: readonly { readonly id: string; readonly value: unknown }[]
  }
}

export async function resume(graph: Graph) {
  const { command, config } = await settleThread(graph, CONFIG)
  return invoke(graph, command, config)
}

export function told(
  { messages }: { readonly messages: readonly BaseMessage[] },
  id: string,
): string {
  const found = messages.filter(
    (message) => ToolMessage.isInstance(message) && message.tool_call_id === id,
  )
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}
