import type { Client, Pool } from 'pg'
import type { Approval } from '../../approval/approval.ts'
import type { Changes } from '../engine/changes.ts'
import { type Driver, firstOf, type Row, textOf } from './connect.ts'
import { IS_OF_HERE } from './feed.ts'
import { readApproval } from './found.ts'
import type { RecentWrites } from './recent.ts'
import { PLACE } from './vouch.ts'

const CHANNEL = 'countersign'
const POLL_MS = 1_000
/** A notification holds less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_900

/** Stands for records in the place of an approval's id. */
export const AMENDED = '*'

export interface Listening {
  /** Begins to listen and to poll, until no subscriber or waiter is left. */
  start(): void
  /** Whether every change by another process since `at` of `performance.now()` was heard of. */
  hearsSince(at: number): boolean
  close(): Promise<void>
}

/**
 * A notification is written by the transaction it tells of, and comes with its commit, when it
 * comes; the poll is the guarantee. Both go over connections that no transaction waits for.
 */
export function listen({
  driver,
  changes,
  recent,
  tenant,
  instance,
  isPooled,
  place,
}: {
  driver: Driver
  changes: Changes
  recent: RecentWrites
  tenant: string
  instance: string
  /** A pooler stands between: only a connection past it can listen. */
  isPooled: boolean
  /** Where the database is: an address past the pooler must lead to the same. */
  place: string
}): Listening {
  const canListen = !isPooled || driver.hasDirect
  const { pool } = driver
  let client: Client | undefined
  let connecting: Promise<void> | undefined
  let retryAt = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let seen: string | undefined
  /** Since when every change by another process is heard of. */
  let heardSince = Number.POSITIVE_INFINITY

  function connect(): Promise<void> {
    if (!canListen || client || isClosed || performance.now() < retryAt) return Promise.resolve()
    connecting ??= open()
      .catch(() => {
        retryAt = performance.now() + POLL_MS
      })
      .finally(() => {
        connecting = undefined
      })
    return connecting
  }

  async function open(): Promise<void> {
    const fresh = await driver.connect({
      isDirect: true,
      onLost: (lost) => {
        if (client !== lost) return
        client = undefined
        forget()
      },
    })
    fresh.on('notification', ({ payload = '' }) => {
      // Our own are announced here by the commit itself. Those of an earlier release name no writer.
      const [ids = '', by] = payload.split(':').reverse()
      // One that cannot be read now is found again by the poll.
      if (by !== instance) heard(ids.split(','), recent.changed).catch(() => {})
    })
    try {
      if (driver.hasDirect) await assertSamePlace(fresh, place)
      await fresh.query(`listen ${CHANNEL}`)
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error
    }
    if (isClosed) await fresh.end()
    else {
      client = fresh
      heardSince = performance.now()
    }
  }

  /** A change that this process did not hear of must not hide behind what it remembers. */
  function forget(): void {
    heardSince = Number.POSITIVE_INFINITY
    recent.forgetAll()
  }

  /** Rejects when those that are waited for could not be read, and so were not told. */
  async function heard(ids: readonly string[], drop: (id: string) => void): Promise<void> {
    for (const id of ids) drop(id)
    if (ids.includes(AMENDED)) changes.announceAmended()
    const wanted = ids.filter((id) => changes.isWaitedForBy(id))
    const named = ids.filter((id) => id !== AMENDED)
    changes.announce(wanted.length === 0 ? [] : await readAll(wanted), named)
  }

  async function readAll(ids: readonly string[]): Promise<Approval[]> {
    const { rows } = await pool.query<Row>(
      `select id, body, seal from countersign.approvals
       where tenant = $1 and id in (select json_array_elements_text($2))`,
      [tenant, JSON.stringify(ids)],
    )
    return rows.flatMap((row) => {
      try {
        return [readApproval(row)]
      } catch (error) {
        // The others are told all the same.
        changes.fail(textOf(row, 'id'), error)
        return []
      }
    })
  }

  async function poll(): Promise<void> {
    await connect()
    const isFirst = seen === undefined
    const found = await changedSince(pool, tenant, seen)
    // A waiter that looked before there was a snapshot may have looked too early.
    const ids = isFirst ? [AMENDED, ...changes.waitedFor()] : found.ids
    if (ids.length > 0) await heard(ids, recent.perhapsChanged)
    // Only now: what could not be told is found again in the next turn.
    seen = found.snapshot
  }

  function tick(): void {
    if (!changes.isWatched) {
      stop()
      return
    }
    // An unreachable server is asked again in the next turn; waiters go on waiting.
    poll()
      .catch(() => {})
      .finally(() => {
        if (timer !== undefined) timer = schedule()
      })
  }

  function schedule(): NodeJS.Timeout {
    const next = setTimeout(tick, POLL_MS)
    return changes.isWaitedFor ? next : next.unref()
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    seen = undefined
    recent.forgetAll()
  }

  return {
    start() {
      if (timer === undefined) {
        timer = schedule()
        poll().catch(() => {})
      } else if (changes.isWaitedFor) timer.ref()
    },
    // Unwatched, no poll makes up for a notification that was lost.
    hearsSince: (at) => timer !== undefined && client !== undefined && at > heardSince,
    async close() {
      isClosed = true
      stop()
      await connecting
      await client?.end().catch(() => {})
      client = undefined
    },
  }
}

/** What is not heard of another database would pass for unchanged. */
async function assertSamePlace(client: Client, place: string): Promise<void> {
  const found = await client.query<Row>(`select ${PLACE} as place`)
  if (textOf(firstOf(found), 'place') !== place) throw new Error('another database')
}

/**
 * Ids of approvals that changed in transactions which an earlier snapshot did not see, and the
 * snapshot of now. Positions would not do: they are given out before their transactions commit. The
 * oldest transaction under way would: but while that one goes on, all since then is found each time.
 */
async function changedSince(
  pool: Pool,
  tenant: string,
  seen: string | undefined,
): Promise<{ ids: string[]; snapshot: string }> {
  const row = firstOf(
    await pool.query<Row>(
      `select pg_current_snapshot()::text as snapshot,
         (select coalesce(json_agg(distinct coalesce(approval, $3)), '[]')::text
          from countersign.events where tenant = $1
            and xid >= pg_snapshot_xmin($2::text::pg_snapshot)
            and not pg_visible_in_snapshot(xid, $2::text::pg_snapshot) and ${IS_OF_HERE}
            and (approval is not null or type !~ '^(chain|grant)[.]')) as ids`,
      [tenant, seen ?? NOTHING_NEW, AMENDED],
    ),
  )
  return { ids: JSON.parse(textOf(row, 'ids')) as string[], snapshot: textOf(row, 'snapshot') }
}

/** A snapshot that has seen every transaction there will be. */
const NOTHING_NEW = '9223372036854775807:9223372036854775807:'

/** Who changed something, and what: as many notifications as it takes. */
export function payloadsOf(instance: string, ids: readonly string[]): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const id of ids) {
    if (payload.length + id.length + 1 > PAYLOAD_BYTES) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? `${instance}:${id}` : `,${id}`
  }
  return [...payloads, payload]
}
