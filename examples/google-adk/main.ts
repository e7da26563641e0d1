/**
 * Google's ADK behind a gate: the invocation pauses, somebody is asked in the conversation, answers
 * there, and the call goes on. Offline with a scripted model; with GEMINI_API_KEY against the model
 * in MODEL.
 */
import assert from 'node:assert/strict'
import {
  BaseLlm,
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  type LlmResponse,
  LogLevel,
  Runner,
  setLogLevel,
} from '@google/adk'
import { createGate, definePolicy } from 'countersign'
import { answerContent, confirmations, guardTools } from 'countersign/google-adk'
import { memoryStore } from 'countersign/memory'
import { z } from 'zod'

setLogLevel(LogLevel.ERROR)
const ana = { issuer: 'example', subject: 'ana' }
const gate = createGate({
  policy: definePolicy({}),
  store: memoryStore(),
  agent: 'biller',
  principal: ana,
})

const paid: object[] = []
const transfer = new FunctionTool({
  name: 'transfer_money',
  description: 'Transfers money between accounts.',
  parameters: z.object({ amount: z.number() }),
  requireConfirmation: true,
  execute: async (payment) => {
    paid.push(payment)
    return { ok: true, receipt: 'T-1' }
  },
})

class Scripted extends BaseLlm {
  #turn = 0

  constructor() {
    super({ model: 'scripted' })
  }

  override async *generateContentAsync(): AsyncGenerator<LlmResponse, void> {
    const call = { id: 'call-1', name: 'transfer_money', args: { amount: 100 } }
    const parts = this.#turn === 0 ? [{ functionCall: call }] : [{ text: 'The money is there.' }]
    this.#turn += 1
    yield { content: { role: 'model', parts } }
  }

  override connect(): never {
    throw new Error('it only answers in text')
  }
}

const isReal = process.env.GEMINI_API_KEY !== undefined
const sessionService = new InMemorySessionService()
const runner = new Runner({
  appName: 'bank',
  agent: new LlmAgent({
    name: 'biller',
    model: isReal ? (process.env.MODEL ?? 'gemini-2.5-flash') : new Scripted(),
    instruction: 'You transfer money with the transfer_money tool.',
    tools: guardTools(gate, [transfer], { hints: { transfer_money: 'Approve this transfer?' } }),
  }),
  sessionService,
  plugins: [
    await confirmations({
      // Your application has authenticated its users; it says who this one is.
      by: ({ userId }) => ({ issuer: 'example', subject: userId, groups: [], roles: [] }),
      approvals: gate.approvals,
    }),
  ],
})

const who = { userId: 'ana', sessionId: 'chat-1' }
await sessionService.createSession({ appName: 'bank', ...who })
const waiting: string[] = []
const newMessage = { role: 'user', parts: [{ text: 'Send 100.' }] }
for await (const event of runner.runAsync({ ...who, newMessage })) {
  const requested = Object.entries(event.actions.requestedToolConfirmations)
  for (const [callId, { hint }] of requested) {
    console.log(`${callId} waits: ${hint}`)
    waiting.push(callId)
  }
}
assert.equal(waiting.length, 1)
assert.equal(paid.length, 0)

// Ana presses the button: the same id, and her answer.
const answer = answerContent(waiting.map((callId) => [callId, { confirmed: true }]))
for await (const event of runner.runAsync({ ...who, newMessage: answer })) {
  const text = event.content?.parts?.[0]?.text
  if (text) console.log(`Ana said yes; paid once. The model says: ${text}`)
}
assert.equal(paid.length, 1)
