import type { Migration } from './migration.ts'

export const written: Migration = {
  name: 'written',
  sql: `
-- Written by the check whether the database is writable.
alter table identity add column written_at integer;
`,
}
