CREATE TRIGGER approvals_first_revision before insert on approvals
when new.revision <> 1 or exists (
  select 1 from approvals where tenant = new.tenant and id = new.id
) begin
  select raise(rollback, 'an approval begins once, at revision 1');
end;

CREATE TRIGGER approvals_next_revision before update on approvals
when new.revision <> old.revision + 1 begin
  select raise(rollback, 'the revision grows by one');
end;

CREATE TRIGGER approvals_one_end before update on approvals
when new.status <> old.status and (
  (old.status <> 'pending' and old.status <> 'approved') or old.execution is not null
  or (old.status = 'approved' and new.status <> 'expired' and new.status <> 'withdrawn'
    and new.status <> 'invalidated')
) begin
  select raise(rollback, 'a closed approval stays closed');
end;

CREATE TRIGGER approvals_one_execution before update on approvals
when new.execution is not old.execution and (
  (old.execution is null and new.execution <> 'running')
  or (old.execution is not null and new.execution is null)
  or (old.execution = 'unknown' and new.execution <> 'succeeded' and new.execution <> 'failed')
  or old.execution = 'succeeded' or old.execution = 'failed'
) begin
  select raise(rollback, 'a call runs once');
end;

CREATE TRIGGER approvals_same_call before update on approvals
when new.tenant <> old.tenant or new.id <> old.id or new.agent <> old.agent
  or new.run is not old.run or new.call_key is not old.call_key
  or new.asked_digest <> old.asked_digest or new.asked_at <> old.asked_at begin
  select raise(rollback, 'an approval stays about the call it was asked for');
end;

CREATE TRIGGER approvals_stay before delete on approvals begin
  select raise(abort, 'approvals are kept');
end;

CREATE TABLE approvals (
  position integer primary key,
  tenant text not null,
  id text not null,
  revision integer not null check (revision >= 1),
  status text not null
    check (status = 'pending' or status = 'approved' or status = 'denied' or status = 'expired' or status = 'withdrawn' or status = 'invalidated'),
  execution text check (execution = 'running' or execution = 'succeeded' or execution = 'failed' or execution = 'unknown'),
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
  seal text not null, door text,
  unique (tenant, id),
  check (execution is null or status = 'approved')
) strict;

CREATE INDEX approvals_by_agent on approvals (tenant, agent, risk) where due_at is null;

CREATE UNIQUE INDEX approvals_by_key on approvals (tenant, run, agent, call_key);

CREATE INDEX approvals_by_outcome on approvals (tenant, status, coalesce(execution, 'none'), risk)
  where due_at is null;

CREATE INDEX approvals_by_risk on approvals (tenant, risk) where due_at is null;

CREATE INDEX approvals_by_tool on approvals (tenant, tool, risk) where due_at is null;

CREATE INDEX approvals_counted on approvals (tenant, tool, server, door, status, asked_at)
  where due_at is null;

CREATE INDEX approvals_denied on approvals (tenant, agent, run, tool) where status = 'denied';

CREATE UNIQUE INDEX approvals_joined on approvals (tenant, agent, run, asked_digest)
  where joinable = 1;

CREATE INDEX approvals_open on approvals (tenant, due_at, status, agent, risk, decide_by)
  where due_at is not null;

CREATE TABLE channels (
  tenant text not null,
  name text not null,
  seen_at integer not null,
  problem text, kinds text,
  primary key (tenant, name)
) strict, without rowid;

CREATE TRIGGER checkpoints_fixed before update on checkpoints begin
  select raise(abort, 'checkpoints are append-only');
end;

CREATE TRIGGER checkpoints_in_order before insert on checkpoints
when exists (select 1 from checkpoints where tenant = new.tenant and n = new.n)
  or (new.n > 1 and not exists (
    select 1 from checkpoints where tenant = new.tenant and n = new.n - 1)) begin
  select raise(abort, 'each checkpoint follows the one before');
end;

CREATE TRIGGER checkpoints_stay before delete on checkpoints begin
  select raise(abort, 'checkpoints are append-only');
end;

CREATE TABLE checkpoints (
  tenant text not null,
  n integer not null check (n >= 1),
  at integer not null,
  kid text not null,
  jws text not null,
  primary key (tenant, n)
) strict, without rowid;

CREATE TRIGGER claims_fixed before update on claims begin
  select raise(abort, 'one claim per approval');
end;

CREATE TRIGGER claims_once before insert on claims
when exists (
  select 1 from claims where tenant = new.tenant and approval = new.approval
) begin
  select raise(rollback, 'one claim per approval');
