import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import type { OpenAuditLog } from '../../src/server/audit-check.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { openAuditLog } from '../../src/store/sqlite/audit-log.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { type Running, running, type Sender } from './harness.ts'

/** Everybody who could send a request, and how far they should get. */
export const SENDERS = [
  'nobody',
  'forged cookie',
  'cookie without csrf',
  'forged token',
  'bot',
  'other bot',
  'viewer',
  'author',
  'approver',
  'admin',
  'signed out',
  'expired session',
  'removed person',
  'revoked token',
  'locked approver',
  'locked admin',
  'admin of another tenant',
  'bot of another tenant',
] as const

export type Who = (typeof SENDERS)[number]

/** Every state that an approval can be in. */
export const STATES = [
  'pending',
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
  'running',
  'succeeded',
  'failed',
  'unknown',
] as const

/** An approval in one of them, asked by `bot`. */
export interface State {
  readonly name: (typeof STATES)[number]
  readonly id: string
  readonly digest: string
  readonly claim: string
  readonly now: number
}

export interface MatrixWorld extends Running {
  readonly by: Readonly<Record<Who, Sender>>
  readonly states: readonly State[]
  /** All rows there are, of everybody. */
  snapshot(): string
}

/** Where nothing listens: so far a request that signs nobody in does not get. */
const NOBODY_THERE = { issuer: new URL('http://127.0.0.1:1'), clientId: 'countersign' }
/** Longer than a question waits, and than a session lives that nobody uses. */
const DAY_AND_MORE = 25 * 3_600_000

export async function matrixWorld(): Promise<MatrixWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-matrix-'))
  const file = path.join(folder, 'approvals.db')
  let ahead = 0
  const clock = () => Date.now() + ahead
  const store = await openSqlite(file, { clock })
  const openAudit: OpenAuditLog = async (wanted) => openAuditLog(file, wanted)
  const own = running({ store, oidc: NOBODY_THERE, openAudit })
  const elsewhere = running({ store: await openSqlite(file, { clock, tenant: 'elsewhere' }) })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))

  const bot = await own.agent('bot')
  const early = await own.person('approver@example.com', ['approver'])
  const expired = await ask(own, bot, 'expired', clock())
  const unknown = await claimed(own, { bot, approver: early }, 'unknown', clock())
  const expiredSession = await own.person('late@example.com', ['admin'])
  ahead = DAY_AND_MORE
  const sweeper = startSweeper({ store, every: 1_000_000_000 })
  while ((await sweeper.sweep()) > 0);
  await sweeper.stop()

  const by = { ...(await senders(own, elsewhere)), bot, 'expired session': expiredSession }
  const states = [expired, unknown]
  for (const name of STATES) {
    if (name !== 'expired' && name !== 'unknown') states.push(await stateOf(own, by, name, clock()))
  }
  for (const { id, name } of states) {
    const { status, execution } = (await store.get(id)) ?? {}
    expect(execution?.state ?? status).toBe(name)
  }
  return { ...own, by, states, snapshot: snapshotOf(file) }
}

async function senders(
  own: Running,
  elsewhere: Running,
): Promise<Omit<Record<Who, Sender>, 'bot' | 'expired session'>> {
  const { person, agent, send, server, store } = own
  const admin = await person('admin@example.com', ['admin'])
  const signedOut = await person('out@example.com', ['admin'])
  expect((await send('/v1/session', { as: signedOut, method: 'DELETE' })).status).toBe(204)
  const removed = await person('removed@example.com', ['approver', 'admin'])
  const gone = { issuer: 'local', subject: 'removed@example.com' }
  await createMembership(store).remove({ system: 'operator' }, accountKey(gone))
  const { token, made } = await server.credentials.tokens.create({ agent: 'bot' })
  await server.credentials.tokens.revoke(made.prefix)
  const locked = {
    'locked approver': await person('held@example.com', ['approver']),
    'locked admin': await person('held-admin@example.com', ['admin']),
  }
  for (const subject of ['held@example.com', 'held-admin@example.com']) {
    const body = { target: { person: { issuer: 'local', subject } }, reason: 'a test' }
    expect((await send('/v1/locks', { as: admin, body })).status).toBe(201)
  }
  return {
    nobody: {},
    'forged cookie': { cookie: `countersign-4747=${'x'.repeat(43)}` },
    'cookie without csrf': { cookie: admin.cookie ?? '' },
    'forged token': { authorization: `Bearer cs_000000000000_${'x'.repeat(43)}` },
    'other bot': await agent('other-bot'),
    viewer: await person('viewer@example.com', ['viewer']),
    author: await person('author@example.com', ['author']),
    approver: await person('approver@example.com', ['approver']),
    admin,
    'signed out': signedOut,
    'removed person': removed,
    'revoked token': { authorization: `Bearer ${token}` },
    ...locked,
    'admin of another tenant': await elsewhere.person('admin@example.com', ['admin']),
    'bot of another tenant': await elsewhere.agent('bot'),
  }
}

