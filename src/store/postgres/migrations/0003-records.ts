import type { Migration } from './migration.ts'

export const records: Migration = {
  name: 'records',
  sql: `
create table countersign.records (
  tenant text not null,
  kind text not null,
  id text collate "C" not null,
  revision bigint not null check (revision >= 1),
  at bigint not null,
  expires_at bigint,
  value text not null,
  primary key (tenant, kind, id)
);
create index records_by_end on countersign.records (tenant, expires_at)
  where expires_at is not null;
`,
}
