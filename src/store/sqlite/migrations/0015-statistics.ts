import type { Migration } from './migration.ts'

export const statistics: Migration = {
  name: 'statistics',
  sql: `
-- Counters by day, counted from the events in the background: those recorded before this step, too.
create table statistics (
  tenant text not null,
  -- Since 1970, in UTC.
  day integer not null,
  dimension text not null,
  key text not null,
  counts text not null,
  primary key (tenant, day, dimension, key)
) strict, without rowid;
-- How far they are counted.
create table statistics_progress (
  tenant text primary key,
  cursor text not null,
  until integer not null
) strict, without rowid;
`,
}
