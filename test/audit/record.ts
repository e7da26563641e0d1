import { hash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import {
  type AuditRecord,
  lineOf,
  readLine,
  recordsOf,
} from '../../src/gate/audit/audit-records.ts'
import {
  type AuditReport,
  type VerifyAuditOptions,
  verifyAudit,
} from '../../src/gate/audit/audit-verify.ts'
import { writeCheckpoint } from '../../src/gate/proof/checkpoint.ts'
import { openSigner, type Signer } from '../../src/gate/proof/keys.ts'
import type { AuditLogOptions } from '../../src/store/audit/audit-log.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import type { Amendment } from '../../src/store/engine/amendment.ts'
import { openAuditLog as openPostgresLog } from '../../src/store/postgres/audit-log.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openAuditLog as openSqliteLog } from '../../src/store/sqlite/audit-log.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { KeyFolder } from '../../src/store/vault.ts'
import { approverNamed, claiming, finishing } from '../../src/testing/commands.ts'
import { granted, minting, revoking } from '../../src/testing/grants.ts'
import { approved, asked } from '../../src/testing/store-cases/expect.ts'
import { lifting, locking } from '../../src/testing/store-cases/lock.ts'
import { standingIn } from '../../src/testing/store-cases/stand-in.ts'
import { quietDatabase } from '../support/postgres.ts'

export const BACKENDS = ['sqlite', 'postgres'] as const
export type Backend = (typeof BACKENDS)[number]

/** A real database with two chains, linked, signed twice and signed up to their ends. */
export interface Recorded {
  readonly backend: Backend
  /** As `--db` takes it. */
  readonly db: string
  /** Where the file is; empty for Postgres. */
  readonly file: string
  readonly signer: Signer
  readonly keys: KeyFolder
  /** The two checkpoints, as signed texts. */
  readonly checkpoints: readonly string[]
}

export const sha256 = (text: string) => hash('sha256', text)

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function fill(open: () => Promise<Store>) {
  const one = await open()
  const keys = memoryKeys()
  const signer = await openSigner({ store: one, keys })
  await run(one)
  const first = await writeCheckpoint(one, signer)
  const two = await open()
  await run(two)
  await run(one)
  await stand(one)
  const second = await writeCheckpoint(two, signer)
  await two.close()
  await one.close()
  return { signer, keys, checkpoints: [first?.jws ?? '', second?.jws ?? ''] }
}

async function run(store: Store): Promise<void> {
  const approval = await approved(store)
  const claimed = await store.apply(approval.id, claiming(approval))
  await store.apply(approval.id, finishing(claimed.approval))
}

/** What stands beside approvals and decides: a grant that is used, one that is over, and records. */
async function stand(store: Store): Promise<void> {
  const live = minting({ uses: 3, most: 100, scope: { server: 'bank' }, reason: 'month end' })
  const grant = await store.grants.apply(live.id, live)
  const covered = granted(grant, { amount: 20, call: { server: 'bank' } })
  await store.apply(covered.id, covered)
  const over = minting()
  await store.grants.apply(over.id, over)
  await store.grants.apply(over.id, revoking(approverNamed('ana')))
  await asked(store, { call: { run: 'run-1', server: 'bank' } })
  const lifted = locking({ agent: 'nobody' })
  await store.amend(lifted)
  await store.amend(lifting(lifted.lock))
  await store.amend(locking({ agent: 'somebody' }, FAR))
  await store.amend(standingIn('eve'))
  for (const { event, changes } of KEPT) {
    await store.amend({ commandId: crypto.randomUUID(), event, changes })
  }
}

export const FAR = 4_000_000_000_000
const OPERATOR = { system: 'operator' } as const
const KEPT: readonly Pick<Amendment, 'event' | 'changes'>[] = [
  {
    event: { type: 'switch.set', by: OPERATOR },
    changes: [{ kind: 'switch', id: 'bank/pay', value: { on: true }, expect: 'absent' }],
  },
  {
    event: { type: 'switch.set', by: OPERATOR },
    changes: [{ kind: 'switch', id: 'bank/pay', value: { on: false }, expect: 1 }],
  },
  {
    event: { type: 'token.created', by: OPERATOR },
    changes: [{ kind: 'token', id: 'ab12', value: { agent: 'biller' } }],
  },
  {
    event: { type: 'person.added', by: OPERATOR },
    changes: [{ kind: 'person', id: 'vera', value: { subject: 'vera', roles: ['viewer'] } }],
  },
  {
    event: { type: 'passkey.added', by: OPERATOR },
    changes: [{ kind: 'passkey', id: 'vera.1', value: { publicKey: 'abc' } }],
  },
  {
    event: { type: 'policy.loaded', by: OPERATOR },
    changes: [
      { kind: 'policy', id: 'active', value: { name: 'a' } },
      { kind: 'policy-text', id: 'a/0', value: 'version: 1' },
    ],
  },
]

let template: Promise<{ folder: string; filled: Awaited<ReturnType<typeof fill>> }> | undefined

export async function recorded(backend: Backend): Promise<Recorded> {
  if (backend === 'postgres') {
    const db = await quietDatabase()
    return { backend, db, file: '', ...(await fill(() => openPostgres(db))) }
  }
  template ??= (async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-audit-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return { folder, filled: await fill(() => openSqlite(path.join(folder, 'a.db'))) }
  })()
  const { folder, filled } = await template
  const file = path.join(temporaryFolder(), 'a.db')
  copyFileSync(path.join(folder, 'a.db'), file)
  return { backend, db: `sqlite:${file}`, file, ...filled }
}

