import type { Migration } from './migration.ts'

export const approvals: Migration = {
  name: 'approvals',
  sql: `
create table countersign.identity (
  one_row boolean primary key check (one_row),
  database text not null,
  place text not null,
  has_head boolean not null default false,
  created_at bigint not null
);

create table countersign.quarantines (
  tenant text not null,
  at bigint not null,
  reason text not null,
  done_at bigint,
  primary key (tenant, at)
);

create table countersign.approvals (
  position bigint generated always as identity,
  tenant text not null,
  id text collate "C" not null,
  revision bigint not null check (revision >= 1),
  status text not null
    check (status in ('pending', 'approved', 'denied', 'expired', 'withdrawn', 'invalidated')),
  execution text check (execution in ('running', 'succeeded', 'failed', 'unknown')),
  agent text not null,
  run text,
  call_key text,
  asked_digest text not null,
  joinable smallint not null check (joinable in (0, 1)),
  tool text not null,
  server text,
  risk smallint not null,
  asked_at bigint not null,
  decide_by bigint not null,
  due_at bigint,
  instance text,
  body text not null,
  seal text not null,
  primary key (tenant, id),
  check (execution is null or status = 'approved')
);

create unique index approvals_by_key on countersign.approvals (tenant, agent, run, call_key);
create unique index approvals_joined on countersign.approvals (tenant, agent, run, asked_digest)
  where joinable = 1;
create index approvals_by_age on countersign.approvals (tenant, position);
create index approvals_open on countersign.approvals (tenant, due_at) where due_at is not null;

create function countersign.guard_approval() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.revision <> 1 then raise exception 'an approval begins once, at revision 1'; end if;
    return new;
  end if;
  if new.revision <> old.revision + 1 then raise exception 'the revision grows by one'; end if;
  if (new.tenant, new.id, new.agent, new.run, new.call_key, new.asked_digest, new.asked_at)
    is distinct from
    (old.tenant, old.id, old.agent, old.run, old.call_key, old.asked_digest, old.asked_at) then
    raise exception 'an approval stays about the call it was asked for';
  end if;
  if new.status <> old.status and (
    old.status not in ('pending', 'approved') or old.execution is not null
    or (old.status = 'approved' and new.status not in ('expired', 'withdrawn', 'invalidated'))
  ) then raise exception 'a closed approval stays closed'; end if;
  if new.execution is distinct from old.execution and (
    (old.execution is null and new.execution <> 'running')
    or (old.execution is not null and new.execution is null)
    or (old.execution = 'unknown' and new.execution not in ('succeeded', 'failed'))
    or old.execution in ('succeeded', 'failed')
  ) then raise exception 'a call runs once'; end if;
  return new;
end $$;
create trigger approvals_guarded before insert or update on countersign.approvals
  for each row execute function countersign.guard_approval();

create function countersign.refuse() returns trigger language plpgsql as $$
begin
  raise exception '% are kept as they are', tg_table_name;
end $$;
create trigger approvals_stay before delete on countersign.approvals
  for each row execute function countersign.refuse();
create trigger approvals_stay_all before truncate on countersign.approvals
  for each statement execute function countersign.refuse();

create table countersign.votes (
  tenant text not null,
  approval text collate "C" not null,
  issuer text not null,
  subject text not null,
  digest text not null,
  verdict text not null check (verdict in ('approve', 'deny')),
  at bigint not null,
  primary key (tenant, approval, issuer, subject, digest),
  foreign key (tenant, approval) references countersign.approvals (tenant, id)
);

create function countersign.guard_vote() returns trigger language plpgsql as $$
begin
  if (new.tenant, new.approval, new.issuer, new.subject, new.digest)
    is distinct from (old.tenant, old.approval, old.issuer, old.subject, old.digest)
    or old.verdict <> 'approve' or new.verdict <> 'deny' then
    raise exception 'a vote only ever turns from yes to no';
  end if;
  return new;
end $$;
create trigger votes_only_turn_to_no before update on countersign.votes
  for each row execute function countersign.guard_vote();
create trigger votes_stay before delete on countersign.votes
  for each row execute function countersign.refuse();
create trigger votes_stay_all before truncate on countersign.votes
  for each statement execute function countersign.refuse();

create table countersign.claims (
  tenant text not null,
  approval text collate "C" not null,
  claim text not null,
  instance text,
  at bigint not null,
  primary key (tenant, approval),
  foreign key (tenant, approval) references countersign.approvals (tenant, id)
);
create trigger claims_stay before update or delete on countersign.claims
  for each row execute function countersign.refuse();
create trigger claims_stay_all before truncate on countersign.claims
  for each statement execute function countersign.refuse();

create table countersign.events (
  position bigint generated always as identity primary key,
  -- Positions are given out before commits: only below every unfinished transaction is the order final.
  xid xid8 not null default pg_current_xact_id(),
  tenant text not null,
  writer text not null,
  seq bigint not null check (seq >= 1),
  prev text not null,
  hash text not null,
  approval text collate "C",
  revision bigint,
  type text not null,
  at bigint not null,
  command text,
  command_index integer,
  body text not null,
  unique (writer, seq)
);
create unique index events_by_approval
  on countersign.events (tenant, approval, command, command_index) where approval is not null;
create index events_by_transaction on countersign.events (tenant, xid, position);

create function countersign.guard_event() returns trigger language plpgsql as $$
begin
  if new.seq = 1 then
    if new.prev <> repeat('0', 64) then raise exception 'a chain begins with nothing'; end if;
  elsif not exists (
    select 1 from countersign.events
    where writer = new.writer and seq = new.seq - 1 and hash = new.prev
  ) then raise exception 'each event follows the one before'; end if;
  return new;
end $$;
create trigger events_in_order before insert on countersign.events
  for each row execute function countersign.guard_event();
create trigger events_stay before update or delete on countersign.events
  for each row execute function countersign.refuse();
create trigger events_stay_all before truncate on countersign.events
  for each statement execute function countersign.refuse();

-- Erasable. Results live shorter than the rest, so each table can be erased oldest first.
create table countersign.content (
  position bigint generated always as identity primary key,
  tenant text not null,
  approval text collate "C" not null,
  key text not null,
  kind text not null,
  at bigint not null,
  salt text not null,
  value text not null,
  unique (tenant, approval, key)
);
create trigger content_fixed before update on countersign.content
  for each row execute function countersign.refuse();

create table countersign.results (
  position bigint generated always as identity primary key,
  tenant text not null,
  approval text collate "C" not null,
  key text not null,
  kind text not null,
  at bigint not null,
  salt text not null,
  value text not null,
  unique (tenant, approval, key)
);
create trigger results_fixed before update on countersign.results
  for each row execute function countersign.refuse();

create table countersign.instances (
  id text primary key,
  tenant text not null,
  started_at bigint not null,
  seen_at bigint not null,
  stopped_at bigint,
  newest_at bigint not null,
  linked_seq bigint not null default 0
);
create index instances_by_age on countersign.instances (tenant, started_at);
`,
}
