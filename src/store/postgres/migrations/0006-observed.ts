import type { Migration } from './migration.ts'

export const observed: Migration = {
  name: 'observed',
  sql: `
-- Calls that were let through while observing. Erasable.
create table countersign.observed (
  position bigint generated always as identity primary key,
  tenant text not null,
  at bigint not null,
  body text not null
);
create index observed_in_order on countersign.observed (tenant, position);
`,
}
