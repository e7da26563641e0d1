import type { Migration } from './migration.ts'

export const outbox: Migration = {
  name: 'outbox',
  sql: `
create table countersign.channels (
  tenant text not null,
  name text not null,
  seen_at bigint not null,
  problem text,
  primary key (tenant, name)
);

-- What is still to be told: gone once it was. Without due_at it is stuck.
create table countersign.notices (
  position bigint generated always as identity primary key,
  tenant text not null,
  channel text not null,
  id text not null,
  approval text collate "C" not null,
  kind text not null,
  revision bigint not null,
  at bigint not null,
  attempts integer not null default 0,
  due_at bigint,
  problem text,
  unique (tenant, channel, id)
);
create index notices_due on countersign.notices (tenant, channel, due_at)
  where due_at is not null;
create index notices_in_order on countersign.notices (tenant, channel, approval, position);
`,
}
