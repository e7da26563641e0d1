import path from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, vi } from 'vitest'
import { crashablePostgres } from '../../faults/nemeses/crashable-postgres.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { type Started, signIn, start } from './started.ts'

const POLICY = 'version: 1\ntools: { pay: { approval: true } }\n'
const SLOW = 180_000

async function post<T>(url: string, where: string, headers: object, body: object): Promise<T> {
  const answer = await fetch(new URL(where, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as T
}

/** A yes that nobody has used yet. */
async function unusedYes(url: string, bot: object): Promise<{ id: string; digest: string }> {
  const call = { tool: 'pay', run: crypto.randomUUID(), args: {} }
  const asked = await post<{ id: string; digest: string }>(url, '/v1/calls', bot, call)
  const answer = { verdict: 'approve', digest: asked.digest }
  const decided = await post<{ status: string }>(
    url,
    `/v1/approvals/${asked.id}/decisions`,
    await signIn(url),
    answer,
  )
  expect(decided.status).toBe('approved')
  return asked
}

const statusOf = async (url: string, id: string, headers: object) =>
  (
    (await (
      await fetch(new URL(`/v1/approvals/${id}`, url), { headers: { ...headers } })
    ).json()) as { status: string }
  ).status

const serverIn = (db: string) => {
  const cwd = folder({ 'countersign.yaml': POLICY })
  return { cwd, start: () => start(cwd, ['--db', db]) }
}

async function restart(server: Started, again: () => Promise<Started>): Promise<Started> {
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  return again()
}

async function tokenFor(db: string): Promise<{ authorization: string }> {
  const cwd = folder()
  const args = ['token', 'create', '--agent', 'bot', '--db', db]
  const { stdout } = await countersign(args, { cwd, env: { HOME: cwd } })
  return { authorization: `Bearer ${stdout.trim()}` }
}

async function quarantines(db: string): Promise<unknown[]> {
  const client = new Client({ connectionString: db })
  await client.connect()
  try {
    return (await client.query('select reason from countersign.quarantines')).rows
  } finally {
    await client.end()
  }
}

promise(
  ['CS-HA-1', 'CS-HA-2', 'CS-HA-3', 'CS-SERVE-7'],
  'three servers are restarted, joined and left, and keep a yes; a restored one is noticed by all',
  async () => {
    const postgres = await crashablePostgres()
    onTestFinished(() => postgres.stop())
    const db = await postgres.newDatabase()
    const places = [serverIn(db), serverIn(db), serverIn(db)] as const
    const first = await places[0].start()
    let second = await places[1].start()
    let third = await places[2].start()
    const bot = await tokenFor(db)
    const yes = await unusedYes(first.url, bot)
    await unusedYes(second.url, bot)
    second = await restart(second, places[1].start)
    third = await restart(third, places[2].start)
    const fourth = await serverIn(db).start()
    await tokenFor(db)
    for (const { url } of [first, second, third, fourth]) {
      expect(await statusOf(url, yes.id, bot)).toBe('approved')
    }
    expect(await quarantines(db)).toEqual([])

    // A snapshot of the whole server is put back while all four go on running.
    await postgres.crash()
    const snapshot = path.join(folder(), 'snapshot')
    postgres.copyTo(snapshot)
    await postgres.start()
    const claim = { digest: yes.digest }
    const won = await post<{ claim?: string }>(
      fourth.url,
      `/v1/approvals/${yes.id}/claim`,
      bot,
      claim,
    )
    expect(won.claim).toBeTypeOf('string')
    // Each has looked at the database since the claim, as whoever watches it makes it do.
    const ready = async ({ url }: Started) => (await fetch(new URL('/readyz', url))).status
    const servers = [first, second, third, fourth]
    for (const server of servers) {
      await vi.waitFor(async () => expect(await ready(server)).toBe(200), { timeout: 20_000 })
    }
    await postgres.crash()
    postgres.restoreFrom(snapshot)
    await postgres.start()
    const again = await post<{ claim?: string }>(
      first.url,
      `/v1/approvals/${yes.id}/claim`,
      bot,
      claim,
    )
    expect(again.claim).toBeUndefined()
    // Whoever is not asked for anything is asked whether it is ready.
    const ends = await Promise.all(
      servers.map(async (server) => {
        const asking = setInterval(() => void ready(server).catch(() => {}), 300)
        const code = await server.ended
        clearInterval(asking)
        return code
      }),
    )
    expect(ends).toEqual([7, 7, 7, 7])
    for (const place of places) {
      const { url } = await place.start()
      expect(await statusOf(url, yes.id, bot)).toBe('invalidated')
    }
    expect(await quarantines(db)).toHaveLength(1)
  },
  SLOW,
)
