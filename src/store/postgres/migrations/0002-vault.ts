import type { Migration } from './migration.ts'

export const vault: Migration = {
  name: 'vault',
  sql: `
create table countersign.keys (
  tenant text not null,
  kid text not null,
  jwk text not null,
  at bigint not null,
  primary key (tenant, kid)
);
create trigger keys_stay before update or delete on countersign.keys
  for each row execute function countersign.refuse();
create trigger keys_stay_all before truncate on countersign.keys
  for each statement execute function countersign.refuse();

create table countersign.spent (
  tenant text not null,
  jti text not null,
  exp bigint not null,
  at bigint not null,
  primary key (tenant, jti)
);
create index spent_by_end on countersign.spent (tenant, exp);
create trigger spent_fixed before update on countersign.spent
  for each row execute function countersign.refuse();

create table countersign.checkpoints (
  tenant text not null,
  n bigint not null check (n >= 1),
  at bigint not null,
  kid text not null,
  jws text not null,
  primary key (tenant, n)
);
create function countersign.guard_checkpoint() returns trigger language plpgsql as $$
begin
  if new.n > 1 and not exists (
    select 1 from countersign.checkpoints where tenant = new.tenant and n = new.n - 1
  ) then raise exception 'each checkpoint follows the one before'; end if;
  return new;
end $$;
create trigger checkpoints_in_order before insert on countersign.checkpoints
  for each row execute function countersign.guard_checkpoint();
create trigger checkpoints_stay before update or delete on countersign.checkpoints
  for each row execute function countersign.refuse();
create trigger checkpoints_stay_all before truncate on countersign.checkpoints
  for each statement execute function countersign.refuse();

-- How far checkpoints have come, so that the next one names only what moved. Proves nothing.
create table countersign.covered (
  tenant text not null,
  writer text not null,
  seq bigint not null,
  primary key (tenant, writer)
);
`,
}
