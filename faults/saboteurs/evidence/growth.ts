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
    name: 'Rows and entries are compared, and whether some are left over is not',
    file: 'src/gate/audit/audit-verify.ts',
    before: 'if (this.#rows?.isEven() === false)',
    after: 'if (this.#rows === undefined)',
    caughtBy: { tests: ['test/audit.test.ts'] },
  },
  {
    name: 'Uses of grants are not held against their entries',
    file: 'src/gate/audit/audit-told.ts',
    before: 'entries.isEven() && uses.isEven()',
    after: 'entries.isEven()',
    caughtBy: { tests: ['test/audit-rows.test.ts'] },
  },
  {
    name: 'A database may record a command twice',
    file: 'src/gate/audit/audit-told.ts',
    before: 'if (seen.has(name)) {',
    after: 'if (seen.has(writer)) {',
    caughtBy: { tests: ['test/audit.test.ts'] },
  },
  {
    name: 'Commands of a long file that are not held are not compared',
    file: 'src/gate/audit/audit-verify.ts',
    before: 'while (this.#chains.hasMoreCommands()) {',
    after: 'while (false) {',
    caughtBy: { tests: ['test/audit-files.test.ts'] },
  },
  {
    name: 'A link to an entry that was passed is believed',
    file: 'src/gate/audit/audit-chains.ts',
    before: 'link.hash !== (known ?? late.get(key)?.hash ?? link.hash)',
    after: 'link.hash !== (late.get(key)?.hash ?? link.hash)',
    caughtBy: { tests: ['test/audit.test.ts'] },
  },
  {
    name: 'Commands wait until all of an erasure is done',
    file: 'src/store/engine/flusher.ts',
    before: '    isQueueNext = true\n',
    after: '',
    caughtBy: { tests: ['src/store/engine/flusher.test.ts'] },
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
