/** One system under test, in a process of its own. `bench/cycle/worker.ts` loads the module. */
export interface Contestant {
  readonly name: string
  /** Exports `open(where)`, beside this file or in the workspace of the peers. */
  readonly module: string
  /** What keeps its state: decides where its writes are counted. */
  readonly keeps: 'sqlite' | 'postgres' | 'restate'
}

/** What a module opens: one durable question, a yes, and the tool started by it, as often as asked. */
export interface Cycles {
  /** Resolves when the tool's result is durable. */
  cycle(): Promise<Timed>
  close(): Promise<void>
}

export interface Timed {
  /** Milliseconds from the yes being sent to the start of the tool. */
  readonly wake: number
}

export type Open = (where: string) => Promise<Cycles>

/** An approver of the group that the policies of Countersign name. */
export const ANA = {
  issuer: 'bench',
  subject: 'ana',
  email: 'ana@example.com',
  emailVerified: true,
  groups: ['finance'],
  roles: ['approver'],
  assurance: 'signed-in',
} as const

/** The arguments every contestant keeps and passes on. */
export const ARGS = { amount: 18_400, currency: 'USD', to: 'Northwind', memo: 'invoice 2026-117' }

export interface Run {
  readonly callers: number
  readonly seconds: number
}

export interface Ran {
  readonly cycles: number
  readonly elapsed: number
  readonly latencies: readonly number[]
  readonly wakes: readonly number[]
}

export const CONTESTANTS: readonly Contestant[] = [
  { name: 'plain reference, SQLite', module: './plain-sqlite.ts', keeps: 'sqlite' },
  { name: 'Countersign, SQLite', module: './countersign-sqlite.ts', keeps: 'sqlite' },
  { name: 'OpenWorkflow, SQLite', module: '../peers/openworkflow.mjs', keeps: 'sqlite' },
  { name: 'plain reference, Postgres', module: './plain-postgres.ts', keeps: 'postgres' },
  { name: 'Countersign, Postgres', module: './countersign-postgres.ts', keeps: 'postgres' },
  { name: 'DBOS, Postgres', module: '../peers/dbos.mjs', keeps: 'postgres' },
  { name: 'LangGraph, Postgres', module: '../peers/langgraph.mjs', keeps: 'postgres' },
  { name: 'Restate', module: '../peers/restate.mjs', keeps: 'restate' },
]
