import type { Migration } from './migration.ts'

export const observed: Migration = {
  name: 'observed',
  sql: `
-- Calls that were let through while observing. Erasable.
create table observed (
  position integer primary key autoincrement,
  tenant text not null,
  at integer not null,
  body text not null
) strict;
create index observed_in_order on observed (tenant, position);
`,
}
