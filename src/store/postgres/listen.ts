import type { Client, Pool } from 'pg'
import type { Approval } from '../../approval/approval.ts'
import type { Changes } from '../engine/changes.ts'
import { type Driver, firstOf, type Row, textOf } from './connect.ts'
import { readApproval } from './write.ts'

const CHANNEL = 'countersign'
const POLL_MS = 1_000
/** A notification holds less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_900

/** Stands for records in the place of an approval's id. */
export const AMENDED = '*'

export interface Listening {
  /** Tells the other servers that these approvals changed. Never waited for. */
  tell(ids: readonly string[]): void
  /** Begins to listen and to poll, until no subscriber or waiter is left. */
  start(): void
  close(): Promise<void>
}

/**
 * A notification is a hint that comes within a millisecond, when it comes; the poll is the
 * guarantee. Both go over connections that no transaction waits for.
 */
export function listen({
  driver,
  changes,
  tenant,
}: {
  driver: Driver
  changes: Changes
  tenant: string
}): Listening {
  const { pool } = driver
  let client: Client | undefined
  let connecting: Promise<void> | undefined
  let retryAt = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let horizon: string | undefined
  let untold = new Set<string>()
  let telling = false

  function connect(): Promise<void> {
    if (client || isClosed || performance.now() < retryAt) return Promise.resolve()
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
      onLost: (lost) => {
        if (client === lost) client = undefined
      },
    })
    fresh.on('notification', ({ processId, payload }) => {
      // Our own were announced here before they were told to the others.
      if (processId !== ownProcess(fresh) && payload) heard(payload.split(','))
    })
    await fresh.query(`listen ${CHANNEL}`)
    if (isClosed) await fresh.end()
    else client = fresh
  }

  async function tellAll(): Promise<void> {
    telling = true
    // Everything that changes while one notification is under way goes into the next.
    while (untold.size > 0 && !isClosed) {
      const payloads = inPayloads(untold)
      untold = new Set()
      await connect()
      for (const payload of payloads) {
        await client?.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {})
      }
    }
    telling = false
  }

  function heard(ids: readonly string[]): void {
    if (ids.includes(AMENDED)) changes.announceAmended()
    const wanted = ids.filter((id) => changes.isWaitedForBy(id))
    if (wanted.length === 0) changes.announce([])
    else readAll(wanted).then(changes.announce, () => {})
  }

  async function readAll(ids: readonly string[]): Promise<Approval[]> {
    const { rows } = await pool.query<Row>(
      `select id, body, seal from countersign.approvals
       where tenant = $1 and id in (select json_array_elements_text($2))`,
      [tenant, JSON.stringify(ids)],
    )
    return rows.map(readApproval)
  }

  async function poll(): Promise<void> {
    await connect()
    const isFirst = horizon === undefined
    const found = await changedSince(pool, tenant, horizon)
    horizon = found.horizon
    // A waiter that looked before there was a horizon may have looked too early.
    const ids = isFirst ? [AMENDED, ...changes.waitedFor()] : found.ids
    if (ids.length > 0) heard(ids)
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
    horizon = undefined
  }

  return {
    tell(ids) {
      for (const id of ids) untold.add(id)
      if (!telling) tellAll().catch(() => {})
    },
    start() {
      if (timer === undefined) {
        timer = schedule()
        poll().catch(() => {})
      } else if (changes.isWaitedFor) timer.ref()
    },
    async close() {
      isClosed = true
      stop()
      await connecting
      await client?.end().catch(() => {})
      client = undefined
    },
  }
}

function ownProcess(client: Client): number | undefined {
  return 'processID' in client && typeof client.processID === 'number'
    ? client.processID
    : undefined
}

/**
 * Ids of approvals that changed in transactions which were not finished at the horizon, and the
 * next horizon. Positions would not do: they are given out before their transactions commit.
 */
async function changedSince(
  pool: Pool,
  tenant: string,
  horizon: string | undefined,
): Promise<{ ids: string[]; horizon: string }> {
  const row = firstOf(
    await pool.query<Row>(
      `select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
         (select coalesce(json_agg(distinct coalesce(approval, $3)), '[]')::text
          from countersign.events where tenant = $1 and xid >= $2::text::xid8
            and (approval is not null or type !~ '^(chain|grant)[.]')) as ids`,
      [tenant, horizon ?? '9223372036854775807', AMENDED],
    ),
  )
  return { ids: JSON.parse(textOf(row, 'ids')) as string[], horizon: textOf(row, 'horizon') }
}

function inPayloads(ids: ReadonlySet<string>): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const id of ids) {
    if (payload.length + id.length + 1 > PAYLOAD_BYTES) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? id : `,${id}`
  }
  return [...payloads, payload]
}
