import type { Migration } from './migration.ts'

/** What a grant was about can be erased once it is over; nothing else of it changes then. */
export const erasableGrants: Migration = {
  name: 'erasable grants',
  sql: `
create or replace function countersign.guard_grant() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.revision <> 1 or new.uses <> 0 or new.state <> 'live' then
      raise exception 'a grant begins once, unused';
    end if;
    return new;
  end if;
  if new.revision <= old.revision or new.uses < old.uses
    or (old.state <> 'live' and (new.state <> old.state or new.uses <> old.uses))
    or (new.tenant, new.id, new.agent, new.tool, new.server, new.most, new.minted_at, new.ends_at)
    is distinct from
    (old.tenant, old.id, old.agent, old.tool, old.server, old.most, old.minted_at, old.ends_at) then
    raise exception 'a grant only ever shrinks';
  end if;
  return new;
end $$;
`,
}
