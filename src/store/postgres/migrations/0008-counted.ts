import type { Migration } from './migration.ts'

export const counted: Migration = {
  name: 'counted',
  sql: `
-- Unknown for what was asked before.
alter table countersign.approvals add column door text;
-- In the order of the groups: counting calls reads this, sorts nothing and opens no approval.
create index approvals_counted on countersign.approvals (tenant, tool, server, door, status, asked_at);
`,
}
