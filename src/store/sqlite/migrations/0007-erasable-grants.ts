import type { Migration } from './migration.ts'

/** What a grant was about can be erased once it is over; nothing else of it changes then. */
export const erasableGrants: Migration = {
  name: 'erasable grants',
  sql: `
drop trigger grants_only_shrink;
create trigger grants_only_shrink before update on grants
when new.revision <= old.revision or new.uses < old.uses or new.tenant <> old.tenant
  or new.id <> old.id or new.agent <> old.agent or new.tool <> old.tool
  or new.server is not old.server or new.most <> old.most or new.ends_at <> old.ends_at
  or new.minted_at <> old.minted_at
  or (old.state <> 'live' and (new.state <> old.state or new.uses <> old.uses)) begin
  select raise(abort, 'a grant only ever shrinks');
end;
`,
}