async function ask({ send }: Running, bot: Sender, name: State['name'], now: number) {
  const call = { tool: 'pay', run: 'r', key: name, args: { amount: 500, to: name } }
  const asked = await send('/v1/calls', { as: bot, body: call })
  return { name, id: asked.at('id'), digest: asked.at('digest'), claim: 'none', now }
}

type Both = Readonly<Record<'bot' | 'approver', Sender>>

async function claimed(
  own: Running,
  { bot, approver }: Both,
  name: State['name'],
  now: number,
): Promise<State> {
  const state = await ask(own, bot, name, now)
  const { id, digest } = state
  const body = { verdict: 'approve', digest }
  await own.send(`/v1/approvals/${id}/decisions`, { as: approver, body })
  const answer = await own.send(`/v1/approvals/${id}/claim`, { as: bot, body: { digest } })
  return { ...state, claim: answer.at('claim') }
}

async function stateOf(own: Running, by: Both, name: State['name'], now: number): Promise<State> {
  const { bot, approver } = by
  if (name === 'running') return claimed(own, by, name, now)
  if (name === 'succeeded' || name === 'failed') {
    const state = await claimed(own, by, name, now)
    const body = { claim: state.claim, outcome: name }
    await own.send(`/v1/approvals/${state.id}/result`, { as: bot, body })
    return state
  }
  const state = await ask(own, bot, name, now)
  const at = `/v1/approvals/${state.id}`
  if (name === 'withdrawn') await own.send(`${at}/withdraw`, { as: bot, method: 'POST' })
  const { digest } = state
  const verdicts = { approved: ['approve'], denied: ['deny'], invalidated: ['approve', 'deny'] }
  for (const verdict of verdicts[name as keyof typeof verdicts] ?? []) {
    await own.send(`${at}/decisions`, { as: approver, body: { verdict, digest } })
  }
  return state
}

function snapshotOf(file: string): () => string {
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  // `instances` holds the heartbeat of the server itself.
  const tables = reader
    .prepare("select name from sqlite_schema where type = 'table' and name <> 'instances'")
    .all()
    .map(({ name }) => String(name))
    // The index of searches and the statistics are brought up to date in the background.
    .filter((name) => !/^(sqlite_|search_|statistics)/.test(name))
  expect(tables).toContain('records')
  // So does `written_at` of the file: whoever asks whether the server is ready makes it write.
  const columns = (table: string) => (table === 'identity' ? 'database, place, has_head' : '*')
  // That an attempt was refused, and how many calls passed, is on record a little later.
  const recorded = "where type not in ('attempt.refused', 'calls.counted', 'chain.linked')"
  const rows = (table: string) => (table === 'events' ? recorded : '')
  const statements = tables.map((table) =>
    reader.prepare(`select ${columns(table)} from ${table} ${rows(table)}`),
  )
  const version = reader.prepare('pragma data_version')
  let known = { version: -1, rows: '' }
  return () => {
    const now = Number(version.get()?.data_version)
    if (now !== known.version) {
      known = { version: now, rows: JSON.stringify(statements.map((one) => one.all())) }
    }
    return known.rows
  }
}
