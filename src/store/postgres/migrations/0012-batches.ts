import type { Migration } from './migration.ts'

/**
 * A batch of commands is one call to read and one to write, each one statement of the client.
 *
 * Functions, because each of their statements sees what was committed before it began: what is
 * read after a lock was waited for is what the lock was waited for. They run with the rights of the
 * role that calls them and resolve names as its own statements do. A later release that needs other
 * ones adds them under other names, so that servers of both releases can run side by side.
 *
 * Their plans are made once in a connection, perhaps while the tables are empty. Lists are short and
 * every row is found by an index, so plans that read whole tables are ruled out.
 */
export const batches: Migration = {
  name: 'batches',
  sql: `
-- How many questions an agent asked in a second: whatever its rate, a minute is sixty rows.
create table countersign.questions (
  tenant text not null,
  agent text not null,
  second bigint not null,
  asked bigint not null,
  primary key (tenant, agent, second)
);
create index questions_by_age on countersign.questions (second);
create index approvals_pending on countersign.approvals (tenant, agent) where status = 'pending';

-- By a trigger, so that questions of a server of an earlier release count as well. A call that a
-- grant covers asks no question: it begins approved.
create function countersign.count_questions() returns trigger language plpgsql as $$
begin
  insert into countersign.questions as q (tenant, agent, second, asked)
  select tenant, agent, asked_at / 1000, count(*) from added where status = 'pending'
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant, agent, second) do update set asked = q.asked + excluded.asked;
  return null;
end $$;
create trigger approvals_counted_by_second after insert on countersign.approvals
  referencing new table as added for each statement execute function countersign.count_questions();
insert into countersign.questions (tenant, agent, second, asked)
select tenant, agent, asked_at / 1000, count(*) from countersign.approvals
where asked_at > floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 120000
  and body::json ->> 'grant' is null
group by 1, 2, 3;

-- Locks are taken in one order by all batches: approvals by id, grants by id, the barrier, agents.
create function countersign.open_batch(
  of_tenant text, ids text[], callers json, grant_ids text[], held_kinds text[], agents text[],
  commands json, own_writer text, wants_head boolean, wants_links boolean)
returns table (kind text, id text, body text, seal text)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
      join countersign.approvals a
        on a.tenant = of_tenant and a.agent = c.agent and a.run = c.run and a.call_key = c.key
    ) || array(
      select a.id from json_to_recordset(callers) as c(agent text, run text, key text, digest text)
      join countersign.approvals a on c.key is null and a.tenant = of_tenant
        and a.agent = c.agent and a.run = c.run and a.asked_digest = c.digest and a.joinable = 1
    );
  end if;
  return query select 'approval', a.id, a.body, a.seal from countersign.approvals a
    where a.tenant = of_tenant and a.id = any(wanted) order by a.id for update;
  if grant_ids is not null then
    return query select 'grant', g.id, g.body, g.seal from countersign.grants g
      where g.tenant = of_tenant and g.id = any(grant_ids) order by g.id for update;
  end if;
  if commands is not null then
    return query select 'earlier', null::text, e.body, e.hash from countersign.events e
      join json_to_recordset(commands) as c(approval text, command text)
        on e.tenant = of_tenant and e.approval = c.approval and e.command = c.command
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
end $$;

create function countersign.assert_written(written bigint, expected bigint) returns void
language plpgsql as $$
begin
  if written <> expected then
    raise exception '% of % rows were written', written, expected;
  end if;
end $$;

-- Texts of any length come beside their rows, in the same order, so that they are not quoted twice.
create function countersign.write_batch(
  of_tenant text, changed json, changed_bodies text[], added json, added_bodies text[],
  contents json, content_values text[], results json, result_values text[], others json,
  chain json, chain_bodies text[], payloads text[])
returns void language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  written bigint;
  payload text;
begin
  -- What is acknowledged is on disk, and on the standbys that the server waits for.
  if current_setting('synchronous_commit') in ('off', 'local') then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- A joined call must end before its like begins, so changes go before new approvals.
  if changed is not null then
    update countersign.approvals a
    set revision = x.revision, status = x.status, execution = x.execution, joinable = x.joinable,
      decide_by = x.decide_by, due_at = x.due_at, instance = x.instance, body = x.unnest,
      seal = x.seal
    from rows from (json_to_recordset(changed) as (id text, was bigint, revision bigint,
      status text, execution text, joinable smallint, decide_by bigint, due_at bigint,
      instance text, seal text), unnest(changed_bodies)) as x
    where a.tenant = of_tenant and a.id = x.id and a.revision = x.was;
    get diagnostics written = row_count;
    perform countersign.assert_written(written, json_array_length(changed));
  end if;
  if added is not null then
    insert into countersign.approvals (tenant, id, revision, status, execution, agent, run,
      call_key, asked_digest, joinable, tool, server, risk, asked_at, decide_by, due_at, instance,
      seal, door, body)
    select of_tenant, x.* from rows from (json_to_recordset(added) as (id text, revision bigint,
      status text, execution text, agent text, run text, call_key text, asked_digest text,
      joinable smallint, tool text, server text, risk smallint, asked_at bigint, decide_by bigint,
      due_at bigint, instance text, seal text, door text), unnest(added_bodies)) as x;
  end if;
  if contents is not null then
    insert into countersign.content (tenant, approval, key, kind, at, salt, value)
    select of_tenant, x.* from rows from (json_to_recordset(contents) as (approval text, key text,
      kind text, at bigint, salt text), unnest(content_values)) as x;
  end if;
  if results is not null then
    insert into countersign.results (tenant, approval, key, kind, at, salt, value)
    select of_tenant, x.* from rows from (json_to_recordset(results) as (approval text, key text,
      kind text, at bigint, salt text), unnest(result_values)) as x;
  end if;

  if others is not null then
    perform countersign.write_others(of_tenant, others);
  end if;

  if chain is not null then
    insert into countersign.events (tenant, writer, seq, prev, hash, approval, revision, type, at,
      command, command_index, body)
    select of_tenant, x.* from rows from (json_to_recordset(chain) as (writer text, seq bigint,
      prev text, hash text, approval text, revision bigint, type text, at bigint, command text,
      command_index integer), unnest(chain_bodies)) as x
    order by x.seq;
  end if;
  -- A hint, and no reason to fail: a full queue would refuse the whole transaction.
  if payloads is not null and pg_notification_queue_usage() < 0.5 then
    foreach payload in array payloads loop perform pg_notify('countersign', payload); end loop;
  end if;
end $$;

-- What few batches bring: each part is there, or its name is not.
create function countersign.write_others(of_tenant text, others json) returns void
language plpgsql volatile as $$
#variable_conflict use_column
declare
  part json;
  written bigint;
begin
  part := others -> 'votes';
  if part is not null then
    insert into countersign.votes (tenant, approval, issuer, subject, digest, verdict, at)
    select of_tenant, x.* from json_to_recordset(part) as x(approval text, issuer text,
      subject text, digest text, verdict text, at bigint);
  end if;
  part := others -> 'turned';
  if part is not null then
    update countersign.votes v set verdict = x.verdict, at = x.at
    from json_to_recordset(part) as x(approval text, issuer text, subject text, digest text,
      verdict text, at bigint)
    where v.tenant = of_tenant and v.approval = x.approval and v.issuer = x.issuer
      and v.subject = x.subject and v.digest = x.digest;
    get diagnostics written = row_count;
    perform countersign.assert_written(written, json_array_length(part));
  end if;
  part := others -> 'claims';
  if part is not null then
    insert into countersign.claims (tenant, approval, claim, instance, at)
    select of_tenant, x.* from json_to_recordset(part) as x(approval text, claim text,
      instance text, at bigint);
  end if;
  part := others -> 'changedGrants';
  if part is not null then
    update countersign.grants g
    set revision = x.revision, state = x.state, uses = x.uses, body = x.body, seal = x.seal
    from json_to_recordset(part) as x(id text, was bigint, revision bigint, state text,
      uses integer, body text, seal text)
    where g.tenant = of_tenant and g.id = x.id and g.revision = x.was;
    get diagnostics written = row_count;
    perform countersign.assert_written(written, json_array_length(part));
  end if;
  part := others -> 'grants';
  if part is not null then
    insert into countersign.grants (tenant, id, revision, state, agent, tool, server, uses, most,
      minted_at, ends_at, body, seal)
    select of_tenant, x.* from json_to_recordset(part) as x(id text, revision bigint, state text,
      agent text, tool text, server text, uses integer, most integer, minted_at bigint,
      ends_at bigint, body text, seal text);
  end if;
  part := others -> 'uses';
  if part is not null then
    insert into countersign.grant_uses (tenant, grant_id, n, approval, at, amount)
    select of_tenant, x.* from json_to_recordset(part) as x("grant" text, n integer,
      approval text, at bigint, amount double precision);
  end if;
  -- As many as channels are open; mostly that is none.
  part := others -> 'notices';
  if part is not null then
    insert into countersign.notices (tenant, channel, id, approval, kind, revision, at, due_at)
    select c.tenant, c.name, x.id, x.approval, x.kind, x.revision, x.at, x.due_at
    from json_to_recordset(part) as x(id text, approval text, kind text, revision bigint,
      at bigint, due_at bigint, open bigint, place integer)
    join countersign.channels c
      on c.tenant = of_tenant and c.problem is null and c.seen_at > x.open
    order by x.place;
  end if;

  part := others -> 'registers';
  if part is not null then
    insert into countersign.instances (id, tenant, started_at, seen_at, newest_at)
    select x.id, of_tenant, x.at, x.at, x.at from json_to_record(part) as x(id text, at bigint);
  end if;
  part := others -> 'links';
  if part is not null then
    update countersign.instances i set linked_seq = h.seq
    from json_to_recordset(part) as h(writer text, seq bigint) where i.id = h.writer;
  end if;
  part := others -> 'beats';
  if part is not null then
    update countersign.instances i
    set seen_at = x.at, newest_at = greatest(x.at, x.newest), stopped_at = null
    from json_to_record(part) as x(id text, at bigint, newest bigint) where i.id = x.id;
    -- Rows that another server clears away at this moment are left to it.
    delete from countersign.questions where (tenant, agent, second) in (
      select tenant, agent, second from countersign.questions
      where second < (part ->> 'at')::bigint / 1000 - 120
      order by second limit 1000 for update skip locked);
  end if;
end $$;
`,
}
