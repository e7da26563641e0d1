import { generateText, isStepCount, jsonSchema, type ToolSet, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import type { Gate } from '../../src/gate/gate.ts'

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const INPUT = '{"amount":50,"currency":"USD","recipient_type":"internal","to":"acme"}'

async function turn(tools: ToolSet, id: number): Promise<void> {
  let turns = 0
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      turns += 1
      const unified = turns === 1 ? 'tool-calls' : 'stop'
      const toolCallId = `call-${id}`
      return {
        content:
          turns === 1
            ? [{ type: 'tool-call', toolCallId, toolName: 'refund', input: INPUT }]
            : [{ type: 'text', text: 'ok' }],
        finishReason: { unified, raw: unified },
        usage: USAGE,
        warnings: [],
      }
    },
  })
  await generateText({ model, tools, prompt: 'go', stopWhen: isStepCount(2) })
}

/** One turn of the SDK with one call that needs nobody, with and without the gate. */
export function aiSdkTurns(gate: Gate): Readonly<Record<string, () => Promise<unknown>>> {
  const plain: ToolSet = {
    refund: tool({
      inputSchema: jsonSchema<{ amount: number }>({ type: 'object' }),
      execute: async ({ amount }) => ({ paid: amount }),
    }),
  }
  const guarded = guardTools(gate, plain, { run: 'chat-1' })
  let id = 0
  return {
    'generateText, its own tool (limit)': () => turn(plain, id++),
    'generateText, guarded tool': () => turn(guarded, id++),
    // The same twice: what differs between these two is noise.
    'generateText, its own tool again': () => turn(plain, id++),
  }
}
