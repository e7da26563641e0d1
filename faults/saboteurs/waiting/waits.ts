import type { Saboteur } from '../saboteur.ts'

const synced = { tests: ['test/stores/outbox-sync.test.ts'] } as const
const steps = { tests: ['test/workflows/steps.test.ts'] } as const

/** What makes a wait cheaper, and must not make it weaker. */
export const WAIT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'waits: after the outbox, SQLite goes on without syncs',
    file: 'src/store/sqlite/connection.ts',
    before: '    if (!db.isTransaction) sync(db)\n',
    after: '    unsynced.delete(db)\n',
    caughtBy: synced,
  },
  {
    name: 'waits: a notice that the channel wants is not written',
    file: 'src/store/sqlite/statements.ts',
    before: 'kinds is null or exists',
    after: 'kinds is null or not exists',
    caughtBy: { tests: ['test/stores.test.ts'] },
  },
  {
    name: 'waits: two gates of one workflow have one place',
    file: 'src/workflows/durably.ts',
    before: 'place({ run: engine.run, position: () => at })',
    after: 'place({ run: engine.run, position: () => at * 0 })',
    caughtBy: steps,
  },
  {
    name: 'waits: what a person changed is not handed to the workflow',
    file: 'src/workflows/gates.ts',
    before: 'if (context.edited) edited =',
    after: 'if (!context.edited) edited =',
    caughtBy: steps,
  },
]
