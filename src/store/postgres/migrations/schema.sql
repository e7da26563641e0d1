create table countersign.approvals (
  position bigint not null generated always as identity,
  tenant text not null,
  id text collate "C" not null,
  revision bigint not null,
  status text not null,
  execution text,
  agent text not null,
  run text,
  call_key text,
  asked_digest text not null,
  joinable smallint not null,
  tool text not null,
  server text,
  risk smallint not null,
  asked_at bigint not null,
  decide_by bigint not null,
  due_at bigint,
  instance text,
  body text not null,
  seal text not null,
  door text
);

alter table countersign.approvals add constraint approvals_check CHECK (((execution IS NULL) OR (status = 'approved'::text)));

alter table countersign.approvals add constraint approvals_execution_check CHECK ((execution = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text])));

alter table countersign.approvals add constraint approvals_joinable_check CHECK ((joinable = ANY (ARRAY[0, 1])));

alter table countersign.approvals add constraint approvals_pkey PRIMARY KEY (tenant, id);

alter table countersign.approvals add constraint approvals_revision_check CHECK ((revision >= 1));

alter table countersign.approvals add constraint approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'withdrawn'::text, 'invalidated'::text])));

CREATE INDEX approvals_by_age ON countersign.approvals USING btree (tenant, "position");

CREATE UNIQUE INDEX approvals_by_key ON countersign.approvals USING btree (tenant, agent, run, call_key);

CREATE INDEX approvals_counted ON countersign.approvals USING btree (tenant, tool, server, door, status, asked_at);

CREATE UNIQUE INDEX approvals_joined ON countersign.approvals USING btree (tenant, agent, run, asked_digest) WHERE (joinable = 1);

CREATE INDEX approvals_open ON countersign.approvals USING btree (tenant, due_at) WHERE (due_at IS NOT NULL);

CREATE TRIGGER approvals_guarded BEFORE INSERT OR UPDATE ON countersign.approvals FOR EACH ROW EXECUTE FUNCTION countersign.guard_approval();

CREATE TRIGGER approvals_stay BEFORE DELETE ON countersign.approvals FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER approvals_stay_all BEFORE TRUNCATE ON countersign.approvals FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.channels (
  tenant text not null,
  name text not null,
  seen_at bigint not null,
  problem text
);

alter table countersign.channels add constraint channels_pkey PRIMARY KEY (tenant, name);

create table countersign.checkpoints (
  tenant text not null,
  n bigint not null,
  at bigint not null,
  kid text not null,
  jws text not null
);

alter table countersign.checkpoints add constraint checkpoints_n_check CHECK ((n >= 1));

alter table countersign.checkpoints add constraint checkpoints_pkey PRIMARY KEY (tenant, n);

CREATE TRIGGER checkpoints_in_order BEFORE INSERT ON countersign.checkpoints FOR EACH ROW EXECUTE FUNCTION countersign.guard_checkpoint();

CREATE TRIGGER checkpoints_stay BEFORE DELETE OR UPDATE ON countersign.checkpoints FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER checkpoints_stay_all BEFORE TRUNCATE ON countersign.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.claims (
  tenant text not null,
  approval text collate "C" not null,
  claim text not null,
  instance text,
  at bigint not null
);

alter table countersign.claims add constraint claims_pkey PRIMARY KEY (tenant, approval);

alter table countersign.claims add constraint claims_tenant_approval_fkey FOREIGN KEY (tenant, approval) REFERENCES countersign.approvals(tenant, id);

CREATE TRIGGER claims_stay BEFORE DELETE OR UPDATE ON countersign.claims FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER claims_stay_all BEFORE TRUNCATE ON countersign.claims FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.content (
  position bigint not null generated always as identity,
  tenant text not null,
  approval text collate "C" not null,
  key text not null,
  kind text not null,
  at bigint not null,
  salt text not null,
  value text not null
);

alter table countersign.content add constraint content_pkey PRIMARY KEY ("position");

alter table countersign.content add constraint content_tenant_approval_key_key UNIQUE (tenant, approval, key);

CREATE TRIGGER content_fixed BEFORE UPDATE ON countersign.content FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

create table countersign.covered (
  tenant text not null,
  writer text not null,
  seq bigint not null
);

alter table countersign.covered add constraint covered_pkey PRIMARY KEY (tenant, writer);

create table countersign.events (
  position bigint not null generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  tenant text not null,
  writer text not null,
  seq bigint not null,
  prev text not null,
  hash text not null,
  approval text collate "C",
  revision bigint,
  type text not null,
  at bigint not null,
  command text,
  command_index integer,
  body text not null
);

alter table countersign.events add constraint events_pkey PRIMARY KEY ("position");

alter table countersign.events add constraint events_seq_check CHECK ((seq >= 1));

