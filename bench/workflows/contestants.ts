/**
 * One engine three times: with its own signal and wait, with a plain table that keeps question and
 * answer, and with `waitForApproval`.
 */
export interface EnginePair {
  readonly name: string
  /** Exports one `Open` for each variant; beside this file. */
  readonly module: string
  readonly keeps: 'folder' | 'postgres'
  /** Uses a package that only the workspace of the peers has. */
  readonly needsPeers?: true
  /** Said with its figures where a part of the engine is not the real one. */
  readonly note?: string
}

export const VARIANTS = ['own', 'plain', 'countersign'] as const
export type Variant = (typeof VARIANTS)[number]

export const PAIRS: readonly EnginePair[] = [
  { name: 'OpenWorkflow, SQLite', module: '../workflows/openworkflow-sqlite.ts', keeps: 'folder' },
  {
    name: 'OpenWorkflow, Postgres',
    module: '../workflows/openworkflow-postgres.ts',
    keeps: 'postgres',
  },
  { name: 'DBOS, Postgres', module: '../workflows/dbos.ts', keeps: 'postgres' },
  { name: 'Restate', module: '../workflows/restate.ts', keeps: 'folder' },
  {
    name: 'LangGraph, Postgres',
    module: '../workflows/langgraph.ts',
    keeps: 'postgres',
    needsPeers: true,
  },
  {
    name: 'Temporal',
    module: '../workflows/temporal.ts',
    keeps: 'folder',
    note: 'a frontend of our own, in memory, in place of the server',
  },
  {
    name: 'Inngest',
    module: '../workflows/inngest.ts',
    keeps: 'folder',
    note: 'an executor of our own, in memory, in place of the server',
  },
  {
    name: 'AWS durable functions',
    module: '../workflows/aws-durable.ts',
    keeps: 'folder',
    note: "AWS's emulator, in memory, in place of Lambda",
  },
  {
    name: 'Cloudflare Workflows',
    module: '../workflows/cloudflare.ts',
    keeps: 'folder',
    note: 'an engine of our own, in memory, that looks every 25 ms; approvals over HTTP',
  },
]
