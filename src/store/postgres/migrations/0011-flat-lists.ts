import type { Migration } from './migration.ts'

export const flatLists: Migration = {
  name: 'flat lists',
  sql: `
-- Lists read these from one end, whatever the length of the history. What time can no longer change
-- enters them once, when it is over, and never moves again.
create index approvals_by_risk on countersign.approvals (tenant, risk, position)
  where due_at is null;
create index approvals_by_outcome on countersign.approvals
  (tenant, status, coalesce(execution, 'none'), risk, position) where due_at is null;
create index approvals_by_agent on countersign.approvals (tenant, agent, risk, position)
  where due_at is null;
create index approvals_by_tool on countersign.approvals (tenant, tool, risk, position)
  where due_at is null;
-- The run first: it is asked for alone, too.
drop index countersign.approvals_by_key;
create unique index approvals_by_key on countersign.approvals (tenant, run, agent, call_key);
drop index countersign.approvals_by_age;
drop index countersign.approvals_open;
create index approvals_open on countersign.approvals (tenant, due_at, status, agent)
  where due_at is not null;
-- The audit page looks for what is rare; the steps of a usual call are everywhere.
create index events_of_type on countersign.events (tenant, type, xid, position)
  where type not in ('requested', 'decided', 'approved', 'claimed', 'finished');
`,
}
