import type { Saboteur } from './saboteur.ts'

const MASTRA = {
  tests: ['test/adapters/mastra-hostile.test.ts', 'test/adapters/mastra-results.test.ts'],
} as const
const OPENAI = {
  tests: [
    'test/adapters/openai-agents-hostile.test.ts',
    'test/adapters/openai-agents-needs-approval.test.ts',
  ],
} as const
const ADK = {
  tests: ['test/adapters/google-adk-hostile.test.ts', 'test/adapters/google-adk-hand-over.test.ts'],
} as const
const CLAUDE = { tests: ['test/adapters/claude-agent-sdk.test.ts'] } as const

/** What SDKs and tools say, believed once too often. */
export const ADAPTER_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a guarded tool is judged by the rules of whichever server is named next',
    file: 'src/adapters/asking.ts',
    before: 'if (server === undefined || server === before) return',
    after: 'if (server === undefined || server !== before) return',
    caughtBy: { tests: ['test/adapters/two-servers.test.ts'] },
  },
  {
    name: 'what wakes a ToolNode answers a question of the tool’s own',
    file: 'src/adapters/langchain/turn.ts',
    before: 'if (!isAlone) passWoken(config)',
    after: '',
    caughtBy: {
      tests: ['test/adapters/langchain.test.ts', 'test/adapters/langchain-tools.test.ts'],
    },
  },
  {
    name: 'a result may look like a pause of the adapter',
    file: 'src/adapters/stored-result.ts',
    before: 'if (!isAmbiguous(output, looksOurs)) return output',
    after: 'if (isAmbiguous !== undefined || looksOurs !== undefined) return output',
    caughtBy: ADK,
  },
  {
    name: 'a Mastra tool that suspended itself goes on without being resumed',
    file: 'src/adapters/mastra/guard-tools.ts',
    before: 'if (isResumedItself(context)) return',
    after: 'if (isResumedItself !== undefined) return',
    caughtBy: MASTRA,
  },
  {
    name: 'what wakes our question up answers that of a Mastra tool',
    file: 'src/adapters/mastra/guard-tools.ts',
    before: 'if (isWokenInVain(context)) return',
    after: 'if (isWokenInVain === undefined) return',
    caughtBy: MASTRA,
  },
  {
    name: 'a Mastra tool that is guarded again loses its server',
    file: 'src/adapters/mastra/guard-tools.ts',
    before: 'const server = asking.server ?? before',
    after: 'const server = before === undefined ? asking.server : asking.server',
    caughtBy: MASTRA,
  },
  {
    name: 'a Mastra hand-over that ran before is leave to do it again',
    file: 'src/adapters/mastra/guard-delegation.ts',
    before: 'if (outcome.replayed && !isResumed(toolCallId))',
    after: 'if (outcome.replayed && isResumed === undefined)',
    caughtBy: MASTRA,
  },
  {
    name: 'a resumed Mastra hand-over may be repeated by the model',
    file: 'src/adapters/mastra/resuming.ts',
    before: 'resumed.getStore()?.delete(callId) ?? false',
    after: 'resumed.getStore()?.has(callId) ?? false',
    caughtBy: MASTRA,
  },
  {
    name: 'an OpenAI handoff gets what the model wrote',
    file: 'src/adapters/openai-agents/guard-handoff.ts',
    before: 'return invoke(context, JSON.stringify(args))',
    after: 'return invoke(context, input)',
    caughtBy: OPENAI,
  },
  {
    name: 'an OpenAI handoff is asked about without its arguments',
    file: 'src/adapters/openai-agents/guard-handoff.ts',
    before: 'if (!read.ok) {\n      return stay(',
    after:
      'if (!read.ok) Object.assign(read, { args: {} })\n    if (run === undefined) {\n      return stay(',
    caughtBy: OPENAI,
  },
  {
    name: 'an ADK transfer is asked about before the application has changed it',
    file: 'src/adapters/google-adk/guard-transfers.ts',
    before: 'agent.beforeToolCallback = [...others, ask]',
    after: 'agent.beforeToolCallback = [ask, ...others]',
    caughtBy: ADK,
  },
  {
    name: 'an ADK transfer goes where nobody changed it to',
    file: 'src/adapters/google-adk/guard-transfers.ts',
    before: 'if (!edited) return null',
    after: 'if (edited !== undefined) return null',
    caughtBy: ADK,
  },
  {
    name: 'an ADK transfer that was made is leave to make it again',
    file: 'src/adapters/google-adk/guard-transfers.ts',
    before: 'if (!outcome.replayed) return undefined',
    after: 'if (outcome.ran) return undefined',
    caughtBy: ADK,
  },
  {
    name: 'a Claude sub-agent is exchanged after people were asked',
    file: 'src/adapters/claude-agent-sdk/call-of.ts',
    before: "return kind !== 'agent' || aliasIn(args) === tool",
    after: "return kind !== 'agent' || aliasIn(args) !== undefined || tool === ''",
    caughtBy: CLAUDE,
  },
  {
    name: 'needsApproval of the OpenAI SDK is asked with an empty context',
    file: 'src/adapters/openai-agents/guard-tools.ts',
    before: 'needs(context, structuredClone(args) as never, callId)',
    after: 'needs({} as never, structuredClone(args) as never, callId)',
    caughtBy: OPENAI,
  },
  {
    name: 'requireConfirmation of the ADK is asked without a context',
    file: 'src/adapters/google-adk/declared.ts',
    before: 'tool.checkRequireConfirmation(structuredClone(args), context)',
    after:
      "tool.checkRequireConfirmation(structuredClone(args), { state: new Map([['user', 'admin']]) } as never)",
    caughtBy: ADK,
  },
  {
    name: 'requireApproval of Mastra is asked without the request',
    file: 'src/adapters/mastra/guard-tools.ts',
    before: 'const entries = requestContext && Object.fromEntries(requestContext.entries())',
    after: "const entries = requestContext && { user: 'admin' }",
    caughtBy: MASTRA,
  },
  {
    name: 'what people decide answers the question of an ADK tool',
    file: 'src/adapters/google-adk/own-question.ts',
    before: 'return said !== undefined && said.hint !== SETTLED',
    after: 'return said !== undefined && SETTLED !== undefined',
    caughtBy: ADK,
  },
  {
    name: 'what the gate allows answers the question of an ADK tool',
    file: 'src/adapters/google-adk/own-question.ts',
    before: "if (now.status === 'allowed') return false",
    after: "if (now.status === 'allowed') return true",
    caughtBy: ADK,
  },
  {
    name: 'the model says what a delegating ADK agent was given',
    file: 'src/adapters/google-adk/guard-transfers.ts',
    before: 'parentInput(asking.parent, session)',
    after: 'parentInput(asking.parent ?? (args as JsonObject), session)',
    caughtBy: ADK,
  },
  {
    name: 'OpenAI tools that are guarded again stay in the old run',
    file: 'src/adapters/openai-agents/guard-tools.ts',
    before:
      'if (!before.isAgent) return guardFunction(gate, before.original, asking, before.server)',
    after: 'if (!before.isAgent) return tool',
    caughtBy: OPENAI,
  },
  {
    name: 'LangGraph: an interrupt that looks like ours is taken for ours',
    file: 'src/adapters/langchain/pause.ts',
    before: 'own === id && Array.isArray(calls)',
    after: "own !== '' && Array.isArray(calls)",
    caughtBy: {
      tests: ['test/adapters/langchain.test.ts', 'test/adapters/langchain-tools.test.ts'],
    },
  },
  {
    name: 'Mastra: a suspension that looks like ours is taken for ours',
    file: 'src/adapters/mastra/pause.ts',
    before: 'own !== undefined && own === callId',
    after: 'own !== undefined && callId !== undefined',
    caughtBy: { tests: ['test/adapters/mastra.test.ts'] },
  },
  {
    name: 'Google ADK: the hint is left out of the session',
    file: 'src/adapters/google-adk/confirmation.ts',
    before: 'return `Approve execution of tool',
    after: 'return `Approve',
    caughtBy: {
      tests: ['test/adapters/google-adk.test.ts', 'test/adapters/google-adk-agents.test.ts'],
    },
  },
  {
    name: 'an AG-UI client makes up a call that the policy allows',
    file: 'src/adapters/ag-ui/guard-run.ts',
    before: 'const result = (await wasAsked(toolCall)) ? await answered(toolCall) : undefined',
    after:
      'const result = (await wasAsked(toolCall)) || true ? await answered(toolCall) : undefined',
    caughtBy: { tests: ['test/adapters/ag-ui.test.ts'] },
  },
  {
    name: 'an AG-UI run that waits says that it is done',
    file: 'src/adapters/ag-ui/guard-run.ts',
    before: 'interrupts.size === 0',
    after: 'interrupts.size >= 0',
    caughtBy: { tests: ['test/adapters/ag-ui.test.ts'] },
  },
]
