import type { Migration } from './migration.ts'

export const approvals: Migration = {
  name: 'approvals',
  sql: `
create table identity (
  one_row integer primary key check (one_row = 1),
  database text not null,
  place text not null,
  has_head integer not null default 0,
  created_at integer not null
) strict;

create table quarantines (
  tenant text not null,
  at integer not null,
  reason text not null,
  done_at integer,
  primary key (tenant, at)
) strict, without rowid;

create table approvals (
  position integer primary key,
  tenant text not null,
  id text not null,
  revision integer not null check (revision >= 1),
  status text not null
    check (status in ('pending', 'approved', 'denied', 'expired', 'withdrawn', 'invalidated')),
  execution text check (execution in ('running', 'succeeded', 'failed', 'unknown')),
  agent text not null,
  run text,
  call_key text,
  asked_digest text not null,
  joinable integer not null check (joinable in (0, 1)),
  tool text not null,
  server text,
  risk integer not null,
  asked_at integer not null,
  decide_by integer not null,
  due_at integer,
  instance text,
  body text not null,
  seal text not null,
  unique (tenant, id),
  check (execution is null or status = 'approved')
) strict;

create unique index approvals_by_key on approvals (tenant, agent, run, call_key);
create unique index approvals_joined on approvals (tenant, agent, run, asked_digest)
  where joinable = 1;
-- What time can still do something to; everything pending is in it, with what lists sort by.
create index approvals_open on approvals (tenant, due_at, status, risk, decide_by)
  where due_at is not null;

create trigger approvals_first_revision before insert on approvals
when new.revision <> 1 or exists (
  select 1 from approvals where tenant = new.tenant and id = new.id
) begin
  select raise(abort, 'an approval begins once, at revision 1');
end;
create trigger approvals_next_revision before update on approvals
when new.revision <> old.revision + 1 begin
  select raise(abort, 'the revision grows by one');
end;
create trigger approvals_same_call before update on approvals
when new.tenant <> old.tenant or new.id <> old.id or new.agent <> old.agent
  or new.run is not old.run or new.call_key is not old.call_key
  or new.asked_digest <> old.asked_digest or new.asked_at <> old.asked_at begin
  select raise(abort, 'an approval stays about the call it was asked for');
end;
create trigger approvals_one_end before update on approvals
when new.status <> old.status and (
  old.status not in ('pending', 'approved') or old.execution is not null
  or (old.status = 'approved' and new.status not in ('expired', 'withdrawn', 'invalidated'))
) begin
  select raise(abort, 'a closed approval stays closed');
end;
create trigger approvals_one_execution before update on approvals
when new.execution is not old.execution and (
  (old.execution is null and new.execution <> 'running')
  or (old.execution is not null and new.execution is null)
  or (old.execution = 'unknown' and new.execution not in ('succeeded', 'failed'))
  or old.execution in ('succeeded', 'failed')
) begin
  select raise(abort, 'a call runs once');
end;
create trigger approvals_stay before delete on approvals begin
  select raise(abort, 'approvals are kept');
end;

create table votes (
  tenant text not null,
  approval text not null,
  issuer text not null,
  subject text not null,
  digest text not null,
  verdict text not null check (verdict in ('approve', 'deny')),
  at integer not null,
  primary key (tenant, approval, issuer, subject, digest),
  foreign key (tenant, approval) references approvals (tenant, id)
) strict, without rowid;

create trigger votes_once before insert on votes
when exists (
  select 1 from votes where tenant = new.tenant and approval = new.approval
    and issuer = new.issuer and subject = new.subject and digest = new.digest
) begin
  select raise(abort, 'one vote per person and digest');
end;
create trigger votes_only_turn_to_no before update on votes
when new.tenant <> old.tenant or new.approval <> old.approval or new.issuer <> old.issuer
  or new.subject <> old.subject or new.digest <> old.digest
  or old.verdict <> 'approve' or new.verdict <> 'deny' begin
  select raise(abort, 'a vote only ever turns from yes to no');
end;
create trigger votes_stay before delete on votes begin
  select raise(abort, 'votes are kept');
end;

create table claims (
  tenant text not null,
  approval text not null,
  claim text not null,
  instance text,
  at integer not null,
  primary key (tenant, approval),
  foreign key (tenant, approval) references approvals (tenant, id)
) strict, without rowid;

create trigger claims_once before insert on claims
when exists (
  select 1 from claims where tenant = new.tenant and approval = new.approval
) begin
  select raise(abort, 'one claim per approval');
end;
create trigger claims_fixed before update on claims begin
  select raise(abort, 'one claim per approval');
end;
create trigger claims_stay before delete on claims begin
  select raise(abort, 'claims are kept');
end;

create table events (
  position integer primary key,
  tenant text not null,
  writer text not null,
  seq integer not null check (seq >= 1),
  prev text not null,
  hash text not null,
  approval text,
  revision integer,
  type text not null,
  at integer not null,
  command text,
  command_index integer,
  body text not null,
  unique (writer, seq)
) strict;

create unique index events_by_approval on events (tenant, approval, command, command_index)
  where approval is not null;

create trigger events_in_order before insert on events
when exists (
  select 1 from events where position = new.position or (writer = new.writer and seq = new.seq)
) or not case new.seq
  when 1 then new.prev = '${'0'.repeat(64)}'
  else exists (
    select 1 from events where writer = new.writer and seq = new.seq - 1 and hash = new.prev
  )
end begin
  select raise(abort, 'each event follows the one before');
end;
create trigger events_fixed before update on events begin
  select raise(abort, 'events are append-only');
end;
create trigger events_stay before delete on events begin
  select raise(abort, 'events are append-only');
end;

-- Erasable. Results live shorter than the rest, so each table can be erased oldest first.
create table content (
  position integer primary key,
  tenant text not null,
  approval text not null,
  key text not null,
  kind text not null,
  at integer not null,
  salt text not null,
  value text not null,
  unique (tenant, approval, key)
) strict;

create trigger content_fixed before update on content begin
  select raise(abort, 'content is written once');
end;

create table results (
  position integer primary key,
  tenant text not null,
  approval text not null,
  key text not null,
  kind text not null,
  at integer not null,
  salt text not null,
  value text not null,
  unique (tenant, approval, key)
) strict;

create trigger results_fixed before update on results begin
  select raise(abort, 'content is written once');
end;

create table instances (
  id text primary key,
  tenant text not null,
  started_at integer not null,
  seen_at integer not null,
  stopped_at integer,
  newest_at integer not null,
  linked_seq integer not null default 0
) strict, without rowid;

create index instances_by_age on instances (tenant, started_at);
`,
}
