/**
 * The Vercel AI SDK behind a gate: the model calls a tool, the run pauses, a person says yes, the
 * run goes on. Offline with a scripted model; with AI_GATEWAY_API_KEY against the model in MODEL.
 */
import assert from 'node:assert/strict'
import {
  createGateway,
  generateText,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  tool,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createGate, parsePolicy } from 'countersign'
import { guardTools, resumeTurn } from 'countersign/ai-sdk'
import { memoryStore } from 'countersign/memory'
import { z } from 'zod'

const text = `
version: 1
tools:
  pay: { approval: { message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?" } }
`
const gate = createGate({
  policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
  store: memoryStore(),
  agent: 'biller',
})

const paid: object[] = []
const tools = guardTools(
  gate,
  {
    pay: tool({
      description: 'Pays somebody.',
      inputSchema: z.object({ to: z.string(), amount: z.number() }),
      execute: async (payment) => {
        paid.push(payment)
        return 'paid'
      },
    }),
  },
  { run: 'chat-1' },
)

const isReal = process.env.AI_GATEWAY_API_KEY !== undefined
const model = isReal ? real(process.env.MODEL ?? 'openai/gpt-5-mini') : scripted()

const messages: ModelMessage[] = [{ role: 'user', content: 'Pay 40 to Lena, with the pay tool.' }]
const first = await generateText({ model, messages, tools })
messages.push(...first.responseMessages)
assert.equal(paid.length, 0)
console.log('The model wants to pay, and waits:', (await resumeTurn(tools, messages)).status)

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

const turn = await resumeTurn(tools, messages)
assert.equal(turn.status, 'ready')
const { text: said } = await generateText({
  model,
  messages: turn.messages,
  tools,
  stopWhen: isStepCount(3),
})
assert.equal(paid.length, 1)
console.log(`Ana said yes; paid once. The model says: ${said}`)

function real(name: string): LanguageModel {
  const baseURL = process.env.AI_GATEWAY_BASE_URL
  return createGateway(baseURL ? { baseURL } : {})(name)
}

function scripted(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const input = JSON.stringify({ to: 'Lena', amount: 40 })
  let turns = 0
  return new MockLanguageModelV4({
    doGenerate: async () => {
      turns += 1
      const unified = turns === 1 ? 'tool-calls' : 'stop'
      return {
        content:
          turns === 1
            ? [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'pay', input }]
            : [{ type: 'text', text: 'Lena has her money.' }],
        finishReason: { unified, raw: unified },
        usage,
        warnings: [],
      }
    },
  })
}
