/** How the cases run on one engine; docs/workflow-engines.md is made of these. */
export interface EngineFacts {
  readonly name: string
  /** Beside this file. */
  readonly test: string
  readonly against: string
  /** Whether the cases also run with approvals on a server. */
  readonly overHttp: boolean
  /** Cases that do not run on it, each with its reason. */
  readonly leftOut?: Readonly<Record<string, string>>
}

const AWS_LEFT_OUT = {
  'the id of a finished workflow, started again, asks and runs nothing again':
    'the emulator has no names of executions',
} as const

const LANGGRAPH_LEFT_OUT = {
  'a wake-up that is lost costs time only: the next look finds the answer':
    'LangGraph has no timers; the thread is resumed by your program',
} as const

export const ENGINES: readonly EngineFacts[] = [
  {
    name: 'OpenWorkflow 0.10',
    test: 'openworkflow.test.ts',
    against: 'the engine, on SQLite and on Postgres',
    overHttp: true,
  },
  { name: 'DBOS 5', test: 'dbos.test.ts', against: 'the engine, on Postgres', overHttp: false },
  {
    name: 'Temporal 1.24',
    test: 'temporal.test.ts',
    against: 'client and worker of the SDK, with a frontend of our own in place of the server',
    overHttp: false,
  },
  {
    name: 'Restate 1.17',
    test: 'restate.test.ts',
    against: 'SDK and server',
    overHttp: true,
  },
  {
    name: 'Inngest 4',
    test: 'inngest.test.ts',
    against: 'the SDK, with an executor of our own in place of the server',
    overHttp: true,
  },
  {
    name: 'Cloudflare Workflows',
    test: 'cloudflare.test.ts',
    against:
      'the contract of `step`; `npm run proof cloudflare-workflows` runs wrangler and workerd',
    overHttp: true,
  },
  {
    name: 'AWS durable 2.4',
    test: 'aws-durable.test.ts',
    against: 'the SDK with the emulator of AWS',
    overHttp: false,
    leftOut: AWS_LEFT_OUT,
  },
  {
    name: 'LangGraph 1.4',
    test: 'langgraph.test.ts',
    against: 'the library, with a checkpointer of files',
    overHttp: false,
    leftOut: LANGGRAPH_LEFT_OUT,
  },
]
