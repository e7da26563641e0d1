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

alter table countersign.approvals add constraint approvals_pkey PRIMARY KEY (tenant, id);

CREATE INDEX approvals_by_agent ON countersign.approvals USING btree (tenant, agent, risk, "position") WHERE (due_at IS NULL);

CREATE UNIQUE INDEX approvals_by_key ON countersign.approvals USING btree (tenant, run, agent, call_key);

CREATE INDEX approvals_by_outcome ON countersign.approvals USING btree (tenant, status, COALESCE(execution, 'none'::text), risk, "position") WHERE (due_at IS NULL);

CREATE INDEX approvals_by_risk ON countersign.approvals USING btree (tenant, risk, "position") WHERE (due_at IS NULL);

CREATE INDEX approvals_by_tool ON countersign.approvals USING btree (tenant, tool, risk, "position") WHERE (due_at IS NULL);

CREATE INDEX approvals_counted ON countersign.approvals USING btree (tenant, tool, server, door, status, asked_at) WHERE (due_at IS NULL);

CREATE UNIQUE INDEX approvals_joined ON countersign.approvals USING btree (tenant, agent, run, asked_digest) WHERE (joinable = 1);

CREATE INDEX approvals_open ON countersign.approvals USING btree (tenant, due_at, status, agent) WHERE (due_at IS NOT NULL);

CREATE INDEX approvals_pending ON countersign.approvals USING btree (tenant, agent) WHERE (status = 'pending'::text);

CREATE TRIGGER approvals_counted_by_second AFTER INSERT ON countersign.approvals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION countersign.count_questions();

CREATE TRIGGER approvals_guarded BEFORE INSERT OR UPDATE ON countersign.approvals FOR EACH ROW EXECUTE FUNCTION countersign.guard_approval();

CREATE TRIGGER approvals_stay BEFORE DELETE ON countersign.approvals FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

CREATE TRIGGER approvals_stay_all BEFORE TRUNCATE ON countersign.approvals FOR EACH STATEMENT EXECUTE FUNCTION countersign.refuse();

