/**
 * A LangChain agent behind a gate: the thread is interrupted, decided about, woken up and goes on.
 * Offline with a scripted model; with OPENAI_API_KEY against the model in MODEL.
 */
import assert from 'node:assert/strict'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createGate, parsePolicy } from 'countersign'
import { guardMiddleware, settleThread } from 'countersign/langchain'
import { memoryStore } from 'countersign/memory'
import { AIMessage, createAgent, fakeModel, tool } from 'langchain'
import { z } from 'zod'

const gate = createGate({
  policy: parsePolicy({
    owner: { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' },
  }),
  store: memoryStore(),
  agent: 'biller',
})

const paid: object[] = []
const pay = tool(
  async (payment) => {
    paid.push(payment)
    return 'paid'
  },
  {
    name: 'pay',
    description: 'Pays somebody.',
    schema: z.object({ to: z.string(), amount: z.number() }),
  },
)

const scripted = fakeModel()
  .respondWithTools([{ name: 'pay', args: { to: 'Lena', amount: 40 }, id: 'call-1' }])
  .respond(new AIMessage('Lena has her money.'))

const isReal = process.env.OPENAI_API_KEY !== undefined
const agent = createAgent({
  model: isReal ? new ChatOpenAI({ model: process.env.MODEL ?? 'gpt-5-mini' }) : scripted,
  tools: [pay],
  middleware: [guardMiddleware(gate)],
  checkpointer: new MemorySaver(),
})

const thread = { configurable: { thread_id: 'thread-1' } }
const first = await agent.invoke({ messages: 'Pay 40 to Lena, with the pay tool.' }, thread)
assert.ok('__interrupt__' in first)
assert.equal(paid.length, 0)

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

const { command, config, waiting } = await settleThread(agent, thread)
console.log('The thread waits for', waiting.map(({ name }) => name).join(', '))
const { messages } = await agent.invoke(command, config)
assert.equal(paid.length, 1)
console.log(`Ana said yes; paid once. The model says: ${messages.at(-1)?.text}`)
