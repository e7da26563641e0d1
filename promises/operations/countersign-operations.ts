import { from } from '../promised.ts'

/** What operators can rely on when they configure, deploy and upgrade. */
export const COUNTERSIGN_OPERATIONS = from('Countersign', {
  'CS-CONF-1': {
    area: 'server',
    says: 'Every setting is a flag or variable and a key of a file: flags count before the environment, and that before the file; governance of all three is enforced.',
  },
  'CS-CONF-2': {
    area: 'server',
    says: 'Only a configuration file that was named is read; an unknown key, a value that is none or a secret in it starts nothing, and the refusal names the line.',
  },
  'CS-CONF-3': {
    area: 'server',
    says: '`countersign config print` shows every setting with what set it, and no secret.',
  },
  'CS-WATCH-5': {
    area: 'server',
    says: '`countersign top` shows what waits, rates, time to decision, lags and the event loop of a server from its metrics, fits any terminal, and goes on when the server is away.',
  },
  'CS-WATCH-6': {
    area: 'server',
    says: '`countersign support` writes one file with versions, settings, findings, metrics and the last errors, and without secrets, addresses of people, arguments or reasons.',
  },
  'CS-PG-1': {
    area: 'server',
    says: 'On Postgres a server works with a role that can neither change nor delete what is on record, and cannot change the schema or its triggers.',
  },
  'CS-PG-2': {
    area: 'server',
    says: 'An auditor has a role that verifies and exports the record, sees no sessions, and changes nothing.',
  },
  'CS-PG-3': {
    area: 'server',
    says: 'Servers work behind PgBouncer in transaction mode; they listen at an address past it only if it leads to the same database, and look once a second otherwise.',
  },
  'CS-PG-4': {
    area: 'server',
    says: '`countersign db migrate` may run twice and at once; a server that was told not to migrate refuses a schema that is too old.',
  },
  'CS-PG-5': {
    area: 'server',
    says: 'With `sslmode=verify-full` a Postgres whose certificate was not signed by the named authority, or is for another name, is not spoken to.',
  },
  'CS-DEPLOY-1': {
    area: 'server',
    says: 'The files in `deploy/` name settings that there are; their servers run without root, on a read-only file system and with the role of a server.',
  },
  'CS-DEPLOY-2': {
    area: 'server',
    says: 'The Helm chart renders to what `deploy/kubernetes` has, with a migration before each install and upgrade.',
  },
  'CS-UP-1': {
    area: 'server',
    says: 'A server that runs stops within seconds when a newer release brings its database up to date, unless that step says that older servers may go on.',
  },
  'CS-UP-2': {
    area: 'server',
    says: 'While servers are replaced by those of the next release, calls that wait and calls that are asked meanwhile run once each.',
  },
  'CS-UP-3': {
    area: 'server',
    says: 'A gate over a server asks again for ten seconds, or as long as set, while servers are replaced: a call stays one question, and nothing runs without an answer.',
  },
})
