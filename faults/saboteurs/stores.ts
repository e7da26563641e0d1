import type { Saboteur } from './saboteur.ts'

const conformance = { tests: ['test/stores.test.ts'] } as const

export const STORE_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'Postgres lets a lock and a claim pass each other',
    file: 'src/store/postgres/write.ts',
    before: "how === 'shared' ? 'pg_advisory_xact_lock_shared'",
    after: "how === 'shared' ? 'abs'",
    caughtBy: { tests: ['test/stores/locks.test.ts'] },
  },
  {
    name: 'SQLite does not read the locks',
    file: 'src/store/sqlite/write.ts',
    before: 'needsHeld(entries) ? readHeld(sql, tenant) : HELD_NOTHING',
    after: 'needsHeld([]) ? readHeld(sql, tenant) : HELD_NOTHING',
    caughtBy: conformance,
  },
  {
    name: 'Postgres reads the clock when the transaction begins, before it waits for the lock',
    file: 'src/store/postgres/open.ts',
    before: 'extract(epoch from clock_timestamp())',
    after: 'extract(epoch from now())',
    caughtBy: { tests: ['test/stores/postgres.test.ts'] },
  },
  {
    name: 'Postgres takes no lock',
    file: 'src/store/postgres/write.ts',
    before: "const IN_ORDER = 'order by id for update'",
    after: "const IN_ORDER = 'order by id'",
    caughtBy: { tests: ['test/interleavings.test.ts'] },
  },
  {
    name: 'SQLite writes whatever the revision is now',
    file: 'src/store/sqlite/statements.ts',
    before: 'and revision = ?`',
    after: 'and ? is not null`',
    caughtBy: { tests: ['test/stores/sqlite.test.ts'] },
  },
  {
    name: 'Postgres writes whatever the revision is now',
    file: 'src/store/postgres/write.ts',
    before: 'and a.revision = x.was`',
    after: '`',
    caughtBy: { tests: ['test/stores/postgres.test.ts'] },
  },
  {
    name: 'Postgres counts questions without waiting for those under way',
    file: 'src/store/postgres/write.ts',
    before: "hashtextextended($1 || ' ' || agent, 4749)",
    after: "hashtextextended($1 || ' ' || agent || random()::text, 4749)",
    caughtBy: { tests: ['test/stores/caps.test.ts'] },
  },
  {
    name: 'SQLite acknowledges before it commits',
    file: 'src/store/sqlite/open.ts',
    before: "const result = work()\n    db.exec('commit')",
    after: "const result = work()\n    setTimeout(() => db.exec('commit'), 20)",
    caughtBy: conformance,
  },
  {
    name: 'SQLite does not sync',
    file: 'src/store/sqlite/open.ts',
    before: 'pragma synchronous = full;',
    after: 'pragma synchronous = normal;',
    caughtBy: conformance,
  },
  {
    name: 'a copied database is taken for the original',
    file: 'src/store/quarantine.ts',
    before: "if (!found.isSamePlace) return 'copied'",
    after: '',
    caughtBy: {
      faults: ['--store', 'sqlite', '--nemesis', 'two processes on a copy', '--cycles', '2'],
    },
  },
  {
    name: 'a restored backup is taken for the present',
    file: 'src/store/quarantine.ts',
    before: "if (found.hasLostEvents) return 'restored'",
    after: '',
    caughtBy: {
      faults: ['--store', 'sqlite', '--nemesis', 'old backup restored', '--cycles', '4'],
    },
  },
  {
    name: 'calls without keys join what is over',
    file: 'src/store/rows.ts',
    before: "return isOpen(approval) || approval.execution?.state === 'running'",
    after: 'return true',
    caughtBy: { tests: ['test/stores.test.ts', 'test/gate/identity.test.ts'] },
  },
  {
    name: 'an event does not name the one before it',
    file: 'src/store/audit.ts',
    before: 'prev: tip.hash',
    after: 'prev: NO_PREVIOUS',
    caughtBy: conformance,
  },
  {
    name: 'events are written for accepted commands only',
    file: 'src/store/plan.ts',
    before: '...(transition.ok ? {} : { refused: transition.code }),',
    after: '',
    caughtBy: conformance,
  },
  {
    name: 'a waiter is told what it knows already',
    file: 'src/store/waiters.ts',
    before: '({ revision }) => value.revision > revision',
    after: '({ revision }) => value.revision >= revision',
    caughtBy: conformance,
  },
  {
    name: 'Postgres decides on a replica',
    file: 'src/store/postgres/open.ts',
    before: "if (textOf(facts, 'standby') === 'true') {",
    after: "if (textOf(facts, 'standby') === 'yes') {",
    caughtBy: { tests: ['test/threats/storage.test.ts'] },
  },
]