alter table countersign.events add constraint events_writer_seq_key UNIQUE (writer, seq);

CREATE UNIQUE INDEX events_by_approval ON countersign.events USING btree (tenant, approval, command, command_index) WHERE (approval IS NOT NULL);

CREATE INDEX events_by_transaction ON countersign.events USING btree (tenant, xid, "position");

CREATE INDEX events_of_policy ON countersign.events USING btree (tenant, "position") WHERE (type = ANY (ARRAY['policy.loaded'::text, 'policy.applied'::text]));

CREATE TRIGGER events_in_order BEFORE INSERT ON countersign.events FOR EACH ROW EXECUTE FUNCTION countersign.guard_event();

CREATE TRIGGER events_stay BEFORE DELETE OR UPDATE ON countersign.events FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER events_stay_all BEFORE TRUNCATE ON countersign.events FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.folders (
  id text not null,
  at bigint not null
);

alter table countersign.folders add constraint folders_pkey PRIMARY KEY (id);

create table countersign.grant_uses (
  tenant text not null,
  grant_id text collate "C" not null,
  n integer not null,
  approval text collate "C" not null,
  at bigint not null,
  amount double precision
);

alter table countersign.grant_uses add constraint grant_uses_n_check CHECK ((n >= 1));

alter table countersign.grant_uses add constraint grant_uses_pkey PRIMARY KEY (tenant, grant_id, n);

alter table countersign.grant_uses add constraint grant_uses_tenant_approval_fkey FOREIGN KEY (tenant, approval) REFERENCES countersign.approvals(tenant, id);

alter table countersign.grant_uses add constraint grant_uses_tenant_approval_key UNIQUE (tenant, approval);

alter table countersign.grant_uses add constraint grant_uses_tenant_grant_id_fkey FOREIGN KEY (tenant, grant_id) REFERENCES countersign.grants(tenant, id);

CREATE TRIGGER grant_uses_stay BEFORE DELETE OR UPDATE ON countersign.grant_uses FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER grant_uses_stay_all BEFORE TRUNCATE ON countersign.grant_uses FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.grants (
  position bigint not null generated always as identity,
  tenant text not null,
  id text collate "C" not null,
  revision bigint not null,
  state text not null,
  agent text not null,
  tool text not null,
  server text,
  uses integer not null,
  most integer not null,
  minted_at bigint not null,
  ends_at bigint not null,
  body text not null,
  seal text not null
);

alter table countersign.grants add constraint grants_check CHECK (((uses >= 0) AND (uses <= most)));

alter table countersign.grants add constraint grants_check1 CHECK ((ends_at > minted_at));

alter table countersign.grants add constraint grants_most_check CHECK ((most >= 1));

alter table countersign.grants add constraint grants_pkey PRIMARY KEY (tenant, id);

alter table countersign.grants add constraint grants_revision_check CHECK ((revision >= 1));

alter table countersign.grants add constraint grants_state_check CHECK ((state = ANY (ARRAY['live'::text, 'used_up'::text, 'revoked'::text, 'expired'::text])));

CREATE INDEX grants_by_age ON countersign.grants USING btree (tenant, "position");

CREATE INDEX grants_due ON countersign.grants USING btree (tenant, ends_at) WHERE (state = 'live'::text);

CREATE INDEX grants_live ON countersign.grants USING btree (tenant, agent, tool, ends_at) WHERE (state = 'live'::text);

CREATE TRIGGER grants_guarded BEFORE INSERT OR UPDATE ON countersign.grants FOR EACH ROW EXECUTE FUNCTION countersign.guard_grant();

CREATE TRIGGER grants_stay BEFORE DELETE ON countersign.grants FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER grants_stay_all BEFORE TRUNCATE ON countersign.grants FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.identity (
  one_row boolean not null,
  database text not null,
  place text not null,
  created_at bigint not null,
  timeline text,
  written_at bigint
);

alter table countersign.identity add constraint identity_one_row_check CHECK (one_row);

alter table countersign.identity add constraint identity_pkey PRIMARY KEY (one_row);

create table countersign.instances (
  id text not null,
  tenant text not null,
  started_at bigint not null,
  seen_at bigint not null,
  stopped_at bigint,
  newest_at bigint not null,
  linked_seq bigint not null default 0
);

alter table countersign.instances add constraint instances_pkey PRIMARY KEY (id);

CREATE INDEX instances_by_age ON countersign.instances USING btree (tenant, started_at);

create table countersign.keys (
  tenant text not null,
  kid text not null,
  jwk text not null,
  at bigint not null
);

alter table countersign.keys add constraint keys_pkey PRIMARY KEY (tenant, kid);

