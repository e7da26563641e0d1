import type { Migration } from './migrations.ts'

export const written: Migration = {
  name: 'written',
  sql: `
-- Written by whoever asks whether anything can be written.
alter table identity add column written_at integer;
`,
}
