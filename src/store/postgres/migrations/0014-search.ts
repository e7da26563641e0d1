import type { Migration } from './migration.ts'

export const search: Migration = {
  name: 'search',
  sql: `
-- How the words of 128 approvals at a time begin, for each tenant. Filled in the background and
-- before a search, so that asking pays nothing for it.
create table countersign.search_tenants (
  tenant text primary key,
  -- The first block that is not in the index.
  next_block bigint not null,
  -- All that transactions before this one asked or edited is in the blocks before that.
  horizon xid8 not null
);
create table countersign.search_blocks (
  tenant text not null,
  block bigint not null,
  words tsvector not null,
  primary key (tenant, block)
);
create index search_blocks_by_word on countersign.search_blocks using gin (words);
-- Blocks to be made again.
create table countersign.search_stale (
  tenant text not null,
  block bigint not null,
  primary key (tenant, block)
);

-- Erased words leave the index in the transaction that erases them. Under the lock that blocks are
-- made under: one that was read before this is written before it, too.
create function countersign.erase_words() returns trigger language plpgsql as $$
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
end $$;
create trigger content_erased after delete on countersign.content
  referencing old table as gone for each statement execute function countersign.erase_words();

-- The nearest block on either side that holds these words. Whole tables are small beside the words
-- in them, so a plan that reads one looks cheaper than it is: it is ruled out.
create function countersign.search_nearest(
  of_tenant text, wanted tsquery, from_block bigint, downwards boolean)
returns bigint language plpgsql stable
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off as $$
begin
  if downwards then
    return (select max(block) from (select block from countersign.search_blocks
      where tenant = of_tenant and words @@ wanted offset 0) f where block <= from_block);
  end if;
  return (select min(block) from (select block from countersign.search_blocks
    where tenant = of_tenant and words @@ wanted offset 0) f where block >= from_block);
end $$;
`,
}
