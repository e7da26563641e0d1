import type { Migration } from './migration.ts'

export const asking: Migration = {
  name: 'asking',
  sql: `
-- What was denied in a run is looked up before every question.
create index approvals_denied on approvals (tenant, agent, run, tool) where status = 'denied';
`,
}
