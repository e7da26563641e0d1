import { tool as langchainTool } from '@langchain/core/tools'
import { createTool } from '@mastra/core/tools'
import { tool as aiTool } from 'ai'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { guardTools as guardAiTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { guardTools as guardLangchainTools } from '../../src/adapters/langchain/guard-tools.ts'
import { guardTools as guardMastraTools } from '../../src/adapters/mastra/guard-tools.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

/* Tools of one server, put together with those of another, whose rules are milder. */

const POLICY = policyOf(`
  tools: { pay: { approval: true } }
  mcp_servers:
    - { alias: bank, command: bank, approval: true }
    - { alias: notes, command: notes, approval: false }
`)

function open(): Gate {
  const store = memoryStore()
  onTestFinished(() => store.close())
  return createGate({ policy: POLICY, store, agent: 'biller' })
}

interface Asking {
  readonly run: string
  readonly server?: string
}

const words = { description: 'pays', inputSchema: z.object({ amount: z.number() }) }
const execute = async () => 'paid'

type Guard = (gate: Gate, first: Asking) => (again: Asking) => unknown

const ADAPTERS: [string, Guard][] = [
  [
    'AI SDK',
    (gate, first) => {
      const guarded = guardAiTools(gate, { pay: aiTool({ ...words, execute }) }, first)
      return (again) => guardAiTools(gate, guarded, again)
    },
  ],
  [
    'Mastra',
    (gate, first) => {
      const pay = createTool({ id: 'pay', ...words, execute })
      const guarded = guardMastraTools(gate, { pay }, first)
      return (again) => guardMastraTools(gate, guarded, again)
    },
  ],
  [
    'LangChain',
    (gate, first) => {
      const { inputSchema: schema, description } = words
      const pay = langchainTool(execute, { name: 'pay', description, schema })
      const guarded = guardLangchainTools(gate, [pay], first)
      return (again) => guardLangchainTools(gate, guarded, again)
    },
  ],
]

promise.each(
  ['CS-SDK-14'],
  'a guarded tool is not taken for one of another server',
  ADAPTERS,
  (_, guard) => {
    for (const server of ['bank', undefined]) {
      const again = guard(open(), { run: 'a', ...(server === undefined ? {} : { server }) })
      expect(() => again({ run: 'a', server: 'notes' })).toThrow(/pay is guarded as a tool of/)
      // With nothing said, or the same, it stays what it is.
      again({ run: 'b' })
      if (server !== undefined) again({ run: 'b', server })
    }
  },
)
