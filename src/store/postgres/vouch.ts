import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { CountersignError } from '../../base/errors.ts'
import type { Session } from '../audit/chain.ts'
import type { Quarantine } from '../store.ts'
import { firstOf, numberOf, type Row, textOf } from './connect.ts'

/** How far a connection's server has come, and in which history. */
export const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'
export const FLUSHED = "(pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint"

/**
 * The cluster, the database in it and the table in that. A dump restored elsewhere has another
 * database, one restored in place another table.
 */
export const PLACE = `
  'cluster:' || (select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database()) || '/' ||
  'countersign.identity'::regclass::oid`

/**
 * The same server since it was started, and the same table in it: found in memory, where the place
 * takes the file that holds the cluster's name. What it stands for is asked beside it.
 */
const SERVER = `extract(epoch from pg_postmaster_start_time())::text || ' ' ||
    pg_relation_filepath('countersign.identity')`

export const VOUCH = `
  select i.database, pg_is_in_recovery()::text as standby, ${PLACE} as place, ${SERVER} as server,
    case when pg_is_in_recovery() then '' else ${TIMELINE} end as timeline,
    case when pg_is_in_recovery() then 0 else ${FLUSHED} end as flushed,
    (($2::bigint = 0 or exists (
      select 1 from countersign.events where writer = $1 and seq = $2 and hash = $3)
    ) and ($4::bigint = 0 or exists (
      select 1 from countersign.events where position = $4 and hash = $5)))::text as whole,
    coalesce(n.position, 0) as position, coalesce(n.hash, '') as hash
  from countersign.identity i
  left join (select position, hash from countersign.events order by position desc limit 1) n
    on true`

/**
 * Whether the server behind a connection still has the history that this process knows. Asked in
 * every transaction and on every new connection: a proxy keeps connections open while the server
 * behind it changes.
 */
export interface Vouch {
  readonly lost: AbortSignal
  /** For a statement that `VOUCH` is a part of. */
  question(): Question
  /** Throws `store_replaced` for good once anything that was acknowledged is missing. */
  assertSame(row: Row, asked: Question): Promise<void>
  /** The same for a statement that compares by itself; undefined once the database is not trusted. */
  expected(): Expected | undefined
  /** What that statement found when nothing differed. */
  saw(found: Seen): void
  /** The same by a statement of its own. */
  assertSameOn(client: Pick<ClientBase, 'query'>): Promise<void>
  /** For good, and without a quarantine: nothing is wrong with the database. */
  refuse(error: CountersignError): void
}

interface Question {
  readonly values: readonly (string | number)[]
  /** As known when the question was sent: another answer may have come in since. */
  readonly flushed: number
}

export interface Seen {
  /** How much of its log the server had on disk. */
  readonly flushed: number
  /** The newest event of any writer. */
  readonly position: number
  readonly hash: string
}

interface Expected extends Seen {
  readonly database: string
  readonly server: string
  readonly timeline: string
}

export function createVouch({
  session,
  database,
  place,
  timeline,
  flushed,
  quarantine,
}: {
  readonly session: Session
  readonly database: string
  readonly place: string
  readonly timeline: string
  readonly flushed: number
  /** Writes down that the database is not to be trusted, before this process ends. */
  readonly quarantine: (reason: Quarantine['reason']) => Promise<void>
}): Vouch {
  const controller = new AbortController()
  let seen = flushed
  /** The newest event of any writer that this process knows to be committed. */
  let newest = { position: 0, hash: '' }
  /** The server that was found to be in the right place. */
  let server: string | undefined
  let refusal: CountersignError | undefined

  /** `renamed` when the database has a new name: the process that renamed it has dealt with it. */
  function reasonOf(row: Row, before: number): Quarantine['reason'] | 'same' | 'renamed' {
    // Nothing is wrong with the history of a standby; it is no place to write.
    if (row.standby === 'true') throw new Error('this server is a standby')
    if (textOf(row, 'database') !== database) return 'renamed'
    if (textOf(row, 'place') !== place) return 'copied'
    if (textOf(row, 'timeline') !== timeline) return 'promoted'
    // What was on disk once stays there, unless the disk is another.
    if (row.whole !== 'true' || numberOf(row, 'flushed') < before) return 'restored'
    server = textOf(row, 'server')
    saw({
      flushed: numberOf(row, 'flushed'),
      position: numberOf(row, 'position'),
      hash: textOf(row, 'hash'),
    })
    return 'same'
  }

  function saw({ flushed, position, hash }: Seen): void {
    seen = Math.max(seen, flushed)
    if (position > newest.position) newest = { position, hash }
  }

  function question(): Question {
    const { writer, seq, hash } = session.tip
    return { values: [writer, seq, hash, newest.position, newest.hash], flushed: seen }
  }

  async function assertSame(row: Row, { flushed: before }: Question): Promise<void> {
    if (refusal) throw refusal
    const reason = reasonOf(row, before)
    if (reason === 'same') return
    // First of all, so that nothing gets past while the rest is written down.
    refusal = replaced()
    try {
      if (reason !== 'renamed') await patiently(() => quarantine(reason))
    } finally {
      // A listener of this signal may end this process.
      controller.abort(refusal)
    }
    throw refusal
  }

  return {
    lost: controller.signal,
    question,
    assertSame,
    expected() {
      if (refusal || server === undefined) return undefined
      return { database, server, timeline, flushed: seen, ...newest }
    },
    saw,
    refuse(error) {
      refusal ??= error
      controller.abort(refusal)
    },
    async assertSameOn(client) {
      const asked = question()
      return assertSame(firstOf(await client.query<Row>(VOUCH, [...asked.values])), asked)
    },
  }
}

const ATTEMPTS = 10

/** A later process may no longer be able to tell: it is worth retrying for a while. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch {
      if (attempt === ATTEMPTS) return
    }
    await sleep(50 * attempt)
  }
}

function replaced(): CountersignError {
  return new CountersignError(
    'store_replaced',
    'the database was restored, or a standby took over, while it was open: what was acknowledged may be gone',
    { hint: 'Restart, so that every unused yes is ended before anything is decided.' },
  )
}
