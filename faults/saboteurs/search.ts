import type { Saboteur } from './saboteur.ts'

const conformance = { tests: ['test/stores.test.ts'] } as const

export const SEARCH_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'Erased words stay in the index of SQLite',
    file: 'src/store/sqlite/migrations/0014-search.ts',
    before: "after delete on content when old.kind = 'question'",
    after: "after delete on content when old.kind = 'none'",
    caughtBy: { tests: ['test/stores/search.test.ts'] },
  },
  {
    name: 'Erased words stay in the index of Postgres',
    file: 'src/store/postgres/migrations/0014-search.ts',
    before: "where g.kind = 'question' group by",
    after: "where g.kind = 'none' group by",
    caughtBy: { tests: ['test/stores/search.test.ts'] },
  },
  {
    name: 'The index of Postgres misses approvals that commit late',
    file: 'src/store/postgres/search.ts',
    before: 'and approval is not null',
    after: "and type = 'edited'",
    caughtBy: { tests: ['test/stores/search.test.ts'] },
  },
  {
    name: 'SQLite searches an edited question by its first words',
    file: 'src/store/sqlite/search.ts',
    before: "approval is not null and type <> 'requested'",
    after: "approval is not null and type = 'finished'",
    caughtBy: conformance,
  },
  {
    name: 'A search skips what is not in the index yet',
    file: 'src/store/search/search.ts',
    before: 'const block = after === undefined ? end : Math.floor((after.position - 1) / BLOCK)',
    after: 'const block = end - 1',
    caughtBy: conformance,
  },
  {
    name: 'A search skips what lies between the index and a block behind its end',
    file: 'src/store/search/search.ts',
    before: 'Math.min((await nearest(block)) ?? end, end)',
    after: '(await nearest(block)) ?? end',
    caughtBy: { tests: ['test/stores/search.test.ts'] },
  },
  {
    name: 'Postgres forgets changed blocks where very many have changed',
    file: 'src/store/postgres/search.ts',
    before: '[tenant, seen, nextBlock * BLOCK, null]',
    after: '[tenant, seen, nextBlock * BLOCK, MOST_STALE]',
    caughtBy: { tests: ['test/stores/search.test.ts'] },
  },
  {
    name: 'An exported table holds formulas that an agent wrote',
    file: 'src/base/csv.ts',
    before: 'FORMULA.test(text) ?',
    after: 'text === undefined ?',
    caughtBy: { tests: ['test/server/history.test.ts'] },
  },
]