export function openLog({ backend, db, file }: Recorded, options: AuditLogOptions = {}) {
  return backend === 'sqlite' ? openSqliteLog(file, options) : openPostgresLog(db, options)
}

export async function verifyDatabase(
  of: Recorded,
  options: VerifyAuditOptions = {},
): Promise<AuditReport> {
  const log = await openLog(of, { content: true })
  try {
    return await verifyAudit(() => recordsOf(log, { at: 0, rows: true }), {
      hash: sha256,
      ...options,
    })
  } finally {
    await log.close()
  }
}

export async function exported(of: Recorded, options: AuditLogOptions = {}): Promise<string[]> {
  const log = await openLog(of, options)
  const lines: string[] = []
  for await (const record of recordsOf(log, { at: 1_800_000_000_000, ...options })) {
    lines.push(lineOf(record))
  }
  await log.close()
  return lines
}

export function verifyLines(
  lines: readonly string[],
  options: VerifyAuditOptions = {},
): Promise<AuditReport> {
  async function* read(): AsyncGenerator<AuditRecord> {
    for (const [index, line] of lines.entries()) yield readLine(line, index + 1)
  }
  return verifyAudit(read, { hash: sha256, ...options })
}

/** Somebody with every right in the database, and no trigger in the way. */
export interface Intruder {
  rows(sql: string): Promise<Record<string, string | number | null>[]>
  run(sql: string): Promise<void>
}

export async function breakInto(
  { backend, db, file }: Recorded,
  work: (intruder: Intruder) => Promise<void>,
): Promise<void> {
  if (backend === 'sqlite') {
    const database = new DatabaseSync(file)
    database.exec('pragma foreign_keys = off')
    const rows: Intruder['rows'] = async (sql) =>
      database.prepare(sql).all() as Awaited<ReturnType<Intruder['rows']>>
    for (const { name } of await rows("select name from sqlite_schema where type = 'trigger'")) {
      database.exec(`drop trigger ${name}`)
    }
    await work({ rows, run: async (sql) => database.exec(sql) })
    database.close()
    return
  }
  const client = new Client({ connectionString: db })
  await client.connect()
  await client.query('set session_replication_role = replica; set search_path to countersign')
  const positions = ['events', 'approvals', 'grants'].map((table) => {
    return `alter table ${table} alter column position`
  })
  for (const change of positions) await client.query(`${change} drop identity if exists`)
  await work({
    rows: async (sql) => (await client.query(sql)).rows,
    run: async (sql) => void (await client.query(sql)),
  })
  // So that a store can go on with it.
  for (const change of positions) {
    await client.query(`${change} add generated always as identity (start with 100000)`)
  }
  await client.end()
}

export interface Written {
  position: number
  writer: string
  seq: number
  hash: string
  body: string
}

export async function entriesIn({ rows }: Intruder): Promise<Written[]> {
  const found = await rows('select position, writer, seq, hash, body from events order by position')
  return found.map((row) => ({
    position: Number(row.position),
    writer: String(row.writer),
    seq: Number(row.seq),
    hash: String(row.hash),
    body: String(row.body),
  }))
}

/** Writes a chain anew with every hash right, as somebody would who wants to get away with it. */
export async function rewrite(
  intruder: Intruder,
  writer: string,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  let prev = '0'.repeat(64)
  for (const entry of (await entriesIn(intruder)).filter((one) => one.writer === writer)) {
    const body = canonical({ ...change(JSON.parse(entry.body)), prev })
    const now = sha256(body)
    await intruder.run(
      `update events set body = ${quoted(body)}, hash = '${now}', prev = '${prev}'
       where position = ${entry.position}`,
    )
    prev = now
  }
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`
}
