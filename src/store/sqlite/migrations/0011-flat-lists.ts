import type { Migration } from './migration.ts'

export const flatLists: Migration = {
  name: 'flat lists',
  sql: `
-- Lists read these from one end, whatever the length of the history. What time can no longer change
-- enters them once, when it is over, and never moves again.
create index approvals_by_risk on approvals (tenant, risk) where due_at is null;
create index approvals_by_outcome on approvals (tenant, status, coalesce(execution, 'none'), risk)
  where due_at is null;
create index approvals_by_agent on approvals (tenant, agent, risk) where due_at is null;
create index approvals_by_tool on approvals (tenant, tool, risk) where due_at is null;
-- The run first: it is asked for alone, too.
drop index approvals_by_key;
create unique index approvals_by_key on approvals (tenant, run, agent, call_key);
drop index approvals_open;
create index approvals_open on approvals (tenant, due_at, status, agent, risk, decide_by)
  where due_at is not null;
-- The audit page looks for what is rare; the steps of a usual call are everywhere.
create index events_of_type on events (tenant, type)
  where type not in ('requested', 'decided', 'approved', 'claimed', 'finished');
`,
}
