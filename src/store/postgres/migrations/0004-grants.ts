import type { Migration } from './migration.ts'

export const grants: Migration = {
  name: 'grants',
  sql: `
create table countersign.grants (
  position bigint generated always as identity,
  tenant text not null,
  id text collate "C" not null,
  revision bigint not null check (revision >= 1),
  state text not null check (state in ('live', 'used_up', 'revoked', 'expired')),
  agent text not null,
  tool text not null,
  server text,
  uses integer not null,
  most integer not null check (most >= 1),
  minted_at bigint not null,
  ends_at bigint not null,
  body text not null,
  seal text not null,
  primary key (tenant, id),
  -- The last guard: whatever a process believes, no use is taken twice.
  check (uses between 0 and most),
  check (ends_at > minted_at)
);
create index grants_by_age on countersign.grants (tenant, position);
create index grants_live on countersign.grants (tenant, agent, tool, ends_at)
  where state = 'live';
create index grants_due on countersign.grants (tenant, ends_at) where state = 'live';

create function countersign.guard_grant() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.revision <> 1 or new.uses <> 0 or new.state <> 'live' then
      raise exception 'a grant begins once, unused';
    end if;
    return new;
  end if;
  if new.revision <= old.revision or new.uses < old.uses or old.state <> 'live'
    or (new.tenant, new.id, new.agent, new.tool, new.server, new.most, new.minted_at, new.ends_at)
    is distinct from
    (old.tenant, old.id, old.agent, old.tool, old.server, old.most, old.minted_at, old.ends_at) then
    raise exception 'a grant only ever shrinks';
  end if;
  return new;
end $$;
create trigger grants_guarded before insert or update on countersign.grants
  for each row execute function countersign.guard_grant();
create trigger grants_stay before delete on countersign.grants
  for each row execute function countersign.refuse();
create trigger grants_stay_all before truncate on countersign.grants
  for each statement execute function countersign.refuse();

create table countersign.grant_uses (
  tenant text not null,
  grant_id text collate "C" not null,
  n integer not null check (n >= 1),
  approval text collate "C" not null,
  at bigint not null,
  amount double precision,
  primary key (tenant, grant_id, n),
  unique (tenant, approval),
  foreign key (tenant, grant_id) references countersign.grants (tenant, id),
  foreign key (tenant, approval) references countersign.approvals (tenant, id)
);
create trigger grant_uses_stay before update or delete on countersign.grant_uses
  for each row execute function countersign.refuse();
create trigger grant_uses_stay_all before truncate on countersign.grant_uses
  for each statement execute function countersign.refuse();
`,
}
