import type { Migration } from './migration.ts'

/**
 * A dump restored into another cluster keeps the transaction numbers of the old one, which say
 * nothing there. Entries up to this position are read in the order of their positions instead.
 */
export const restoredFeed: Migration = {
  name: 'restored feed',
  sql: 'alter table countersign.identity add column restored_until bigint not null default 0',
}
