import type { Migration } from './migration.ts'

/**
 * Any number of folders keep heads of one database. A dump that is restored in place makes its
 * tables anew, so the number of one of them belongs to the place.
 */
export const folders: Migration = {
  name: 'folders',
  sql: `
create table countersign.folders (
  id text primary key,
  at bigint not null
);
alter table countersign.identity drop column has_head;
alter table countersign.identity add column timeline text;
alter table countersign.identity add column written_at bigint;
update countersign.identity
  set place = place || '/' || 'countersign.identity'::regclass::oid::text;
`,
}
