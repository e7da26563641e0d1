import type { Migration } from './migration.ts'

/** A notice that a channel would only throw away is not written for it. */
export const channelKinds: Migration = {
  name: 'channel kinds',
  sql: `
-- All where it is null.
alter table countersign.channels add column kinds text[];

-- As before, without the notices that a channel does not want.
create or replace function countersign.write_others(of_tenant text, others json) returns void
language plpgsql volatile as $$
#variable_conflict use_column
declare
  parts record;
  written bigint;
begin
  select * into parts from json_to_record(others) as x(votes json, turned json, claims json,
    "changedGrants" json, grants json, uses json, notices json, registers json, links json,
    beats json);
  if parts.votes is not null then
    insert into countersign.votes (tenant, approval, issuer, subject, digest, verdict, at)
    select of_tenant, x.* from json_to_recordset(parts.votes) as x(approval text, issuer text,
      subject text, digest text, verdict text, at bigint);
  end if;
  if parts.turned is not null then
    update countersign.votes v set verdict = x.verdict, at = x.at
    from json_to_recordset(parts.turned) as x(approval text, issuer text, subject text,
      digest text, verdict text, at bigint)
    where v.tenant = of_tenant and v.approval = x.approval and v.issuer = x.issuer
      and v.subject = x.subject and v.digest = x.digest;
    get diagnostics written = row_count;
    perform countersign.assert_written(written, json_array_length(parts.turned));
  end if;
  if parts.claims is not null then
    insert into countersign.claims (tenant, approval, claim, instance, at)
    select of_tenant, x.* from json_to_recordset(parts.claims) as x(approval text, claim text,
      instance text, at bigint);
  end if;
  if parts."changedGrants" is not null then
    update countersign.grants g
    set revision = x.revision, state = x.state, uses = x.uses, body = x.body, seal = x.seal
    from json_to_recordset(parts."changedGrants") as x(id text, was bigint, revision bigint,
      state text, uses integer, body text, seal text)
    where g.tenant = of_tenant and g.id = x.id and g.revision = x.was;
    get diagnostics written = row_count;
    perform countersign.assert_written(written, json_array_length(parts."changedGrants"));
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
  -- As many as channels are open; mostly that is none.
  if parts.notices is not null then
    insert into countersign.notices (tenant, channel, id, approval, kind, revision, at, due_at)
    select c.tenant, c.name, x.id, x.approval, x.kind, x.revision, x.at, x.due_at
    from json_to_recordset(parts.notices) as x(id text, approval text, kind text,
      revision bigint, at bigint, due_at bigint, open bigint, place integer)
    join countersign.channels c
      on c.tenant = of_tenant and c.problem is null and c.seen_at > x.open
      and (c.kinds is null or x.kind = any(c.kinds))
    order by x.place;
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
`,
}
