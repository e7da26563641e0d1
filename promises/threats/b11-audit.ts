import type { Threats } from './threat.ts'

export const AUDIT: Threats = {
  'B11-01': {
    threat: 'An entry of the record is changed, removed or moved.',
    tests: {
      'test/audit.test.ts': ['tampering is found'],
      'test/audit-files.test.ts': ['a changed bit anywhere in an entry or a checkpoint is found'],
    },
  },
  'B11-02': {
    threat: 'An attacker with access to the database rewrites the whole record.',
    tests: {
      'test/audit.test.ts': [
        'a record that is rewritten and signed anew',
        'a record that is cut back to an older end',
      ],
    },
    partly:
      'It is found with a checkpoint or a key that was kept elsewhere, and only then: send checkpoints to another machine.',
  },
  'B11-03': {
    threat: 'The record cannot be written, and the change happens all the same.',
    tests: {
      'test/gate/observe.test.ts': ['what cannot be recorded does not run'],
      'test/server/reveal.test.ts': ['what cannot be recorded is not shown'],
      'test/threats/storage.test.ts': [
        'B11-03: where the record alone cannot be written, nothing changes: %s',
      ],
      'test/faults.test.ts': [
        'on %s nothing is lost, doubled or stuck, wherever the process is killed',
        'on %s every other fault leaves the same promises standing',
      ],
    },
  },
  'B11-04': {
    threat: 'An approval changes without an entry, or an entry is made without a change.',
    tests: {
      'test/audit.test.ts': ['B11-04: a row that was resealed is found'],
      'src/testing/store-cases/audit.ts': ['binds each change to the state it led to'],
      'src/testing/store-cases/decision.ts': [
        'changes nothing and records nothing when a rule says no',
      ],
      'test/faults.test.ts': [
        'on %s nothing is lost, doubled or stuck, wherever the process is killed',
      ],
    },
  },
  'B11-05': {
    threat: 'The record splits into two versions.',
    tests: {
      'src/testing/store-cases/audit.ts': [
        'gives each process a chain of its own, linked to those before',
      ],
      'test/stores/sqlite.test.ts': ['events are not put in between'],
      'src/testing/vault-cases.ts': [
        'numbers checkpoints without gaps when two processes sign at once',
      ],
    },
  },
  'B11-06': {
    threat: 'A late or refused answer is recorded as an approval, or not at all.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 30: a late click is recorded as late, never as an approval',
      ],
      'src/testing/store-cases/decision.ts': ['refuses a late answer and records that it came'],
    },
  },
  'B11-07': {
    threat: 'Personal data cannot be erased without breaking the record.',
    tests: {
      'src/testing/store-cases/content.ts': ['erases content and keeps approvals and events'],
      'src/testing/vault-cases.ts': [
        'keeps a record that verifies, also when its content is erased',
      ],
    },
  },
  'B11-08': {
    threat: 'Line breaks or control characters forge lines of a log.',
    tests: {
      'src/server/log.test.ts': ['a log line is one line of JSON, and secrets in it are masked'],
      'src/policy/read/read-report.test.ts': [
        'what a file holds cannot steer the terminal that shows it',
      ],
    },
  },
  'B11-09': {
    threat: 'A key is changed, and older entries no longer verify.',
    tests: {
      'src/gate/proof/countersignature.test.ts': ['after a rotation both keys verify'],
      'src/gate/proof/keys.test.ts': [
        'two processes that start at once make a key each, and both are published',
      ],
      'test/audit-keys.test.ts': [
        'a revoked key signs nothing that counts, and what it signed before stays good',
        'a record without a revocation that its reader knows of is refused',
      ],
    },
    partly:
      'A key that leaked counts until it is revoked; checkpoints that were kept elsewhere show what was there.',
  },
  'B11-10': {
    threat: 'The clock jumps, and the record tells another order than what happened.',
    tests: {
      'test/faults.test.ts': ['on %s every other fault leaves the same promises standing'],
      'src/testing/store-cases/audit.ts': ['chains everything it records, from the first entry on'],
    },
  },
}
