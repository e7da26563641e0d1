import type { Migration } from './migration.ts'

export const search: Migration = {
  name: 'search',
  sql: `
-- How the words of 128 approvals at a time begin, for each tenant. Filled in the background and
-- before a search, so that asking pays nothing for it.
create table search_tenants (
  number integer primary key,
  tenant text not null unique,
  -- The first block that is not in the index.
  next_block integer not null,
  -- Events up to here are in the blocks before that.
  seen_event integer not null
) strict;
create table search_blocks (
  -- The number of the tenant times 2^32, and the number of the block.
  id integer primary key,
  words text not null
) strict;
create virtual table search_words using fts5(
  words, content='search_blocks', content_rowid='id', detail=none, columnsize=0, tokenize='ascii'
);
-- What is taken out of the index leaves nothing behind in it.
insert into search_words (search_words, rank) values ('secure-delete', 1);
-- Blocks to be made again.
create table search_stale (
  tenant text not null,
  block integer not null,
  primary key (tenant, block)
) strict, without rowid;

create trigger search_blocks_added after insert on search_blocks begin
  insert into search_words (rowid, words) values (new.id, new.words);
end;
create trigger search_blocks_removed before delete on search_blocks begin
  insert into search_words (search_words, rowid, words) values ('delete', old.id, old.words);
end;
-- Erased words leave the index in the transaction that erases them.
create trigger content_erased after delete on content when old.kind = 'question' begin
  insert or ignore into search_stale (tenant, block)
    select tenant, position / 128 from approvals where tenant = old.tenant and id = old.approval;
end;
create trigger search_stale_added after insert on search_stale begin
  delete from search_blocks where id = (
    select number * 4294967296 + new.block from search_tenants where tenant = new.tenant);
end;
`,
}