create table countersign.channels (
  tenant text not null,
  name text not null,
  seen_at bigint not null,
  problem text,
  kinds text[]
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

CREATE TRIGGER content_erased AFTER DELETE ON countersign.content REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION countersign.erase_words();

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

CREATE INDEX events_of_type ON countersign.events USING btree (tenant, type, xid, "position") WHERE (type <> ALL (ARRAY['requested'::text, 'decided'::text, 'approved'::text, 'claimed'::text, 'finished'::text]));

CREATE TRIGGER events_in_order AFTER INSERT ON countersign.events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION countersign.guard_events();

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
  written_at bigint,
  restored_until bigint not null default 0
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
  at timestamp with time zone not null default now(),
  beside_older boolean not null default false
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

create table countersign.questions (
  tenant text not null,
  agent text not null,
  second bigint not null,
  asked bigint not null
);

alter table countersign.questions add constraint questions_pkey PRIMARY KEY (tenant, agent, second);

CREATE INDEX questions_by_age ON countersign.questions USING btree (second);

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

create table countersign.search_blocks (
  tenant text not null,
  block bigint not null,
  words tsvector not null
);

alter table countersign.search_blocks add constraint search_blocks_pkey PRIMARY KEY (tenant, block);

CREATE INDEX search_blocks_by_word ON countersign.search_blocks USING gin (words);

create table countersign.search_stale (
  tenant text not null,
  block bigint not null
);

alter table countersign.search_stale add constraint search_stale_pkey PRIMARY KEY (tenant, block);

create table countersign.search_tenants (
  tenant text not null,
  next_block bigint not null,
  horizon xid8 not null
);

alter table countersign.search_tenants add constraint search_tenants_pkey PRIMARY KEY (tenant);

create table countersign.spent (
  tenant text not null,
  jti text not null,
  exp bigint not null,
  at bigint not null
);

alter table countersign.spent add constraint spent_pkey PRIMARY KEY (tenant, jti);

CREATE INDEX spent_by_end ON countersign.spent USING btree (tenant, exp);

CREATE TRIGGER spent_fixed BEFORE UPDATE ON countersign.spent FOR EACH ROW EXECUTE FUNCTION countersign.refuse();

create table countersign.statistics (
  tenant text not null,
  day integer not null,
  dimension text not null,
  key text not null,
  counts text not null
);

alter table countersign.statistics add constraint statistics_pkey PRIMARY KEY (tenant, day, dimension, key);

create table countersign.statistics_progress (
  tenant text not null,
  cursor text not null,
  until bigint not null
);

alter table countersign.statistics_progress add constraint statistics_progress_pkey PRIMARY KEY (tenant);

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

CREATE OR REPLACE FUNCTION countersign.apply_batch(of_tenant text, known_database text, known_server text, known_timeline text, known_flushed bigint, known_position bigint, known_hash text, planned_at bigint, ids text[], seals text[], callers text[], held_kinds text[], caps text[], changed text[], added text[], contents text[], results text[], votes text[], claims text[], notices text[], others json, chain text[], payloads text[])
 RETURNS TABLE(now bigint, flushed bigint, "position" bigint, hash text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  found_seals text[];
  next_due bigint;
  clock bigint;
  on_disk bigint;
  newest record;
  done text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'transactions begin with the isolation level %, and only read committed will do',
      current_setting('transaction_isolation');
  end if;

  -- The same database on the same server, with all the history that the process knows. A server
  -- that was not started anew since it was asked for its cluster belongs to that cluster.
  if pg_is_in_recovery() then return; end if;
  on_disk := (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint;
  if on_disk < known_flushed
    or substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) <> known_timeline
    or extract(epoch from pg_postmaster_start_time())::text || ' ' ||
      pg_relation_filepath('countersign.identity') <> known_server
  then return; end if;
  if not exists (select 1 from countersign.identity i where i.database = known_database)
    or (known_position > 0 and not exists (
      select 1 from countersign.events e
      where e.position = known_position and e.hash = known_hash))
  then return; end if;

  -- The seal stands for all of an approval. One that was changed behind our back differs from it.
  if seals is not null then
    select array_agg(locked.seal),
      least(min(locked.due_at) filter (where locked.due_at > planned_at),
        min(locked.decide_by) filter (where locked.decide_by > planned_at))
    into found_seals, next_due from (
      select a.body, a.seal, a.due_at, a.decide_by from countersign.approvals a
      where a.tenant = of_tenant and a.id = any(ids) order by a.id for update) locked
    where locked.seal = encode(sha256(convert_to(locked.body, 'UTF8')), 'hex');
    if found_seals is distinct from seals then return; end if;
  end if;
  if held_kinds is not null then
    done := pg_advisory_xact_lock_shared(hashtextextended(of_tenant, 4748));
    if exists (select 1 from countersign.records r
      where r.tenant = of_tenant and r.kind = any(held_kinds)) then return; end if;
  end if;
  -- How many questions of an agent leave room for those of this batch.
  if caps is not null then
    for at in 0 .. cardinality(caps) - 1 by 3 loop
      done := pg_advisory_xact_lock(hashtextextended(of_tenant || ' ' || caps[at + 1], 4749));
    end loop;
    if exists (
      select 1 from generate_series(0, cardinality(caps) - 1, 3) i
      where (select count(*) from countersign.approvals a
          where a.tenant = of_tenant and a.agent = caps[i + 1] and a.status = 'pending')
          > caps[i + 2]::bigint
        or (select coalesce(sum(q.asked), 0) from countersign.questions q
          where q.tenant = of_tenant and q.agent = caps[i + 1] and q.second >= floor(
            extract(epoch from clock_timestamp()))::bigint - 60) > caps[i + 3]::bigint
    ) then return; end if;
  end if;
  -- Nothing to join, and for a request that looks first nothing to look at.
  if callers is not null then
    if exists (
      select 1 from (
        select callers[i + 1] as agent, callers[i + 2] as run, callers[i + 3] as key,
          callers[i + 4] as digest, callers[i + 5] as looks, callers[i + 6] as tool,
          callers[i + 7] as server
        from generate_series(0, cardinality(callers) - 1, 7) i offset 0) c
      left join lateral (
        select true as found from countersign.approvals where tenant = of_tenant
          and agent = c.agent and run = c.run and call_key = c.key limit 1) keyed on true
      left join lateral (
        select true as found from countersign.approvals where c.key is null and tenant = of_tenant
          and agent = c.agent and run = c.run and asked_digest = c.digest and joinable = 1 limit 1
      ) joined on true
      left join lateral (
        select true as found from countersign.approvals where c.looks is not null
          and tenant = of_tenant and run = c.run and agent = c.agent and status = 'denied'
          and tool = c.tool limit 1) denied on true
      left join lateral (
        select true as found from countersign.grants where c.looks is not null
          and tenant = of_tenant and agent = c.agent and tool = c.tool
          and server is not distinct from c.server and state = 'live'
          and ends_at > floor(extract(epoch from clock_timestamp()) * 1000)::bigint limit 1
      ) granted on true
      where keyed.found or joined.found or denied.found or granted.found
    ) then return; end if;
  end if;

  -- The plan's time is the clock's as the process knew it: never ahead of it, not old, and with
  -- nothing that ended or fell due since.
  clock := floor(extract(epoch from clock_timestamp()) * 1000)::bigint;
  if planned_at > clock or planned_at < clock - 500 or next_due <= clock then return; end if;

  select e.position, e.hash into newest from countersign.events e order by e.position desc limit 1;
  done := countersign.write_rows(of_tenant, planned_at, changed, added, contents, results, votes,
    claims, notices, others, chain, payloads);
  now := clock;
  flushed := on_disk;
  "position" := coalesce(newest.position, 0);
  hash := coalesce(newest.hash, '');
  return next;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.count_questions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into countersign.questions as q (tenant, agent, second, asked)
  select tenant, agent, asked_at / 1000, count(*) from added where status = 'pending'
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant, agent, second) do update set asked = q.asked + excluded.asked;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.erase_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  touched record;
begin
  for touched in
    select a.tenant, array_agg(distinct a.position / 128) as blocks from gone g
    join countersign.approvals a on a.tenant = g.tenant and a.id = g.approval
    where g.kind = 'question' group by 1 order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended(touched.tenant, 4750));
    insert into countersign.search_stale (tenant, block)
      select touched.tenant, unnest(touched.blocks) on conflict do nothing;
    delete from countersign.search_blocks
      where tenant = touched.tenant and block = any(touched.blocks);
  end loop;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.guard_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.status not in ('pending', 'approved', 'denied', 'expired', 'withdrawn', 'invalidated')
    or new.execution not in ('running', 'succeeded', 'failed', 'unknown')
    or (new.execution is not null and new.status <> 'approved')
    or new.joinable not in (0, 1) then
    raise exception 'an approval has no such state' using errcode = 'check_violation';
  end if;
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

