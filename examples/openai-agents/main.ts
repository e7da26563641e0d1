/**
 * The OpenAI Agents SDK behind a gate: the run is interrupted, saved, decided about, loaded and
 * goes on. Offline with a scripted model; with OPENAI_API_KEY against the model in MODEL.
 */
import assert from 'node:assert/strict'
import { Agent, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { createGate, parsePolicy } from 'countersign'
import { memoryStore } from 'countersign/memory'
import { guardTools, loadRun, saveRun, settleRun } from 'countersign/openai-agents'
import { z } from 'zod'

const gate = createGate({
  policy: parsePolicy({
    owner: { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' },
  }),
  store: memoryStore(),
  agent: 'biller',
})

const paid: object[] = []
const pay = tool({
  name: 'pay',
  description: 'Pays somebody.',
  parameters: z.object({ to: z.string(), amount: z.number() }),
  execute: async (payment) => {
    paid.push(payment)
    return 'paid'
  },
})

const payment = functionCall('pay', { to: 'Lena', amount: 40 }, { callId: 'call-1' })
const scripted = new ScriptedModel([[payment], [assistantMessage('Lena has her money.')]])
const isReal = process.env.OPENAI_API_KEY !== undefined
const agent = new Agent({
  name: 'Biller',
  instructions: 'You pay people with the pay tool.',
  model: isReal ? (process.env.MODEL ?? 'gpt-5-mini') : scripted,
  tools: guardTools(gate, [pay], { run: 'thread-1' }),
})

const runner = new Runner({ tracingDisabled: true })
const first = await runner.run(agent, 'Pay 40 to Lena.')
assert.equal(first.interruptions.length, 1)
const saved = saveRun(first.state, '1.0.0')
console.log('The run waits, as', saved.length, 'characters.')

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

const state = await loadRun(agent, saved, '1.0.0')
await settleRun(state)
const { finalOutput } = await runner.run(agent, state)
assert.equal(paid.length, 1)
console.log(`Ana said yes; paid once. The model says: ${finalOutput}`)
