import type { Migration } from './migration.ts'

/** Names and types of the columns of a row, in the order of `write.ts`. */
type Columns = readonly (readonly [name: string, type?: string])[]

const APPROVAL: Columns = [
  ['id'],
  ['revision', 'bigint'],
  ['status'],
  ['execution'],
  ['agent'],
  ['run'],
  ['call_key'],
  ['asked_digest'],
  ['joinable', 'smallint'],
  ['tool'],
  ['server'],
  ['risk', 'smallint'],
  ['asked_at', 'bigint'],
  ['decide_by', 'bigint'],
  ['due_at', 'bigint'],
  ['instance'],
  ['seal'],
  ['door'],
  ['body'],
]
const CONTENT: Columns = [['approval'], ['key'], ['kind'], ['at', 'bigint'], ['salt'], ['value']]
const VOTE: Columns = [
  ['approval'],
  ['issuer'],
  ['subject'],
  ['digest'],
  ['verdict'],
  ['at', 'bigint'],
]
const CLAIM: Columns = [['approval'], ['claim'], ['instance'], ['at', 'bigint']]
const EVENT: Columns = [
  ['writer'],
  ['seq', 'bigint'],
  ['prev'],
  ['hash'],
  ['approval'],
  ['revision', 'bigint'],
  ['type'],
  ['at', 'bigint'],
  ['command'],
  ['command_index', 'integer'],
  ['body'],
]

/** One or two rows have a statement each, which starts faster than one that reads a series. */
function inserted(table: string, rows: string, columns: Columns): string {
  const names = columns.map(([name]) => name).join(', ')
  const cells = columns.map(([, type], at) => {
    const cell = `${rows}[i + ${at + 1}]`
    return type === undefined ? cell : `${cell}::${type}`
  })
  const width = columns.length
  return `
  if cardinality(${rows}) <= ${2 * width} then
    for i in 0 .. cardinality(${rows}) - 1 by ${width} loop
      insert into countersign.${table} (tenant, ${names})
      values (of_tenant, ${cells.join(', ')});
    end loop;
  elsif ${rows} is not null then
    insert into countersign.${table} (tenant, ${names})
    select of_tenant, ${cells.join(', ')}
    from generate_series(0, cardinality(${rows}) - 1, ${width}) i order by i;
  end if;`
}

/**
 * The rows of a batch come as one array for each table, column after column, in place of JSON: no
 * text is parsed, and a part that is empty costs nothing. Few statements, because at one call each
 * the start of a statement takes longer than its rows.
 */
export const packedRows: Migration = {
  name: 'packed rows',
  sql: `
drop function countersign.apply_batch(text, text, text, text, bigint, bigint, text, bigint, text[],
  text[], json, text[], json, json, text[], json, text[], json, text[], json, text[], json, json,
  text[], text[]);
drop function countersign.write_batch(text, json, text[], json, text[], json, text[], json, text[],
  json, json, text[], text[]);

-- What few batches have.
create or replace function countersign.write_others(of_tenant text, others json) returns void
language plpgsql volatile as $$
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
end $$;

drop function countersign.assert_written(bigint, bigint);

-- Columns in the order of \`write.ts\`. Without settings of its own: its callers have them.
create function countersign.write_rows(of_tenant text, written_at bigint, changed text[],
  added text[], contents text[], results text[], votes text[], claims text[], notices text[],
  others json, chain text[], payloads text[])
returns void language plpgsql volatile as $$
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
${inserted('approvals', 'added', APPROVAL)}
${inserted('content', 'contents', CONTENT)}
${inserted('results', 'results', CONTENT)}
${inserted('votes', 'votes', VOTE)}
${inserted('claims', 'claims', CLAIM)}
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

${inserted('events', 'chain', EVENT)}
  -- A hint, and no reason to fail: a full queue would refuse the whole transaction.
  if payloads is not null and pg_notification_queue_usage() < 0.5 then
    foreach payload in array payloads loop
      told := pg_notify('countersign', payload);
    end loop;
  end if;
end $$;

create function countersign.write_batch(of_tenant text, written_at bigint, changed text[],
  added text[], contents text[], results text[], votes text[], claims text[], notices text[],
  others json, chain text[], payloads text[])
returns void language plpgsql volatile
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
begin
  perform countersign.write_rows(of_tenant, written_at, changed, added, contents, results, votes,
    claims, notices, others, chain, payloads);
end $$;

-- Locks are taken in the order of open_batch: approvals by id, the barrier, agents.
create function countersign.apply_batch(
  of_tenant text, known_database text, known_server text, known_timeline text,
  known_flushed bigint, known_position bigint, known_hash text, planned_at bigint,
  ids text[], seals text[], callers text[], held_kinds text[], caps text[],
  changed text[], added text[], contents text[], results text[], votes text[], claims text[],
  notices text[], others json, chain text[], payloads text[])
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
end $$;
`,
}
