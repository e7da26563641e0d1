import type { DatabaseFacts } from '../../store/postgres/admin/check.ts'
import { count } from '../print/show-mistakes.ts'
import { type Finding, note, ok, problem, warning } from './finding.ts'

/** What one server opens: four in its pool, one that commits and one that listens. */
const CONNECTIONS_OF_A_SERVER = 6

export function postgresFindings(facts: DatabaseFacts): Finding[] {
  return [
    schema(facts),
    state(facts),
    ...facts.weak.map((name) =>
      warning('durability', `${name} is off: a crash can lose decisions`, 'Switch it on.'),
    ),
    replication(facts),
    role(facts),
    connections(facts),
    pooler(facts),
    tls(facts),
    clock(facts),
  ]
}

function schema({ schema: { found, known, pending } }: DatabaseFacts): Finding {
  if (found > known) {
    return problem(
      'schema',
      `the database has schema ${found}, which a newer Countersign made; this one knows ${known}`,
      'Update Countersign; a database never goes back to an older schema.',
    )
  }
  if (pending.length === 0) return ok('schema', `${found}, as this Countersign needs it`)
  return problem(
    'schema',
    `${found} of ${known}; ${count(pending.length, 'step')} to go: ${pending.join(', ')}`,
    'Run `countersign db migrate`, or start a server without --no-migrate.',
  )
}

function state({ server, isStandby, isReadOnly, encoding }: DatabaseFacts): Finding {
  if (isStandby) return problem('server', 'it is a standby', 'Connect to the primary.')
  if (isReadOnly) {
    return problem(
      'server',
      'it takes no writes (default_transaction_read_only)',
      'Make it writable, or use a role that may write. An auditor needs no more.',
    )
  }
  if (encoding !== 'UTF8') {
    return problem('server', `it is encoded in ${encoding}`, "Create it with encoding 'UTF8'.")
  }
  return ok('server', `Postgres ${server}, primary, takes writes`)
}

function replication({ replicas, isSynchronous }: DatabaseFacts): Finding {
  if (replicas === 0) return note('replication', 'no standby follows, or this role may not see one')
  return isSynchronous
    ? ok('replication', `${count(replicas, 'standby', 'standbys')}, synchronous`)
    : warning(
        'replication',
        `${count(replicas, 'standby', 'standbys')}, asynchronous: a failover can lose decisions`,
        'Set synchronous_standby_names.',
      )
}

function role({ role: name, isSuperuser, ownsSchema, canWrite }: DatabaseFacts): Finding {
  if (isSuperuser) {
    return warning(
      'role',
      `${name} is a superuser: it can take every trigger away`,
      '`countersign db roles` prints roles with fewer rights.',
    )
  }
  if (ownsSchema) {
    return note(
      'role',
      `${name} can change the schema`,
      'Servers need less: `countersign db roles`.',
    )
  }
  return canWrite
    ? ok('role', `${name} writes the record and cannot change the schema`)
    : ok('role', `${name} reads and changes nothing`)
}

function connections({ connections: { used, most } }: DatabaseFacts): Finding {
  const free = most - used
  const says = `${free} of ${most} free`
  return free < CONNECTIONS_OF_A_SERVER
    ? problem(
        'connections',
        `${says}; a server opens up to ${CONNECTIONS_OF_A_SERVER}`,
        'Raise max_connections or the limit of the role, or put a pooler before the database.',
      )
    : ok('connections', `${says}; a server opens up to ${CONNECTIONS_OF_A_SERVER}`)
}

function pooler({ isPooled, direct }: DatabaseFacts): Finding {
  if (direct === 'other' || direct === 'unreachable') {
    return problem(
      'pooler',
      direct === 'other'
        ? 'COUNTERSIGN_DB_DIRECT leads to another database'
        : 'COUNTERSIGN_DB_DIRECT does not answer',
      'Name the same database, past the pooler. Until then servers look once a second.',
    )
  }
  if (!isPooled) return ok('pooler', 'none; LISTEN works')
  return direct === 'same'
    ? ok('pooler', 'there is one, and LISTEN goes past it')
    : warning(
        'pooler',
        'there is one, so servers hear of each other by looking once a second',
        'Set COUNTERSIGN_DB_DIRECT to an address past the pooler.',
      )
}

function tls({ tls: version, isPooled }: DatabaseFacts): Finding {
  if (isPooled) return note('tls', 'not seen through a pooler')
  return version === undefined
    ? note('tls', 'none on this connection', 'Add ?sslmode=verify-full where it crosses a network.')
    : ok('tls', version)
}

const SKEW_MS = 5_000
const TOO_MUCH_MS = 60_000

function clock({ skew }: DatabaseFacts): Finding {
  const says = `the database's clock is ${(Math.abs(skew) / 1_000).toFixed(1)} s off this machine's`
  if (Math.abs(skew) > TOO_MUCH_MS) return problem('clock', says, 'Set both by NTP.')
  return Math.abs(skew) > SKEW_MS ? warning('clock', says, 'Use NTP on both.') : ok('clock', says)
}
