import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Approval } from '../../src/approval/approval.ts'
import type { Grant } from '../../src/approval/grants/grant.ts'
import type { StoreAddress } from '../workload/open-store.ts'

export interface EventRow {
  readonly writer: string
  readonly seq: number
  readonly prev: string
  readonly hash: string
  readonly approval: string | null
  readonly revision: number | null
  readonly type: string
  readonly at: number
  readonly command: string | null
  readonly command_index: number | null
  readonly body: string
}

export interface VoteRow {
  readonly approval: string
  readonly subject: string
  readonly digest: string
  readonly verdict: string
}

/** The database as it lies there, read past the store that wrote it. */
export interface Records {
  readonly approvals: ReadonlyMap<string, Approval>
  /** In the order they were written. */
  readonly events: readonly EventRow[]
  readonly votes: readonly VoteRow[]
  readonly claims: ReadonlyMap<string, string>
  readonly seals: ReadonlyMap<string, string>
  readonly grants: readonly Grant[]
  readonly uses: readonly { readonly grant: string; readonly approval: string }[]
  /** What is still to be told. */
  readonly notices: readonly { readonly id: string; readonly isStuck: boolean }[]
  /** Ids of the locks that hold. */
  readonly locks: readonly string[]
  /** Ids of the stand-ins that were not taken back. */
  readonly standIns: readonly string[]
  /** Who was removed and not added again. */
  readonly removed: readonly string[]
  /** What is switched to what. */
  readonly switches: readonly boolean[]
  /** What the database says is wrong with itself. */
  readonly damage: readonly string[]
}

const EVENTS = `select writer, seq, prev, hash, approval, revision, type, at, command, command_index,
  body from events order by position`
const VOTES = 'select approval, subject, digest, verdict from votes'
const CLAIMS = 'select approval, claim from claims'
const GRANTS = 'select body from grants'
const USES = 'select grant_id, approval from grant_uses'
const NOTICES = 'select id, due_at from notices'
const HELD = "select kind, id, value from records where kind in ('lock', 'stand-in', 'switch')"
const APPROVALS = 'select id, body, seal from approvals'

type Row = Record<string, unknown>
type Query = (sql: string) => Row[] | Promise<Row[]>

export async function readRecords({ store, database }: StoreAddress): Promise<Records> {
  if (store === 'sqlite') {
    const db = new DatabaseSync(database, { readOnly: true, timeout: 2_000 })
    try {
      // One snapshot, although other processes may write.
      db.exec('begin')
      const checked = db.prepare('pragma integrity_check').all() as Row[]
      const damage = checked
        .map((row) => String(row.integrity_check))
        .filter((text) => text !== 'ok')
      return await collect((sql) => db.prepare(sql).all() as Row[], damage)
    } finally {
      db.close()
    }
  }
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    await client.query('set search_path = countersign, pg_catalog')
    await client.query('begin isolation level repeatable read read only')
    return await collect(async (sql) => (await client.query(sql)).rows, [])
  } finally {
    await client.end()
  }
}

async function collect(query: Query, damage: readonly string[]): Promise<Records> {
  const approvals = await query(APPROVALS)
  const events = await query(EVENTS)
  const claims = await query(CLAIMS)
  const numbers = ['seq', 'revision', 'at', 'command_index']
  return {
    approvals: new Map(approvals.map((row) => [String(row.id), JSON.parse(String(row.body))])),
    seals: new Map(approvals.map((row) => [String(row.id), String(row.seal)])),
    events: events.map((row) => {
      // The driver hands out large integers as text.
      const counted = numbers.map((name) => [name, row[name] === null ? null : Number(row[name])])
      return { ...row, ...Object.fromEntries(counted) } as unknown as EventRow
    }),
    votes: (await query(VOTES)) as unknown as VoteRow[],
    claims: new Map(claims.map((row) => [String(row.approval), String(row.claim)])),
    grants: (await query(GRANTS)).map((row) => JSON.parse(String(row.body)) as Grant),
    uses: (await query(USES)).map(({ grant_id, approval }) => ({
      grant: String(grant_id),
      approval: String(approval),
    })),
    notices: (await query(NOTICES)).map(({ id, due_at }) => ({
      id: String(id),
      isStuck: due_at === null,
    })),
    ...heldIn(await query(HELD)),
    damage,
  }
}

interface HeldValue {
  readonly removed?: boolean
  readonly until?: number
  readonly void?: boolean
  readonly on?: boolean
  readonly target?: { readonly person?: { readonly subject: string } }
}

function heldIn(
  rows: readonly Row[],
): Pick<Records, 'locks' | 'standIns' | 'removed' | 'switches'> {
  const held = rows.map(({ kind, id, value }) => ({
    kind: String(kind),
    id: String(id),
    value: (typeof value === 'string' ? JSON.parse(value) : value) as HeldValue,
  }))
  const locks = held.filter(({ kind }) => kind === 'lock')
  return {
    locks: locks.filter(({ value }) => !value.removed).map(({ id }) => id),
    removed: locks
      .filter(({ value }) => value.removed && value.until === undefined)
      .map(({ value }) => value.target?.person?.subject ?? 'somebody'),
    standIns: held
      .filter(({ kind, value }) => kind === 'stand-in' && !value.void)
      .map(({ id }) => id),
    switches: held.filter(({ kind }) => kind === 'switch').map(({ value }) => value.on !== false),
  }
}
