import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { expect, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { guardTools, type RunAsking } from '../../src/adapters/mastra/guard-tools.ts'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { ModelCall } from '../../src/testing/adapter-harness.ts'
import { kim, uma } from '../../src/testing/adapter-play.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { agentOf, hosted } from './mastra-harness.ts'

const POLICY = `version: 1
tools:
  pay: { approval: { edit: true, condition: { args_match: { amount: { gt: 10 } } } } }
  wipe: { approval: true }
local_agents:
  - { alias: sub, approval: { edit: true } }
  - { alias: risky, approval: { condition: { args_match: { parent.input.risk_level: { in: [high, critical] } } } } }
mcp_servers:
  - { alias: files, command: files, allowed_tools: [{ name: delete_file, approval: true }] }
`

export function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const principal = { issuer: uma.issuer, subject: uma.subject }
  const options = { policy, store, agent: 'biller', principal }
  return { gate: createGate(options), again: () => createGate(options) }
}

export type Gate = ReturnType<typeof open>['gate']

export async function pending(gate: Gate) {
  return (await gate.approvals.list({ status: ['pending'] })).approvals
}

/** Decides what waits: the call with this key, or the only one. */
export async function decide(
  gate: Gate,
  verdict: 'approve' | 'deny',
  { key, ...more }: { key?: string; args?: { amount: number | string }; reason?: string } = {},
): Promise<void> {
  const { id, digest } = await vi.waitFor(
    async () => {
      const found = (await pending(gate)).find(({ call }) => key === undefined || call.key === key)
      if (!found) throw new Error('nobody was asked')
      return found
    },
    { timeout: 15_000 },
  )
  await gate.approvals.decide(id, { by: kim, verdict, seen: digest, ...more })
}

export function payTool(ran: number[], more: object = {}) {
  return createTool({
    id: 'pay',
    description: 'pays',
    inputSchema: z.object({ amount: z.number() }),
    outputSchema: z.object({ paid: z.number() }),
    execute: async ({ amount }) => {
      ran.push(amount)
      return { paid: amount }
    },
    ...more,
  })
}

export const pay = (id: string, amount: number): ModelCall => ({
  id,
  tool: 'pay',
  args: { amount },
})

export function script(...calls: ModelCall[]) {
  return scriptedModel([{ calls }, { says: 'done' }])
}

export function started(
  gate: Gate,
  tools: Record<string, object>,
  asking: RunAsking,
  ...calls: ModelCall[]
) {
  const model = script(...calls)
  const storage = new InMemoryStore()
  const agent = hosted(agentOf('a', model, { tools: guardTools(gate, tools, asking) }), storage)
  return { agent, model, storage }
}

export function told(model: ReturnType<typeof script>, id: string): string {
  const found = toldBy(model).filter((one) => one.id === id)
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}
