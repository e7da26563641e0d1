import type { Saboteur } from './saboteur.ts'

const chains = { tests: ['src/policy/compiled/chain.test.ts'] } as const
const connections = { tests: ['test/server/event-connections.test.ts'] } as const

/** What was made faster, and must stay right or stay fast. */
export const SPEED_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'A chain of tests asks although a rule is refuted',
    file: 'src/policy/compiled/chain.ts',
    before: 'left === 0 ? least : next(args, args, left)',
    after: 'next(args, args, left)',
    caughtBy: chains,
  },
  {
    name: 'A chain of tests takes one refuted rule for all of them',
    file: 'src/policy/compiled/chain.ts',
    before: 'only && more.length === 0 && only.refutes === groups',
    after: 'only && more.length === 0',
    caughtBy: chains,
  },
  {
    name: 'Rules that differ in their limits alone share a chain of tests',
    file: 'src/policy/compiled/chain.ts',
    before: '[op, refutes, written(operand)]',
    after: '[op, refutes]',
    caughtBy: chains,
  },
  {
    name: 'A live event overtakes those before it',
    file: 'src/server/event-hub.ts',
    before: 'if (own) own.outgoing = outgoing',
    after: 'if (own) Object.assign(own, { outgoing, isDirect: true })',
    caughtBy: connections,
  },
  {
    name: 'A client that reads no live events is kept',
    file: 'src/server/event-hub.ts',
    before: 'outgoing.writableLength <= UNREAD_BYTES',
    after: 'outgoing.writableLength >= 0',
    caughtBy: connections,
  },
  {
    name: 'A number in a list of a server is written as JavaScript writes it',
    file: 'src/gateway/protocol/message.ts',
    before: '/[:,[\\s](?:',
    after: '/[:[\\s](?:',
    caughtBy: { tests: ['src/gateway/protocol/message.test.ts'] },
  },
  {
    name: 'Every search of SQLite walks through all approvals',
    file: 'src/store/sqlite/search.ts',
    before: ') as e cross join approvals a',
    after: ') as e join approvals a',
    caughtBy: { tests: ['test/stores/plans.test.ts'] },
  },
  {
    name: 'Postgres writes many rows whatever their revisions are now',
    file: 'src/store/postgres/migrations/0020-packed-rows.ts',
    before: 'and id = changed[i + 1] and revision = changed[i + 2]::bigint\n        offset 0',
    after: 'and id = changed[i + 1]\n        offset 0',
    caughtBy: { tests: ['test/stores/postgres.test.ts'] },
  },
  {
    name: 'Postgres writes unread on a server that was never asked for its cluster',
    file: 'src/store/postgres/migrations/0020-packed-rows.ts',
    before: "pg_relation_filepath('countersign.identity') <> known_server",
    after: "pg_relation_filepath('countersign.identity') = ''",
    caughtBy: { tests: ['test/stores/unread.test.ts'] },
  },
]
