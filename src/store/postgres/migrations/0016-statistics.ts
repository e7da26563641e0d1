import type { Migration } from './migration.ts'

export const statistics: Migration = {
  name: 'statistics',
  sql: `
-- Counters by day, counted from the events in the background: those recorded before this step, too.
create table countersign.statistics (
  tenant text not null,
  -- Since 1970, in UTC.
  day integer not null,
  dimension text not null,
  key text not null,
  counts text not null,
  primary key (tenant, day, dimension, key)
);
-- How far they are counted.
create table countersign.statistics_progress (
  tenant text primary key,
  cursor text not null,
  until bigint not null
);
`,
}
