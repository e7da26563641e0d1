import type { Migration } from './migration.ts'

export const records: Migration = {
  name: 'records',
  sql: `
create table records (
  tenant text not null,
  kind text not null,
  id text not null,
  revision integer not null check (revision >= 1),
  at integer not null,
  expires_at integer,
  value text not null,
  primary key (tenant, kind, id)
) strict, without rowid;
create index records_by_end on records (tenant, expires_at) where expires_at is not null;
`,
}
