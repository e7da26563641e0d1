import type { Migration } from './migration.ts'

export const grants: Migration = {
  name: 'grants',
  sql: `
create table grants (
  position integer primary key,
  tenant text not null,
  id text not null,
  revision integer not null check (revision >= 1),
  state text not null check (state in ('live', 'used_up', 'revoked', 'expired')),
  agent text not null,
  tool text not null,
  server text,
  uses integer not null,
  most integer not null check (most >= 1),
  minted_at integer not null,
  ends_at integer not null,
  body text not null,
  seal text not null,
  unique (tenant, id),
  -- The last guard: whatever a process believes, no use is taken twice.
  check (uses between 0 and most),
  check (ends_at > minted_at)
) strict;

create index grants_live on grants (tenant, agent, tool, ends_at) where state = 'live';
create index grants_due on grants (tenant, ends_at) where state = 'live';

create trigger grants_begin before insert on grants
when new.revision <> 1 or new.uses <> 0 or new.state <> 'live' or exists (
  select 1 from grants where tenant = new.tenant and id = new.id
) begin
  select raise(abort, 'a grant begins once, unused');
end;
create trigger grants_only_shrink before update on grants
when new.revision <= old.revision or new.uses < old.uses or new.tenant <> old.tenant
  or new.id <> old.id or new.agent <> old.agent or new.tool <> old.tool
  or new.server is not old.server or new.most <> old.most or new.ends_at <> old.ends_at
  or new.minted_at <> old.minted_at or old.state <> 'live' begin
  select raise(abort, 'a grant only ever shrinks');
end;
create trigger grants_stay before delete on grants begin
  select raise(abort, 'grants are kept');
end;

create table grant_uses (
  tenant text not null,
  grant_id text not null,
  n integer not null check (n >= 1),
  approval text not null,
  at integer not null,
  amount real,
  primary key (tenant, grant_id, n),
  unique (tenant, approval),
  foreign key (tenant, grant_id) references grants (tenant, id),
  foreign key (tenant, approval) references approvals (tenant, id)
) strict, without rowid;

create trigger grant_uses_once before insert on grant_uses
when exists (
  select 1 from grant_uses where tenant = new.tenant
    and (approval = new.approval or (grant_id = new.grant_id and n = new.n))
) begin
  select raise(abort, 'one use per call');
end;
create trigger grant_uses_fixed before update on grant_uses begin
  select raise(abort, 'uses are kept');
end;
create trigger grant_uses_stay before delete on grant_uses begin
  select raise(abort, 'uses are kept');
end;
`,
}
