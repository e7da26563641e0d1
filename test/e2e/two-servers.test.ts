import { request } from 'node:http'
import { expect, vi } from 'vitest'
import { countersign, folder } from '../cli/countersign.ts'
import { type Started, start } from '../cli/started.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 120_000 })

const POLICY = `version: 1
tools:
  read: { approval: false }
  pay: { approval: { approvers: ["*"], decide_by: 10m } }
`
/** What a proxy in front of both passes on: the name that people typed. */
const HOST = 'localhost:4747'

type Headers = Readonly<Record<string, string>>

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readonly<Record<string, unknown>>
}

interface Sending {
  readonly as?: Headers
  readonly method?: string
  readonly body?: unknown
}

function send(to: Started, path: string, { as = {}, method, body }: Sending = {}): Promise<Answer> {
  const headers = {
    host: HOST,
    ...as,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, to.url),
      { method: method ?? (body === undefined ? 'GET' : 'POST'), headers },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0, headers: given } = response
          resolve({
            status: statusCode,
            headers: given,
            body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Everything that a stream of events says from now on. */
function listen(to: Started, as: Headers): Promise<{ heard(): string; leave(): void }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL('/v1/events', to.url),
      { headers: { host: HOST, ...as } },
      (response) => {
        let text = ''
        response.on('error', () => {})
        response.on('data', (chunk) => {
          text += chunk
        })
        // The stream is open when its head is here.
        resolve({ heard: () => text, leave: () => sent.destroy() })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

/** Two real processes on one real Postgres. */
async function two() {
  const db = await freshDatabase()
  const cwd = folder({ 'countersign.yaml': POLICY })
  const env = { COUNTERSIGN_DB: db, HOME: cwd }
  const [a, b] = [await start(cwd, [], env), await start(cwd, [], env)]
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await countersign(args, { cwd, env })
    expect(stderr).toBe('')
    expect(code).toBe(0)
    return stdout.trim()
  }
  return {
    a,
    b,
    agent: async (name: string): Promise<Headers> => ({
      authorization: `Bearer ${await run('token', 'create', '--agent', name)}`,
    }),
    async person(at: Started, email: string, ...roles: string[]): Promise<Headers> {
      const link = await run('open', '--as', email, '--role', ...roles)
      const token = new URL(link).hash.replace('#signin=', '')
      const { status, headers, body } = await send(at, '/v1/session', { body: { token } })
      expect(status).toBe(200)
      const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
      return { cookie, 'x-countersign-csrf': String(body.csrf) }
    },
  }
}

async function ask(to: Started, bot: Headers, key: string) {
  const call = { tool: 'pay', run: 'r', key, args: { amount: 5 } }
  const { status, body } = await send(to, '/v1/calls', { as: bot, body: call })
  expect(status).toBeLessThan(300)
  return { at: `/v1/approvals/${body.id}`, id: String(body.id), digest: String(body.digest) }
}

promise(
  ['CS-SERVE-7'],
  'what is decided at one server wakes whoever waits at the other, and shows in inboxes there',
  async () => {
    const { a, b, agent, person } = await two()
    const bot = await agent('bot')
    const ana = await person(a, 'ana@example.com', 'viewer', 'approver')
    const { at, id, digest } = await ask(b, bot, 'one')
    const inbox = await listen(b, ana)
    const waiting = send(b, `${at}?wait=50s`, { as: bot })
    const begun = performance.now()
    const decided = await send(a, `${at}/decisions`, {
      as: ana,
      body: { verdict: 'approve', digest },
    })
    expect(decided).toMatchObject({ status: 200, body: { status: 'approved' } })
    expect((await waiting).body).toMatchObject({ id, status: 'approved' })
    await expect.poll(inbox.heard, { timeout: 5_000 }).toMatch(/"status":"approved"/)
    // Far sooner than a wait ends by itself.
    expect(performance.now() - begun).toBeLessThan(10_000)
    inbox.leave()
    const claims = await Promise.all(
      [a, b, a, b].map((to) => send(to, `${at}/claim`, { as: bot, body: { digest } })),
    )
    expect(claims.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  },
)

promise(
  ['CS-SERVE-7', 'CS-LOCK-1', 'CS-LOCK-2'],
  'a lock set at one server stops claims and calls at the other, until it is lifted at either',
  async () => {
    const { a, b, agent, person } = await two()
    const bot = await agent('bot')
    const ana = await person(a, 'ana@example.com', 'viewer', 'approver')
    const root = await person(b, 'root@example.com', 'admin')
    const { at, digest } = await ask(b, bot, 'one')
    await send(a, `${at}/decisions`, { as: ana, body: { verdict: 'approve', digest } })
    const lock = { target: { everything: true }, reason: 'stock-taking' }
    const set = await send(a, '/v1/locks', { as: ana, body: lock })
    expect(set.status).toBe(201)
    const claim = { as: bot, body: { digest } }
    expect(await send(b, `${at}/claim`, claim)).toMatchObject({
      status: 423,
      body: { error: { code: 'locked' } },
    })
    const call = { tool: 'pay', run: 'r', key: 'two', args: { amount: 5 } }
    const refused = await send(b, '/v1/calls', { as: bot, body: call })
    expect(refused.body).toMatchObject({ status: 'blocked', code: 'locked' })
    const lifted = await send(b, `/v1/locks/${set.body.id}`, { as: root, method: 'DELETE' })
    expect(lifted.status).toBeLessThan(300)
    // The other server hears of it a moment later, and refuses until then.
    const claimed = () => send(a, `${at}/claim`, claim)
    await expect.poll(claimed).toMatchObject({ status: 200 })
  },
)

promise(
  ['CS-SERVE-7'],
  'sessions and tokens made at one server are good at the other, and end at both at once',
  async () => {
    const { a, b, agent, person } = await two()
    const root = await person(a, 'root@example.com', 'admin')
    const ana = await person(b, 'ana@example.com', 'viewer', 'approver')
    expect(await send(b, '/v1/me', { as: root })).toMatchObject({ status: 200 })
    expect(await send(a, '/v1/me', { as: ana })).toMatchObject({ status: 200 })

    const bot = await agent('bot')
    expect(await send(a, '/v1/approvals', { as: bot })).toMatchObject({ status: 200 })
    expect(await send(b, '/v1/approvals', { as: bot })).toMatchObject({ status: 200 })
    const [, prefix] = /cs_([0-9a-f]+)_/.exec(bot.authorization ?? '') ?? []
    const revoked = await send(a, `/v1/tokens/${prefix}`, { as: root, method: 'DELETE' })
    expect(revoked.status).toBe(204)
    for (const to of [b, a]) {
      expect(await send(to, '/v1/approvals', { as: bot })).toMatchObject({
        status: 401,
        body: { error: { code: 'token_unknown' } },
      })
    }

    expect((await send(b, '/v1/session', { as: ana, method: 'DELETE' })).status).toBe(204)
    expect(await send(a, '/v1/me', { as: ana })).toMatchObject({ status: 401 })
    const bo = await person(a, 'bo@example.com', 'approver')
    const { body } = await send(b, '/v1/people', { as: root })
    const people = body.people as readonly { id: string; email?: string }[]
    const { id } = people.find(({ email }) => email === 'bo@example.com') ?? {}
    const removed = await send(b, `/v1/people/${id}`, { as: root, method: 'DELETE' })
    expect(removed.status).toBe(200)
    expect(await send(a, '/v1/me', { as: bo })).toMatchObject({ status: 401 })
  },
)

promise(
  ['CS-SERVE-7'],
  'when one server is killed, what it was asked is decided and run at the other',
  async () => {
    const { a, b, agent, person } = await two()
    const bot = await agent('bot')
    const ana = await person(a, 'ana@example.com', 'viewer', 'approver')
    const asked = await Promise.all(['one', 'two', 'three'].map((key) => ask(a, bot, key)))
    const waits = asked.map(({ at }) => send(a, `${at}?wait=50s`, { as: bot }).catch(() => 'cut'))
    // Under way when it is answered: requests of one connection after another are taken in order.
    await send(a, '/healthz')
    a.child.kill('SIGKILL')
    await a.ended
    expect(await Promise.all(waits)).toEqual(['cut', 'cut', 'cut'])
    for (const { at, digest } of asked) {
      const again = send(b, `${at}?wait=50s`, { as: bot })
      const body = { verdict: 'approve', digest }
      expect(await send(b, `${at}/decisions`, { as: ana, body })).toMatchObject({ status: 200 })
      expect((await again).body).toMatchObject({ status: 'approved' })
      const { status, body: run } = await send(b, `${at}/claim`, { as: bot, body: { digest } })
      expect(status).toBe(200)
      const result = { claim: run.claim, outcome: 'succeeded', result: 1 }
      expect(await send(b, `${at}/result`, { as: bot, body: result })).toMatchObject({
        status: 200,
      })
    }
    // Asked again under the same key, an agent finds what became of it.
    const { body } = await send(b, '/v1/calls', {
      as: bot,
      body: { tool: 'pay', run: 'r', key: 'one', args: { amount: 5 } },
    })
    expect(body).toMatchObject({ id: asked[0]?.id })
  },
)
