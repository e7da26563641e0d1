import type { Migration } from './migration.ts'

export const outbox: Migration = {
  name: 'outbox',
  sql: `
create table channels (
  tenant text not null,
  name text not null,
  seen_at integer not null,
  problem text,
  primary key (tenant, name)
) strict, without rowid;

-- What is still to be told: gone once it was. Without due_at it is stuck.
create table notices (
  position integer primary key,
  tenant text not null,
  channel text not null,
  id text not null,
  approval text not null,
  kind text not null,
  revision integer not null,
  at integer not null,
  attempts integer not null default 0,
  due_at integer,
  problem text,
  unique (tenant, channel, id)
) strict;
create index notices_due on notices (tenant, channel, due_at) where due_at is not null;
create index notices_in_order on notices (tenant, channel, approval, position);
`,
}
