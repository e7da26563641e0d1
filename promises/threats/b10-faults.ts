import type { Threats } from './threat.ts'

const KILLED = 'on %s nothing is lost, doubled or stuck, wherever the process is killed'
const OTHER_FAULTS = 'on %s every other fault leaves the same promises standing'

export const FAULTS: Threats = {
  'B10-01': {
    threat: 'The process is killed at any step of a call.',
    tests: {
      'test/faults.test.ts': [KILLED],
      'test/stores/kill.test.ts': [
        'SQLite loses nothing it acknowledged when its process is killed',
        'Postgres loses nothing it acknowledged when a server is killed',
      ],
    },
  },
  'B10-02': {
    threat: 'The power fails, and writes that were acknowledged were never on the disk.',
    tests: {
      'test/threats/disk.test.ts': [
        'B10-02: nothing is acknowledged before the disk was told to keep it',
      ],
      'test/stores/outbox-sync.test.ts': [
        'SQLite syncs decisions, and not what became of a notice',
        'Postgres syncs decisions, and not what became of a notice',
      ],
    },
    partly:
      'That a notice was taken or sent waits for no disk: it comes once more. What the operating system is told is watched, with `strace` where there is one; no power is cut, and a disk that lies about it is not noticed. Postgres syncs by its own settings: without `fsync` it is warned of.',
  },
  'B10-03': {
    threat: 'The disk reports an error, or writes half of a page.',
    tests: {
      'test/threats/disk.test.ts': [
        'B10-03: a log that was torn starts no claimed call again: %s',
        'B10-03: a file that lost its second half is refused, or decides nothing',
      ],
      'test/stores/outbox-sync.test.ts': [
        'SQLite decides nothing after a sync failed, for a notice too',
      ],
    },
    partly:
      'A claim that a disk loses after it was synced is noticed by the head file, which is written within a tenth of a second and which `sqliteStore(file)` has only with the option `head`; before that, and without it, such a call could start again.',
  },
  'B10-04': {
    threat: 'The disk is full.',
    tests: { 'test/faults.test.ts': [OTHER_FAULTS] },
  },
  'B10-05': {
    threat: 'The database restarts while calls wait.',
    tests: {
      'test/faults.test.ts': [OTHER_FAULTS],
      'test/stores/postgres.test.ts': ['a server that closes every connection stops nothing'],
      'test/stores/failover.test.ts': [
        'a server that is crashed and recovers by itself is the same, and goes on',
      ],
    },
  },
  'B10-06': {
    threat: 'The connection is lost during a commit, so its outcome is unknown.',
    tests: {
      'test/stores/lost-commit.test.ts': [
        'a line that is cut %s the server heard the commit gives each command one effect',
        'a claim whose commit got no answer is won once',
      ],
      'test/faults.test.ts': [OTHER_FAULTS],
    },
  },
  'B10-07': {
    threat: 'A replica that lags becomes the primary, and decisions are gone.',
    tests: {
      'test/stores/failover.test.ts': [
        'servers that outlive an asynchronous failover start nothing that was started before',
      ],
      'test/threats/storage.test.ts': [
        'B10-07, B10-08: a replica is refused, and a primary whose replica may lag is warned of',
      ],
    },
  },
  'B10-08': {
    threat: 'Decisions are made on what a replica says.',
    tests: {
      'test/threats/storage.test.ts': [
        'B10-07, B10-08: a replica is refused, and a primary whose replica may lag is warned of',
      ],
    },
  },
  'B10-09': {
    threat: 'The database cannot be reached, and a call runs all the same.',
    tests: {
      'test/gate/store-down.test.ts': [
        'a store that fails before the claim is done means that nothing runs',
      ],
      'test/stores/lost-commit.test.ts': [
        'a database that stays away is never reported as a success',
      ],
      'test/gate/postgres.test.ts': ['a gate says at once when the database is gone'],
    },
    partly:
      'Cut lines are tried; very slow and half-open ones are not. A deadline for statements on the server of the database ends them.',
  },
  'B10-10': {
    threat: 'The server of a tool goes away after the call was sent.',
    tests: {
      'test/mcp/unknown.test.ts': [
        'a server process that goes down with a call leaves it unknown, and it is sent once',
        'what an address answers instead of an answer',
      ],
    },
  },
  'B10-11': {
    threat: 'Postgres drops a notification, and a caller waits for ever.',
    tests: {
      'test/stores/postgres.test.ts': ['without notifications, the poll wakes waiting callers'],
    },
  },
  'B10-12': {
    threat: 'A connection pooler in transaction mode breaks what relies on a session.',
    reason:
      'No test yet: nothing runs behind PgBouncer. Locks are taken within a transaction. Three statements are prepared by name, which PgBouncer follows from version 1.21 on (`max_prepared_statements`), and a server whose transactions do not begin as `read committed` is refused; LISTEN alone needs a session, and without it polling wakes waiting callers, which B10-11 tests. Connect to Postgres itself, or to a pool in session mode.',
  },
  'B10-13': {
    threat: 'Several processes write to one SQLite file and get in each other’s way.',
    tests: {
      'test/stores/sqlite.test.ts': [
        'a file that another process holds is waited for, without stopping this one',
        'a file that stays locked is given up with a code',
      ],
      'src/testing/store-cases/claim.ts': ['lets exactly one process of several claim an approval'],
    },
  },
  'B10-14': {
    threat: 'An old SQLite, a network disk or a wrong setting loses commits.',
    tests: {
      'test/threats/unsafe-disk.test.ts': [
        'B10-14: what could lose a commit is refused: %s',
        'B10-14: what is safe is opened',
      ],
    },
    partly:
      'The machine is made to say so, since no test has such a library or disk; a network file system that Linux does not name, or another operating system, is not recognised. Keep the file on a local disk.',
  },
  'B10-15': {
    threat: 'A migration is interrupted, or two versions share a database.',
    tests: {
      'test/stores/sqlite.test.ts': ['a database of a newer Countersign is refused'],
      'test/stores/postgres.test.ts': [
        'a database of a newer Countersign is refused',
        'servers that start at the same time on an empty database agree',
      ],
      'test/faults.test.ts': [KILLED],
    },
    partly:
      'Killing hits the first migration of an empty database; upgrades of a filled one are one transaction, and are not killed in a test. Make a backup before an upgrade.',
  },
  'B10-16': {
    threat: 'A bit of a stored approval flips.',
    tests: {
      'test/threats/storage.test.ts': [
        'B10-16: no changed byte of a stored yes lets a call start',
        'B10-16: on Postgres, too, a changed byte of a stored yes lets no call start',
      ],
      'test/stores/sqlite.test.ts': ['a row that was changed by hand decides nothing'],
    },
  },
  'B10-17': {
    threat: 'The process runs out of memory, stalls or ends by an unhandled error.',
    tests: {
      'test/cli/mishaps.test.ts': [
        'B10-17: an unhandled rejection is logged, counted and survived',
        'B10-17: an uncaught exception is logged, and ends the process with a code of its own',
      ],
      'test/faults.test.ts': [KILLED, OTHER_FAULTS],
    },
    partly:
      'Killed and stopped processes stand in for it; memory is not used up in these tests. Give the server a limit and a supervisor that starts it again.',
  },
  'B10-18': {
    threat: 'A deployment stops a server in the middle of calls.',
    tests: {
      'test/cli/stop.test.ts': ['told to stop, it answers every waiting caller'],
      'test/client/remote-trust.test.ts': [
        'a server that has no time or is about to stop has refused nothing',
      ],
      'test/e2e/two-servers.test.ts': [
        'when one server is killed, what it was asked is decided and run at the other',
      ],
    },
    partly:
      'One server of two is killed under calls; servers are not replaced one after the other under load.',
  },
}
