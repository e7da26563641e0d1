/**
 * A Mastra agent behind a gate: the run is suspended, decided about, resumed and goes on. Offline
 * with a scripted model; with OPENAI_API_KEY against the model in MODEL.
 */
import assert from 'node:assert/strict'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { MockLanguageModelV4 } from 'ai/test'
import { createGate, parsePolicy } from 'countersign'
import { guardTools, resumeRun } from 'countersign/mastra'
import { memoryStore } from 'countersign/memory'
import { z } from 'zod'

// This program runs offline.
process.env.MASTRA_TELEMETRY_DISABLED ??= 'true'

const gate = createGate({
  policy: parsePolicy({
    owner: { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' },
  }),
  store: memoryStore(),
  agent: 'biller',
})

const paid: object[] = []
const pay = createTool({
  id: 'pay',
  description: 'Pays somebody.',
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  execute: async (payment) => {
    paid.push(payment)
    return { receipt: 'P-1' }
  },
})

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const input = JSON.stringify({ to: 'Lena', amount: 40 })
const scripted = new MockLanguageModelV4({
  doGenerate: [
    {
      content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'pay', input }],
      finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
      usage,
      warnings: [],
    },
    {
      content: [{ type: 'text', text: 'Lena has her money.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
    },
  ],
}) as unknown as MastraModelConfig

const isReal = process.env.OPENAI_API_KEY !== undefined
const agent = new Agent({
  id: 'biller',
  name: 'Biller',
  instructions: 'You pay people with the pay tool.',
  model: isReal ? `openai/${process.env.MODEL ?? 'gpt-5-mini'}` : scripted,
  tools: guardTools(gate, { pay }),
})
// Suspended runs are kept here: use a database of your own in earnest.
new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false })

const first = await agent.generate('Pay 40 to Lena, with the pay tool.')
assert.equal(first.finishReason, 'suspended')
assert.ok(first.runId)
console.log('The run is suspended:', first.suspendPayload.suspendPayload.message)

// What the inbox does when somebody presses the button.
const [asked] = (await gate.approvals.list({ status: ['pending'] })).approvals
assert.ok(asked)
await gate.approvals.decide(asked.id, {
  by: {
    issuer: 'example',
    subject: 'ana',
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
  },
  verdict: 'approve',
  seen: asked.digest,
})

const { result, waiting } = await resumeRun(agent, first.runId)
assert.equal(waiting.length, 0)
assert.equal(paid.length, 1)
console.log(`Ana said yes; paid once. The model says: ${result?.text}`)