end;

CREATE TRIGGER claims_stay before delete on claims begin
  select raise(abort, 'claims are kept');
end;

CREATE TABLE claims (
  tenant text not null,
  approval text not null,
  claim text not null,
  instance text,
  at integer not null,
  primary key (tenant, approval),
  foreign key (tenant, approval) references approvals (tenant, id)
) strict, without rowid;

CREATE TRIGGER content_erased after delete on content when old.kind = 'question' begin
  insert or ignore into search_stale (tenant, block)
    select tenant, position / 128 from approvals where tenant = old.tenant and id = old.approval;
end;

CREATE TRIGGER content_fixed before update on content begin
  select raise(abort, 'content is written once');
end;

CREATE TABLE content (
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

CREATE TABLE covered (
  tenant text not null,
  writer text not null,
  seq integer not null,
  primary key (tenant, writer)
) strict, without rowid;

CREATE TRIGGER events_fixed before update on events begin
  select raise(abort, 'events are append-only');
end;

CREATE TRIGGER events_in_order before insert on events
when exists (select 1 from events where position = new.position)
  or exists (select 1 from events where writer = new.writer and seq = new.seq)
  or not case new.seq
    when 1 then new.prev = '0000000000000000000000000000000000000000000000000000000000000000'
    else exists (
      select 1 from events where writer = new.writer and seq = new.seq - 1 and hash = new.prev
    )
  end begin
  select raise(rollback, 'each event follows the one before');
end;

CREATE TRIGGER events_stay before delete on events begin
  select raise(abort, 'events are append-only');
end;

CREATE TABLE events (
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

CREATE UNIQUE INDEX events_by_approval on events (tenant, approval, command, command_index)
  where approval is not null;

CREATE INDEX events_of_policy on events (tenant, position)
  where type in ('policy.loaded', 'policy.applied');

CREATE INDEX events_of_type on events (tenant, type)
  where type <> 'requested' and type <> 'decided' and type <> 'approved' and type <> 'claimed'
    and type <> 'finished';

CREATE TRIGGER grant_uses_fixed before update on grant_uses begin
  select raise(abort, 'uses are kept');
end;

CREATE TRIGGER grant_uses_once before insert on grant_uses
when exists (
  select 1 from grant_uses where tenant = new.tenant
    and (approval = new.approval or (grant_id = new.grant_id and n = new.n))
) begin
  select raise(abort, 'one use per call');
end;

CREATE TRIGGER grant_uses_stay before delete on grant_uses begin
  select raise(abort, 'uses are kept');
end;

CREATE TABLE grant_uses (
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

CREATE TRIGGER grants_begin before insert on grants
when new.revision <> 1 or new.uses <> 0 or new.state <> 'live' or exists (
  select 1 from grants where tenant = new.tenant and id = new.id
) begin
  select raise(abort, 'a grant begins once, unused');
end;

CREATE TRIGGER grants_only_shrink before update on grants
when new.revision <= old.revision or new.uses < old.uses or new.tenant <> old.tenant
  or new.id <> old.id or new.agent <> old.agent or new.tool <> old.tool
  or new.server is not old.server or new.most <> old.most or new.ends_at <> old.ends_at
  or new.minted_at <> old.minted_at
  or (old.state <> 'live' and (new.state <> old.state or new.uses <> old.uses)) begin
  select raise(abort, 'a grant only ever shrinks');
end;

CREATE TRIGGER grants_stay before delete on grants begin
  select raise(abort, 'grants are kept');
end;

CREATE TABLE grants (
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

CREATE INDEX grants_due on grants (tenant, ends_at) where state = 'live';

CREATE INDEX grants_live on grants (tenant, agent, tool, ends_at) where state = 'live';

CREATE TABLE identity (
  one_row integer primary key check (one_row = 1),
  database text not null,
  place text not null,
  has_head integer not null default 0,
  created_at integer not null
, written_at integer) strict;

CREATE TABLE instances (
  id text primary key,
  tenant text not null,
  started_at integer not null,
  seen_at integer not null,
  stopped_at integer,
  newest_at integer not null,
  linked_seq integer not null default 0
) strict, without rowid;

CREATE INDEX instances_by_age on instances (tenant, started_at);

CREATE TRIGGER keys_fixed before update on keys begin
  select raise(abort, 'keys are kept');
end;

CREATE TRIGGER keys_once before insert on keys
when exists (select 1 from keys where tenant = new.tenant and kid = new.kid) begin
  select raise(abort, 'a key is published once');
end;

CREATE TRIGGER keys_stay before delete on keys begin
  select raise(abort, 'keys are kept');
end;

CREATE TABLE keys (
  tenant text not null,
  kid text not null,
  jwk text not null,
  at integer not null,
  primary key (tenant, kid)
) strict, without rowid;

CREATE TABLE notices (
  position integer primary key,
  tenant text not null,
  channel text not null,
  id text not null,
  approval text not null,
  kind text not null,
  revision integer not null,
  at integer not null,
  attempts integer not null default 0,
  due_at integer,
  problem text,
  unique (tenant, channel, id)
) strict;

CREATE INDEX notices_due on notices (tenant, channel, due_at) where due_at is not null;

CREATE INDEX notices_in_order on notices (tenant, channel, approval, position);

CREATE TABLE observed (
  position integer primary key autoincrement,
  tenant text not null,
  at integer not null,
  body text not null
) strict;

CREATE INDEX observed_in_order on observed (tenant, position);

CREATE TABLE quarantines (
  tenant text not null,
  at integer not null,
  reason text not null,
  done_at integer,
  primary key (tenant, at)
) strict, without rowid;

CREATE TABLE records (
  tenant text not null,
  kind text not null,
  id text not null,
  revision integer not null check (revision >= 1),
  at integer not null,
  expires_at integer,
  value text not null,
  primary key (tenant, kind, id)
) strict, without rowid;

CREATE INDEX records_by_end on records (tenant, expires_at) where expires_at is not null;

CREATE TRIGGER results_fixed before update on results begin
  select raise(abort, 'content is written once');
end;

CREATE TABLE results (
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

CREATE TRIGGER search_blocks_added after insert on search_blocks begin
  insert into search_words (rowid, words) values (new.id, new.words);
end;

CREATE TRIGGER search_blocks_removed before delete on search_blocks begin
  insert into search_words (search_words, rowid, words) values ('delete', old.id, old.words);
end;

CREATE TABLE search_blocks (
  -- The number of the tenant times 2^32, and the number of the block.
  id integer primary key,
  words text not null
) strict;

CREATE TRIGGER search_stale_added after insert on search_stale begin
  delete from search_blocks where id = (
    select number * 4294967296 + new.block from search_tenants where tenant = new.tenant);
end;

CREATE TABLE search_stale (
  tenant text not null,
  block integer not null,
  primary key (tenant, block)
) strict, without rowid;

CREATE TABLE search_tenants (
  number integer primary key,
  tenant text not null unique,
  -- The first block that is not in the index.
  next_block integer not null,
  -- Events up to here are in the blocks before that.
  seen_event integer not null
) strict;

CREATE VIRTUAL TABLE search_words using fts5(
  words, content='search_blocks', content_rowid='id', detail=none, columnsize=0, tokenize='ascii'
);

CREATE TABLE 'search_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'search_words_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'search_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TRIGGER spent_fixed before update on spent begin
  select raise(abort, 'a countersignature counts once');
end;

CREATE TRIGGER spent_once before insert on spent
when exists (select 1 from spent where tenant = new.tenant and jti = new.jti) begin
  select raise(abort, 'a countersignature counts once');
end;

CREATE TABLE spent (
  tenant text not null,
  jti text not null,
  exp integer not null,
  at integer not null,
  primary key (tenant, jti)
) strict, without rowid;

CREATE INDEX spent_by_end on spent (tenant, exp);

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE statistics (
  tenant text not null,
  -- Since 1970, in UTC.
  day integer not null,
  dimension text not null,
  key text not null,
  counts text not null,
  primary key (tenant, day, dimension, key)
) strict, without rowid;

CREATE TABLE statistics_progress (
  tenant text primary key,
  cursor text not null,
  until integer not null
) strict, without rowid;

CREATE TRIGGER votes_once before insert on votes
when exists (
  select 1 from votes where tenant = new.tenant and approval = new.approval
    and issuer = new.issuer and subject = new.subject and digest = new.digest
) begin
  select raise(rollback, 'one vote per person and digest');
end;

CREATE TRIGGER votes_only_turn_to_no before update on votes
when new.tenant <> old.tenant or new.approval <> old.approval or new.issuer <> old.issuer
  or new.subject <> old.subject or new.digest <> old.digest
  or old.verdict <> 'approve' or new.verdict <> 'deny' begin
  select raise(abort, 'a vote only ever turns from yes to no');
end;

CREATE TRIGGER votes_stay before delete on votes begin
  select raise(abort, 'votes are kept');
end;

CREATE TABLE votes (
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
