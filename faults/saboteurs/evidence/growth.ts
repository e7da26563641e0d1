import type { Saboteur } from '../saboteur.ts'

const since = { tests: ['test/audit-since.test.ts'] } as const

export const GROWTH_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'From a checkpoint on, the entry at the end of a chain need not be there',
    file: 'src/gate/audit/audit-chains.ts',
    before: '    if (seq === signed) return\n',
    after: '    if (seq >= 0) return\n',
    caughtBy: since,
  },
  {
    name: 'From a checkpoint on, rows are not compared',
    file: 'src/gate/audit/audit-records.ts',
    before: 'after ? log.rowsOf?.(touched.rows())',
    after: 'after ? log.rowsOf?.([])',
    caughtBy: since,
  },
  {
    name: 'From a checkpoint on, records that changed since are not compared',
    file: 'src/gate/audit/audit-rows.ts',
    before: "row.of === 'record' && !told.has(key)",
    after: "row.of === 'record'",
    caughtBy: since,
  },
  {
    name: 'A hint waits for the oldest transaction of the cluster',
    file: 'src/gate/background/watch.ts',
    before: 'const missing = ids.filter((id) => !fed.has(id))',
    after: 'const missing = ids.filter((id) => fed.has(id))',
    caughtBy: { tests: ['test/gate/held-transaction.test.ts'] },
  },
  {
    name: 'A person who signed out keeps hearing while sessions are looked up',
    file: 'src/server/event-hub.ts',
    before: '    while (isStale) {',
    after: '    if (isStale) {',
    caughtBy: { tests: ['test/server/event-connections.test.ts'] },
  },
]
