import type { Migration } from './migration.ts'

export const vault: Migration = {
  name: 'vault',
  sql: `
create table keys (
  tenant text not null,
  kid text not null,
  jwk text not null,
  at integer not null,
  primary key (tenant, kid)
) strict, without rowid;

create trigger keys_once before insert on keys
when exists (select 1 from keys where tenant = new.tenant and kid = new.kid) begin
  select raise(abort, 'a key is published once');
end;
create trigger keys_fixed before update on keys begin
  select raise(abort, 'keys are kept');
end;
create trigger keys_stay before delete on keys begin
  select raise(abort, 'keys are kept');
end;

create table spent (
  tenant text not null,
  jti text not null,
  exp integer not null,
  at integer not null,
  primary key (tenant, jti)
) strict, without rowid;
create index spent_by_end on spent (tenant, exp);

create trigger spent_once before insert on spent
when exists (select 1 from spent where tenant = new.tenant and jti = new.jti) begin
  select raise(abort, 'a countersignature counts once');
end;
create trigger spent_fixed before update on spent begin
  select raise(abort, 'a countersignature counts once');
end;

create table checkpoints (
  tenant text not null,
  n integer not null check (n >= 1),
  at integer not null,
  kid text not null,
  jws text not null,
  primary key (tenant, n)
) strict, without rowid;

create trigger checkpoints_in_order before insert on checkpoints
when exists (select 1 from checkpoints where tenant = new.tenant and n = new.n)
  or (new.n > 1 and not exists (
    select 1 from checkpoints where tenant = new.tenant and n = new.n - 1)) begin
  select raise(abort, 'each checkpoint follows the one before');
end;
create trigger checkpoints_fixed before update on checkpoints begin
  select raise(abort, 'checkpoints are append-only');
end;
create trigger checkpoints_stay before delete on checkpoints begin
  select raise(abort, 'checkpoints are append-only');
end;

-- How far checkpoints have come, so that the next one names only what moved. Proves nothing.
create table covered (
  tenant text not null,
  writer text not null,
  seq integer not null,
  primary key (tenant, writer)
) strict, without rowid;
`,
}