CREATE OR REPLACE FUNCTION countersign.guard_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select 1 from added a left join lateral (
      select hash from countersign.events where writer = a.writer and seq = a.seq - 1 limit 1
    ) earlier on true
    where a.prev is distinct from case a.seq when 1 then repeat('0', 64) else earlier.hash end
  ) then raise exception 'each event follows the one before'; end if;
  return null;
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

CREATE OR REPLACE FUNCTION countersign.open_batch(of_tenant text, ids text[], callers json, grant_ids text[], held_kinds text[], agents text[], commands json, own_writer text, wants_head boolean, wants_links boolean)
 RETURNS TABLE(kind text, id text, body text, seal text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  wanted text[] := ids;
begin
  -- At another level, all of this would see what was there before the first lock was waited for.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'transactions begin with the isolation level %, and only read committed will do',
      current_setting('transaction_isolation');
  end if;

  if callers is not null then
    wanted := wanted || array(
      select a.id from json_to_recordset(callers) as c(agent text, run text, key text)
      cross join lateral (
        select id from countersign.approvals where tenant = of_tenant and agent = c.agent
          and run = c.run and call_key = c.key offset 0) a
    ) || array(
      select a.id from json_to_recordset(callers) as c(agent text, run text, key text, digest text)
      cross join lateral (
        select id from countersign.approvals where tenant = of_tenant and agent = c.agent
          and run = c.run and asked_digest = c.digest and joinable = 1 offset 0) a
      where c.key is null
    );
  end if;
  return query select 'approval', a.id, a.body, a.seal from countersign.approvals a
    where a.tenant = of_tenant and a.id = any(wanted) order by a.id for update;
  if grant_ids is not null then
    return query select 'grant', g.id, g.body, g.seal from countersign.grants g
      where g.tenant = of_tenant and g.id = any(grant_ids) order by g.id for update;
  end if;
  if commands is not null then
    return query select 'earlier', null::text, e.body, e.hash
      from json_to_recordset(commands) as c(approval text, command text)
      cross join lateral (
        select position, body, hash from countersign.events where tenant = of_tenant
          and approval = c.approval and command = c.command offset 0) e
      order by e.position;
  end if;

  -- Batches take the barrier shared, amendments take it alone: a lock that is set waits for the
  -- claims under way, and every later claim sees it. After the rows: two orders would deadlock.
  if held_kinds is not null then
    perform pg_advisory_xact_lock_shared(hashtextextended(of_tenant, 4748));
    return query select r.kind, r.id, r.value, null::text from countersign.records r
      where r.tenant = of_tenant and r.kind = any(held_kinds);
  end if;
  -- One question at a time of an agent that has caps, whatever the server: two that count at once
  -- would both find room for the last one.
  if agents is not null then
    perform pg_advisory_xact_lock(hashtextextended(of_tenant || ' ' || agent, 4749))
      from unnest(agents) agent;
    return query select 'load', w.agent,
      (select count(*) from countersign.approvals a
        where a.tenant = of_tenant and a.agent = w.agent and a.status = 'pending')::text,
      (select coalesce(sum(q.asked), 0) from countersign.questions q
        where q.tenant = of_tenant and q.agent = w.agent and q.second >= floor(
          extract(epoch from clock_timestamp()))::bigint - 60)::text
      from unnest(agents) as w(agent);
  end if;

  -- Requests that are not to be asked before what was denied or granted earlier is looked at.
  if callers is not null then
    return query select 'prior', c.looks, null::text, null::text
      from json_to_recordset(callers) as c(looks text, agent text, run text, tool text, server text)
      left join lateral (
        select true as found from countersign.approvals where tenant = of_tenant and run = c.run
          and agent = c.agent and status = 'denied' and tool = c.tool limit 1) denied on true
      left join lateral (
        select true as found from countersign.grants where tenant = of_tenant and agent = c.agent
          and tool = c.tool and server is not distinct from c.server and state = 'live'
          and ends_at > floor(extract(epoch from clock_timestamp()) * 1000)::bigint limit 1
      ) granted on true
      where c.looks is not null and (denied.found or granted.found);
  end if;

  return query select 'now', null::text,
    floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text, null::text;
  if wants_head then
    return query select 'own', e.writer, e.seq::text, e.hash from countersign.events e
      where e.writer = own_writer order by e.seq desc limit 1;
  end if;
  if wants_links then
    return query select 'link', i.id, e.seq::text, e.hash from countersign.instances i
      join lateral (
        select seq, hash from countersign.events where writer = i.id order by seq desc limit 1
      ) e on true
      where i.tenant = of_tenant and i.id <> own_writer and exists (
        select 1 from countersign.events
        where writer = i.id and seq > i.linked_seq and type not like 'chain.%'
      )
      order by i.id limit 64;
  end if;
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

CREATE OR REPLACE FUNCTION countersign.search_nearest(of_tenant text, wanted tsquery, from_block bigint, downwards boolean)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
begin
  if downwards then
    return (select max(block) from (select block from countersign.search_blocks
      where tenant = of_tenant and words @@ wanted offset 0) f where block <= from_block);
  end if;
  return (select min(block) from (select block from countersign.search_blocks
    where tenant = of_tenant and words @@ wanted offset 0) f where block >= from_block);
end $function$
;

CREATE OR REPLACE FUNCTION countersign.write_batch(of_tenant text, written_at bigint, changed text[], added text[], contents text[], results text[], votes text[], claims text[], notices text[], others json, chain text[], payloads text[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform countersign.write_rows(of_tenant, written_at, changed, added, contents, results, votes,
    claims, notices, others, chain, payloads);
end $function$
;

CREATE OR REPLACE FUNCTION countersign.write_others(of_tenant text, others json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  parts record;
  written bigint;
begin
  select * into parts from json_to_record(others) as x(turned json, "changedGrants" json,
    grants json, uses json, registers json, links json, beats json);
  if parts.turned is not null then
    update countersign.votes v set verdict = x.verdict, at = x.at
    from json_to_recordset(parts.turned) as x(approval text, issuer text, subject text,
      digest text, verdict text, at bigint)
    where v.tenant = of_tenant and v.approval = x.approval and v.issuer = x.issuer
      and v.subject = x.subject and v.digest = x.digest;
    get diagnostics written = row_count;
    if written <> json_array_length(parts.turned) then
      raise exception '% votes were changed', written;
    end if;
  end if;
  if parts."changedGrants" is not null then
    update countersign.grants g
    set revision = x.revision, state = x.state, uses = x.uses, body = x.body, seal = x.seal
    from json_to_recordset(parts."changedGrants") as x(id text, was bigint, revision bigint,
      state text, uses integer, body text, seal text)
    where g.tenant = of_tenant and g.id = x.id and g.revision = x.was;
    get diagnostics written = row_count;
    if written <> json_array_length(parts."changedGrants") then
      raise exception '% grants were changed', written;
    end if;
  end if;
  if parts.grants is not null then
    insert into countersign.grants (tenant, id, revision, state, agent, tool, server, uses, most,
      minted_at, ends_at, body, seal)
    select of_tenant, x.* from json_to_recordset(parts.grants) as x(id text, revision bigint,
      state text, agent text, tool text, server text, uses integer, most integer,
      minted_at bigint, ends_at bigint, body text, seal text);
  end if;
  if parts.uses is not null then
    insert into countersign.grant_uses (tenant, grant_id, n, approval, at, amount)
    select of_tenant, x.* from json_to_recordset(parts.uses) as x("grant" text, n integer,
      approval text, at bigint, amount double precision);
  end if;

  if parts.registers is not null then
    insert into countersign.instances (id, tenant, started_at, seen_at, newest_at)
    select x.id, of_tenant, x.at, x.at, x.at
    from json_to_record(parts.registers) as x(id text, at bigint);
  end if;
  if parts.links is not null then
    update countersign.instances i set linked_seq = h.seq
    from json_to_recordset(parts.links) as h(writer text, seq bigint) where i.id = h.writer;
  end if;
  if parts.beats is not null then
    update countersign.instances i
    set seen_at = x.at, newest_at = greatest(x.at, x.newest), stopped_at = null
    from json_to_record(parts.beats) as x(id text, at bigint, newest bigint) where i.id = x.id;
    -- Rows that another server clears away at this moment are left to it.
    delete from countersign.questions where (tenant, agent, second) in (
      select tenant, agent, second from countersign.questions
      where second < (parts.beats ->> 'at')::bigint / 1000 - 120
      order by second limit 1000 for update skip locked);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION countersign.write_rows(of_tenant text, written_at bigint, changed text[], added text[], contents text[], results text[], votes text[], claims text[], notices text[], others json, chain text[], payloads text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  written bigint;
  done bigint;
  payload text;
  told text;
begin
  -- What is acknowledged is on disk, and on the standbys that the server waits for.
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- A joined call must end before its like begins, so changes go before new approvals.
  if changed is not null then
    written := 0;
    if cardinality(changed) <= 22 then
      for i in 0 .. cardinality(changed) - 1 by 11 loop
        update countersign.approvals
        set revision = changed[i + 3]::bigint, status = changed[i + 4],
          execution = changed[i + 5], joinable = changed[i + 6]::smallint,
          decide_by = changed[i + 7]::bigint, due_at = changed[i + 8]::bigint,
          instance = changed[i + 9], seal = changed[i + 10], body = changed[i + 11]
        where tenant = of_tenant and id = changed[i + 1] and revision = changed[i + 2]::bigint;
        get diagnostics done = row_count;
        written := written + done;
      end loop;
    else
      update countersign.approvals a
      set revision = changed[i + 3]::bigint, status = changed[i + 4], execution = changed[i + 5],
        joinable = changed[i + 6]::smallint, decide_by = changed[i + 7]::bigint,
        due_at = changed[i + 8]::bigint, instance = changed[i + 9], seal = changed[i + 10],
        body = changed[i + 11]
      from generate_series(0, cardinality(changed) - 1, 11) i
      cross join lateral (
        select ctid from countersign.approvals
        where tenant = of_tenant and id = changed[i + 1] and revision = changed[i + 2]::bigint
        offset 0) found
      where a.ctid = found.ctid;
      get diagnostics written = row_count;
    end if;
    if written * 11 <> cardinality(changed) then
      raise exception '% of % rows were written', written, cardinality(changed) / 11;
    end if;
  end if;

  if cardinality(added) <= 38 then
    for i in 0 .. cardinality(added) - 1 by 19 loop
      insert into countersign.approvals (tenant, id, revision, status, execution, agent, run, call_key, asked_digest, joinable, tool, server, risk, asked_at, decide_by, due_at, instance, seal, door, body)
      values (of_tenant, added[i + 1], added[i + 2]::bigint, added[i + 3], added[i + 4], added[i + 5], added[i + 6], added[i + 7], added[i + 8], added[i + 9]::smallint, added[i + 10], added[i + 11], added[i + 12]::smallint, added[i + 13]::bigint, added[i + 14]::bigint, added[i + 15]::bigint, added[i + 16], added[i + 17], added[i + 18], added[i + 19]);
    end loop;
  elsif added is not null then
    insert into countersign.approvals (tenant, id, revision, status, execution, agent, run, call_key, asked_digest, joinable, tool, server, risk, asked_at, decide_by, due_at, instance, seal, door, body)
    select of_tenant, added[i + 1], added[i + 2]::bigint, added[i + 3], added[i + 4], added[i + 5], added[i + 6], added[i + 7], added[i + 8], added[i + 9]::smallint, added[i + 10], added[i + 11], added[i + 12]::smallint, added[i + 13]::bigint, added[i + 14]::bigint, added[i + 15]::bigint, added[i + 16], added[i + 17], added[i + 18], added[i + 19]
    from generate_series(0, cardinality(added) - 1, 19) i order by i;
  end if;

  if cardinality(contents) <= 12 then
    for i in 0 .. cardinality(contents) - 1 by 6 loop
      insert into countersign.content (tenant, approval, key, kind, at, salt, value)
      values (of_tenant, contents[i + 1], contents[i + 2], contents[i + 3], contents[i + 4]::bigint, contents[i + 5], contents[i + 6]);
    end loop;
  elsif contents is not null then
    insert into countersign.content (tenant, approval, key, kind, at, salt, value)
    select of_tenant, contents[i + 1], contents[i + 2], contents[i + 3], contents[i + 4]::bigint, contents[i + 5], contents[i + 6]
    from generate_series(0, cardinality(contents) - 1, 6) i order by i;
  end if;

  if cardinality(results) <= 12 then
    for i in 0 .. cardinality(results) - 1 by 6 loop
      insert into countersign.results (tenant, approval, key, kind, at, salt, value)
      values (of_tenant, results[i + 1], results[i + 2], results[i + 3], results[i + 4]::bigint, results[i + 5], results[i + 6]);
    end loop;
  elsif results is not null then
    insert into countersign.results (tenant, approval, key, kind, at, salt, value)
    select of_tenant, results[i + 1], results[i + 2], results[i + 3], results[i + 4]::bigint, results[i + 5], results[i + 6]
    from generate_series(0, cardinality(results) - 1, 6) i order by i;
  end if;

  if cardinality(votes) <= 12 then
    for i in 0 .. cardinality(votes) - 1 by 6 loop
      insert into countersign.votes (tenant, approval, issuer, subject, digest, verdict, at)
      values (of_tenant, votes[i + 1], votes[i + 2], votes[i + 3], votes[i + 4], votes[i + 5], votes[i + 6]::bigint);
    end loop;
  elsif votes is not null then
    insert into countersign.votes (tenant, approval, issuer, subject, digest, verdict, at)
    select of_tenant, votes[i + 1], votes[i + 2], votes[i + 3], votes[i + 4], votes[i + 5], votes[i + 6]::bigint
    from generate_series(0, cardinality(votes) - 1, 6) i order by i;
  end if;

  if cardinality(claims) <= 8 then
    for i in 0 .. cardinality(claims) - 1 by 4 loop
      insert into countersign.claims (tenant, approval, claim, instance, at)
      values (of_tenant, claims[i + 1], claims[i + 2], claims[i + 3], claims[i + 4]::bigint);
    end loop;
  elsif claims is not null then
    insert into countersign.claims (tenant, approval, claim, instance, at)
    select of_tenant, claims[i + 1], claims[i + 2], claims[i + 3], claims[i + 4]::bigint
    from generate_series(0, cardinality(claims) - 1, 4) i order by i;
  end if;
  -- As many as channels are open; mostly that is none.
  if notices is not null then
    insert into countersign.notices (tenant, channel, id, approval, kind, revision, at, due_at)
    select c.tenant, c.name, notices[i + 1], notices[i + 2], notices[i + 3],
      notices[i + 4]::bigint, notices[i + 5]::bigint, written_at
    from countersign.channels c
    cross join generate_series(0, cardinality(notices) - 1, 6) i
    where c.tenant = of_tenant and c.problem is null and c.seen_at > notices[i + 6]::bigint
      and (c.kinds is null or notices[i + 3] = any(c.kinds))
    order by i;
  end if;
  if others is not null then
    perform countersign.write_others(of_tenant, others);
  end if;


  if cardinality(chain) <= 22 then
    for i in 0 .. cardinality(chain) - 1 by 11 loop
      insert into countersign.events (tenant, writer, seq, prev, hash, approval, revision, type, at, command, command_index, body)
      values (of_tenant, chain[i + 1], chain[i + 2]::bigint, chain[i + 3], chain[i + 4], chain[i + 5], chain[i + 6]::bigint, chain[i + 7], chain[i + 8]::bigint, chain[i + 9], chain[i + 10]::integer, chain[i + 11]);
    end loop;
  elsif chain is not null then
    insert into countersign.events (tenant, writer, seq, prev, hash, approval, revision, type, at, command, command_index, body)
    select of_tenant, chain[i + 1], chain[i + 2]::bigint, chain[i + 3], chain[i + 4], chain[i + 5], chain[i + 6]::bigint, chain[i + 7], chain[i + 8]::bigint, chain[i + 9], chain[i + 10]::integer, chain[i + 11]
    from generate_series(0, cardinality(chain) - 1, 11) i order by i;
  end if;
  -- A hint, and no reason to fail: a full queue would refuse the whole transaction.
  if payloads is not null and pg_notification_queue_usage() < 0.5 then
    foreach payload in array payloads loop
      told := pg_notify('countersign', payload);
    end loop;
  end if;
end $function$
;
