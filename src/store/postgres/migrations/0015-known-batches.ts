import type { Migration } from './migration.ts'

/**
 * A batch over approvals that its process knows is one call: it locks, holds everything the plan was
 * made by against what is there, and writes. No row comes back where anything differs, and nothing
 * was written: the process then reads, by `open_batch`, and plans anew.
 *
 * Generic plans: every row is found by its key, whatever the values, and planning took longer than
 * finding.
 */
export const knownBatches: Migration = {
  name: 'known batches',
  sql: `
alter function countersign.open_batch(text, text[], json, text[], text[], text[], json, text,
  boolean, boolean) set plan_cache_mode = force_generic_plan;
alter function countersign.write_batch(text, json, text[], json, text[], json, text[], json, text[],
  json, json, text[], text[]) set plan_cache_mode = force_generic_plan;

-- Locks are taken in the order of open_batch: approvals by id, the barrier, agents.
create function countersign.apply_batch(
  of_tenant text, known_database text, known_place text, known_timeline text,
  known_flushed bigint, known_position bigint, known_hash text, planned_at bigint,
  ids text[], seals text[], callers json, held_kinds text[], caps json,
  changed json, changed_bodies text[], added json, added_bodies text[],
  contents json, content_values text[], results json, result_values text[], others json,
  chain json, chain_bodies text[], payloads text[])
returns table (now bigint, flushed bigint, "position" bigint, hash text)
language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  found_seals text[];
  next_due bigint;
  clock bigint;
  on_disk bigint;
  newest record;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'transactions begin with the isolation level %, and only read committed will do',
      current_setting('transaction_isolation');
  end if;

  -- The same database on the same server, with all the history that the process knows.
  if pg_is_in_recovery() then return; end if;
  on_disk := (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint;
  if on_disk < known_flushed
    or substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) <> known_timeline
    or 'cluster:' || (select system_identifier from pg_control_system()) || '/' ||
      (select oid from pg_database where datname = current_database()) || '/' ||
      'countersign.identity'::regclass::oid <> known_place
    or (select i.database from countersign.identity i) is distinct from known_database
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
    perform pg_advisory_xact_lock_shared(hashtextextended(of_tenant, 4748));
    if exists (select 1 from countersign.records r
      where r.tenant = of_tenant and r.kind = any(held_kinds)) then return; end if;
  end if;
  -- How many questions of an agent leave room for those of this batch.
  if caps is not null then
    perform pg_advisory_xact_lock(hashtextextended(of_tenant || ' ' || c.agent, 4749))
      from json_to_recordset(caps) as c(agent text);
    if exists (
      select 1 from json_to_recordset(caps) as c(agent text, pending bigint, lately bigint)
      where (select count(*) from countersign.approvals a
          where a.tenant = of_tenant and a.agent = c.agent and a.status = 'pending') > c.pending
        or (select coalesce(sum(q.asked), 0) from countersign.questions q
          where q.tenant = of_tenant and q.agent = c.agent and q.second >= floor(
            extract(epoch from clock_timestamp()))::bigint - 60) > c.lately
    ) then return; end if;
  end if;
  -- Nothing to join, and for a request that looks first nothing to look at.
  if callers is not null then
    if exists (
      select 1 from json_to_recordset(callers) as c(agent text, run text, key text, digest text,
        looks text, tool text, server text)
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
  perform countersign.write_batch(of_tenant, changed, changed_bodies, added, added_bodies, contents,
    content_values, results, result_values, others, chain, chain_bodies, payloads);
  return query select clock, on_disk, coalesce(newest.position, 0), coalesce(newest.hash, '');
end $$;
`,
}
