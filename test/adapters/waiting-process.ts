/** One process of an agent: starts a turn and waits to be killed, or goes on with one. */

import { readFileSync, writeFileSync } from 'node:fs'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { type AdapterHarness, CASE_POLICY } from '../../src/testing/adapter-harness.ts'
import { call, turn } from '../../src/testing/adapter-play.ts'

const [what, name, database = '', stateFile = ''] = process.argv.slice(2)
// The other SDKs need not be loaded for it.
const LOADED: Readonly<Record<string, () => Promise<AdapterHarness>>> = {
  Vercel: async () => (await import('./ai-sdk-harness.ts')).aiSdkHarness,
  WorkflowAgent: async () => (await import('./workflow-agent-harness.ts')).workflowAgentHarness,
  OpenAI: async () => (await import('./openai-agents-harness.ts')).openaiAgentsHarness,
  LangChain: async () => (await import('./langchain-harness.ts')).langchainHarness,
  Google: async () => (await import('./google-adk-harness.ts')).googleAdkHarness,
  Mastra: async () => (await import('./mastra-harness.ts')).mastraHarness,
  Genkit: async () => (await import('./genkit-harness.ts')).genkitHarness,
  Strands: async () => (await import('./strands-harness.ts')).strandsHarness,
  LangGraph: async () => (await import('./langchain-harness.ts')).toolNodeHarness,
}
const harness = await LOADED[name?.split(' ')[0] ?? '']?.()
if (!harness || harness.name !== name) throw new Error(`there is no adapter for ${name}`)
const store = await openSqlite(database)
const gate = createGate({
  policy: parsePolicy({ owner: { file: 'countersign.yaml', text: CASE_POLICY } }),
  store,
  agent: 'biller',
})
const ran: unknown[] = []
const agent = harness.agent({
  gate,
  run: 'chat-1',
  mode: 'suspend',
  turns: turn(call('c1', 'pay', 5)),
  tools: {
    pay: {
      description: 'pays',
      schema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
      run(args) {
        ran.push(args)
        return { paid: args.amount ?? null }
      },
    },
  },
  ...(what === 'resume' ? { state: readFileSync(stateFile, 'utf8') } : {}),
})
if (what === 'start') {
  await agent.start()
  writeFileSync(stateFile, agent.state())
  process.stdout.write('waiting\n')
  setInterval(() => {}, 1_000)
} else {
  const { told } = await agent.resume()
  process.stdout.write(`${JSON.stringify({ ran, told })}\n`)
  await gate[internals].idle()
  await store.close()
}