CREATE TRIGGER keys_stay BEFORE DELETE OR UPDATE ON countersign.keys FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER keys_stay_all BEFORE TRUNCATE ON countersign.keys FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.migrations (
  version integer not null,
  name text not null,
  at timestamp with time zone not null default now()
);

alter table countersign.migrations add constraint migrations_pkey PRIMARY KEY (version);

create table countersign.notices (
  position bigint not null generated always as identity,
  tenant text not null,
  channel text not null,
  id text not null,
  approval text collate "C" not null,
  kind text not null,
  revision bigint not null,
  at bigint not null,
  attempts integer not null default 0,
  due_at bigint,
  problem text
);

alter table countersign.notices add constraint notices_pkey PRIMARY KEY ("position");

alter table countersign.notices add constraint notices_tenant_channel_id_key UNIQUE (tenant, channel, id);

CREATE INDEX notices_due ON countersign.notices USING btree (tenant, channel, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX notices_in_order ON countersign.notices USING btree (tenant, channel, approval, "position");

create table countersign.observed (
  position bigint not null generated always as identity,
  tenant text not null,
  at bigint not null,
  body text not null
);

alter table countersign.observed add constraint observed_pkey PRIMARY KEY ("position");

CREATE INDEX observed_in_order ON countersign.observed USING btree (tenant, "position");

create table countersign.quarantines (
  tenant text not null,
  at bigint not null,
  reason text not null,
  done_at bigint
);

alter table countersign.quarantines add constraint quarantines_pkey PRIMARY KEY (tenant, at);

create table countersign.records (
  tenant text not null,
  kind text not null,
  id text collate "C" not null,
  revision bigint not null,
  at bigint not null,
  expires_at bigint,
  value text not null
);

alter table countersign.records add constraint records_pkey PRIMARY KEY (tenant, kind, id);

alter table countersign.records add constraint records_revision_check CHECK ((revision >= 1));

CREATE INDEX records_by_end ON countersign.records USING btree (tenant, expires_at) WHERE (expires_at IS NOT NULL);

create table countersign.results (
  position bigint not null generated always as identity,
  tenant text not null,
  approval text collate "C" not null,
  key text not null,
  kind text not null,
  at bigint not null,
  salt text not null,
  value text not null
);

alter table countersign.results add constraint results_pkey PRIMARY KEY ("position");

alter table countersign.results add constraint results_tenant_approval_key_key UNIQUE (tenant, approval, key);

CREATE TRIGGER results_fixed BEFORE UPDATE ON countersign.results FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

create table countersign.spent (
  tenant text not null,
  jti text not null,
  exp bigint not null,
  at bigint not null
);

alter table countersign.spent add constraint spent_pkey PRIMARY KEY (tenant, jti);

CREATE INDEX spent_by_end ON countersign.spent USING btree (tenant, exp);

CREATE TRIGGER spent_fixed BEFORE UPDATE ON countersign.spent FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

create table countersign.votes (
  tenant text not null,
  approval text collate "C" not null,
  issuer text not null,
  subject text not null,
  digest text not null,
  verdict text not null,
  at bigint not null
);

alter table countersign.votes add constraint votes_pkey PRIMARY KEY (tenant, approval, issuer, subject, digest);

alter table countersign.votes add constraint votes_tenant_approval_fkey FOREIGN KEY (tenant, approval) REFERENCES countersign.approvals(tenant, id);

alter table countersign.votes add constraint votes_verdict_check CHECK ((verdict = ANY (ARRAY['approve'::text, 'deny'::text])));

CREATE TRIGGER votes_only_turn_to_no BEFORE UPDATE ON countersign.votes FOR EACH ROW EXECUTE FUNCTION countersign.guard_vote();

CREATE TRIGGER votes_stay BEFORE DELETE ON countersign.votes FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER votes_stay_all BEFORE TRUNCATE ON countersign.votes FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

CREATE OR REPLACE FUNCTION countersign.guard_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION countersign.guard_checkpoint()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.n > 1 and not exists (
    select 1 from countersign.checkpoints where tenant = new.tenant and n = new.n - 1
  ) then raise exception 'each checkpoint follows the one before'; end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.guard_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.seq = 1 then
    if new.prev <> repeat('0', 64) then raise exception 'a chain begins with nothing'; end if;
  elsif not exists (
    select 1 from countersign.events
    where writer = new.writer and seq = new.seq - 1 and hash = new.prev
  ) then raise exception 'each event follows the one before'; end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.guard_grant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION countersign.guard_vote()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.tenant, new.approval, new.issuer, new.subject, new.digest)
    is distinct from (old.tenant, old.approval, old.issuer, old.subject, old.digest)
    or old.verdict <> 'approve' or new.verdict <> 'deny' then
    raise exception 'a vote only ever turns from yes to no';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% are kept as they are', tg_table_name;
end $function$
;
