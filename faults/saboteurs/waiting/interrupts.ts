import type { Saboteur } from '../saboteur.ts'

const STRANDS = { tests: ['test/adapters/strands.test.ts'] } as const
const VOLT = { tests: ['test/adapters/voltagent/voltagent.test.ts'] } as const
const GENKIT = { tests: ['test/adapters/genkit.test.ts'] } as const

/** Adapters of SDKs that interrupt a turn: Strands, Genkit and VoltAgent. */
export const INTERRUPT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'VoltAgent: the model reads the whole approval of a call that did not run',
    file: 'src/adapters/voltagent/guard-tools.ts',
    before: 'throw toldAs(error instanceof Error ? error.message : String(error))',
    after: 'throw error',
    caughtBy: VOLT,
  },
  {
    name: 'VoltAgent: a tool without the id of its call runs',
    file: 'src/adapters/voltagent/guard-tools.ts',
    before: 'if (toolCallId === undefined) throw toldAs(',
    after: 'if (toolCallId === null) throw toldAs(',
    caughtBy: VOLT,
  },
  {
    name: 'invoke of a guarded Strands tool runs the tool',
    file: 'src/adapters/strands/guard-tools.ts',
    before: "...('invoke' in tool ?",
    after: "...('invoked' in tool ?",
    caughtBy: STRANDS,
  },
  {
    name: 'an approved Strands tool that interrupts the agent may be started again',
    file: 'src/adapters/strands/guard-tools.ts',
    before: 'if (isAllowed) throw error',
    after: 'if (isAllowed || error) throw error',
    caughtBy: STRANDS,
  },
  {
    name: 'resuming a Strands agent answers the interrupts of others',
    file: 'src/adapters/strands/pause.ts',
    before: "return countersign === 'waits' && interrupt.id.startsWith",
    after: "return countersign !== 'wake' || interrupt.id.startsWith",
    caughtBy: STRANDS,
  },
  {
    name: 'a Strands tool that is guarded again loses its server',
    file: 'src/adapters/strands/guard-tools.ts',
    before: 'const own = asking.server ?? server',
    after: 'const own = server === undefined ? asking.server : asking.server',
    caughtBy: STRANDS,
  },
  {
    name: 'a Genkit tool that does not know its call runs',
    file: 'src/adapters/genkit/guarded-tool.ts',
    before: 'if (!facts) throw withoutMiddleware(name)',
    after: 'if (!facts) return tool(input, options)',
    caughtBy: GENKIT,
  },
  {
    name: 'Genkit runs the tool that is registered by the name',
    file: 'src/adapters/genkit/guard-tools.ts',
    before: 'metadata: { ...action.metadata, dynamic: true }',
    after: 'metadata: { ...action.metadata }',
    caughtBy: GENKIT,
  },
  {
    name: 'an approved Genkit tool that interrupts the turn may be started again',
    file: 'src/adapters/genkit/guarded-tool.ts',
    before: 'if (isAllowed) throw outcome.error',
    after: 'if (isAllowed || outcome.error) throw outcome.error',
    caughtBy: GENKIT,
  },
  {
    name: 'a counted id of Genkit is taken for the call of the turn before',
    file: 'src/adapters/genkit/guarded-tool.ts',
    before: 'key ?? crypto.randomUUID()',
    after: "key ?? facts.request.ref ?? 'none'",
    caughtBy: GENKIT,
  },
  {
    name: 'a Genkit tool that is guarded again loses its server',
    file: 'src/adapters/genkit/guard-tools.ts',
    before: 'const server = asking.server ?? before?.asking.server',
    after: 'const server = before === undefined ? asking.server : asking.server',
    caughtBy: GENKIT,
  },
]
