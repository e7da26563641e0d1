import type { Migration } from './migration.ts'

/**
 * Every row of a batch is found by its key. Plans are made once in a connection, perhaps while the
 * tables are empty, and for a table without statistics the planner expects few rows of a tenant: it
 * read all of them for each batch. A subquery with an offset or a limit is planned by itself, so its
 * key is all that it can go by; the row is then changed where it was found, under the lock of `open_batch`.
 */
export const keyedPlans: Migration = {
  name: 'keyed plans',
  sql: `
create or replace function countersign.open_batch(
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
end $$;

create or replace function countersign.write_batch(
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
    cross join lateral (
      select ctid from countersign.approvals
      where tenant = of_tenant and id = x.id and revision = x.was offset 0) found
    where a.ctid = found.ctid;
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

-- Once for all events of a statement.
create function countersign.guard_events() returns trigger language plpgsql as $$
begin
  if exists (
    select 1 from added a left join lateral (
      select hash from countersign.events where writer = a.writer and seq = a.seq - 1 limit 1
    ) earlier on true
    where a.prev is distinct from case a.seq when 1 then repeat('0', 64) else earlier.hash end
  ) then raise exception 'each event follows the one before'; end if;
  return null;
end $$;
drop trigger events_in_order on countersign.events;
create trigger events_in_order after insert on countersign.events
  referencing new table as added for each statement execute function countersign.guard_events();
drop function countersign.guard_event();
`,
}
