import type { Migration } from './migration.ts'

/** A notice that a channel would only throw away is not written for it: a JSON list, null for all. */
export const channelKinds: Migration = {
  name: 'channel kinds',
  sql: 'alter table channels add column kinds text;',
}
