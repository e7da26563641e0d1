import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Route } from '../../src/server/route.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { type Running, running, type Sender } from './harness.ts'

vi.setConfig({ testTimeout: 120_000 })

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
const SAFE = ['GET', 'HEAD', 'OPTIONS']

/** What each needs in its body to get as far as who may do it. */
const BODIES: Readonly<Record<string, (of: State) => unknown>> = {
  '/v1/sign-in/callback': () => ({ answer: 'code=x&state=x' }),
  '/v1/session': () => ({ token: 'x'.repeat(43) }),
  '/v1/approvals/:id/decisions': ({ digest }) => ({ verdict: 'approve', digest }),
  '/v1/approvals/:id/passkey': ({ digest }) => ({ digest }),
  '/v1/passkeys': () => ({ name: 'Laptop', response: {} }),
  '/v1/approvals/:id/extend': ({ now }) => ({ until: now + 90_000_000 }),
  '/v1/approvals/:id/resolve': () => ({ outcome: 'failed' }),
  '/v1/approvals/:id/reveal': ({ digest }) => ({ path: ['card'], digest }),
  '/v1/approvals/:id/claim': ({ digest }) => ({ digest }),
  '/v1/approvals/:id/renew': ({ claim }) => ({ claim }),
  '/v1/approvals/:id/result': ({ claim }) => ({ claim, outcome: 'succeeded', result: 1 }),
  '/v1/calls': () => ({ tool: 'note', args: { text: 'x' } }),
  '/v1/login/confirm': () => ({ code: 'BBBB-BBBB' }),
  '/v1/login/finish': () => ({ secret: 'x'.repeat(43) }),
  '/v1/policy/apply': () => ({ name: '0'.repeat(64) }),
  '/v1/policy/explain': () => ({ tool: 'note', args: {} }),
  '/v1/tokens': () => ({ agent: 'new' }),
  '/v1/approvals/:id/grant-proposal': () => ({}),
  '/v1/grants': () => ({
    tool: 'pay',
    agent: 'bot',
    condition: { args_match: { amount: { lte: 500 } } },
  }),
  '/v1/people': () => ({ email: 'new@example.com', roles: ['viewer'] }),
  '/v1/people/:person': () => ({ roles: ['viewer'] }),
  '/v1/servers/:server/switch': () => ({ on: true }),
  '/v1/servers/:server/tools/:tool/switch': () => ({ on: true }),
  '/v1/people/stand-ins': ({ now }) => ({ standIn: 'viewer@example.com', until: now + 90_000_000 }),
  '/v1/locks': () => ({ target: { agent: 'nobody' }, reason: 'a test' }),
}

/** An approval in one of the states it can be in, asked by `bot`. */
interface State {
  readonly name: string
  readonly id: string
  readonly digest: string
  readonly claim: string
  readonly now: number
}

type Who =
  | 'nobody'
  | 'forged cookie'
  | 'cookie without csrf'
  | 'forged token'
  | 'bot'
  | 'other bot'
  | 'viewer'
  | 'approver'
  | 'admin'

/** Where nothing listens: so far a request that signs nobody in does not get. */
const NOBODY_THERE = { issuer: new URL('http://127.0.0.1:1'), clientId: 'countersign' }

async function onDisk(): Promise<Running & { snapshot(): string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-matrix-'))
  const file = path.join(folder, 'approvals.db')
  const own = running({ store: await sqliteStore(file), oidc: NOBODY_THERE })
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => {
    reader.close()
    rmSync(folder, { recursive: true, force: true })
  })
  // `instances` holds the heartbeat of the server itself.
  const tables = reader
    .prepare("select name from sqlite_schema where type = 'table' and name <> 'instances'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_'))
  expect(tables).toContain('records')
  const statements = tables.map((table) => reader.prepare(`select * from ${table}`))
  const version = reader.prepare('pragma data_version')
  let known = { version: -1, rows: '' }
  const snapshot = () => {
    const now = Number(version.get()?.data_version)
    if (now !== known.version) {
      known = { version: now, rows: JSON.stringify(statements.map((statement) => statement.all())) }
    }
    return known.rows
  }
  return { ...own, snapshot }
}

async function senders({ person, agent }: Running): Promise<Readonly<Record<Who, Sender>>> {
  const admin = await person('admin@example.com', ['admin'])
  return {
    nobody: {},
    'forged cookie': { cookie: `countersign-4747=${'x'.repeat(43)}` },
    'cookie without csrf': { cookie: admin.cookie ?? '' },
    'forged token': { authorization: `Bearer cs_000000000000_${'x'.repeat(43)}` },
    bot: await agent('bot'),
    'other bot': await agent('other-bot'),
    viewer: await person('viewer@example.com', ['viewer']),
    approver: await person('approver@example.com', ['approver']),
    admin,
  }
}

/** The same call again and again, each in another state. */
async function states(
  { send }: Running,
  { bot, approver }: Readonly<Record<Who, Sender>>,
): Promise<State[]> {
  const now = Date.now()
  const made: State[] = []
  for (const name of ['pending', 'approved', 'denied', 'withdrawn', 'running', 'succeeded']) {
    const call = { tool: 'pay', run: 'r', key: name, args: { amount: 500, to: name } }
    const asked = await send('/v1/calls', { as: bot, body: call })
    const [id, digest] = [asked.at('id'), asked.at('digest')]
    const at = `/v1/approvals/${id}`
    let claim = 'none'
    if (!['pending', 'withdrawn'].includes(name)) {
      const verdict = name === 'denied' ? 'deny' : 'approve'
      await send(`${at}/decisions`, { as: approver, body: { verdict, digest } })
    }
    if (name === 'withdrawn') await send(`${at}/withdraw`, { as: bot, method: 'POST' })
    if (name === 'running' || name === 'succeeded') {
      claim = (await send(`${at}/claim`, { as: bot, body: { digest } })).at('claim')
    }
    if (name === 'succeeded') {
      await send(`${at}/result`, { as: bot, body: { claim, outcome: 'succeeded' } })
    }
    made.push({ name, id, digest, claim, now })
  }
  return made
}

/** Whether the table says that this sender may use the route at all. */
function isAdmitted({ who, isOpen }: Route, sender: Who): boolean {
  if (who.includes('anyone')) return sender !== 'forged token'
  switch (sender) {
    case 'bot':
    case 'other bot':
      return who.includes('agent')
    case 'viewer':
    case 'approver':
    case 'admin':
      return who.includes(sender)
    case 'cookie without csrf':
      return isOpen === true && who.includes('admin')
    default:
      return false
  }
}

/** The route itself, or the one that takes the last word of this address for a name. */
function isServedBy({ path: own }: Route, pattern: string): boolean {
  return own === pattern || own.replace(/:\w+$/, 'stand-ins') === pattern
}

const SENDERS: readonly Who[] = [
  'nobody',
  'forged cookie',
  'cookie without csrf',
  'forged token',
  'bot',
  'other bot',
  'viewer',
  'approver',
  'admin',
]

test('nobody gets further than the table says, and looking changes nothing', async () => {
  const own = await onDisk()
  const by = await senders(own)
  const all = await states(own, by)
  const made = await own.send('/v1/grants', {
    as: by.approver,
    body: BODIES['/v1/grants']?.(all[0] as State),
  })
  const grant = made.at('id')
  let tried = 0
  for (const { path: pattern } of own.server.routes) {
    const isOfApproval = pattern.includes(':id')
    for (const state of isOfApproval ? all : all.slice(0, 1)) {
      for (const method of METHODS) {
        const served = method === 'HEAD' ? 'get' : method.toLowerCase()
        const spec = own.server.routes.find(
          (one) => one.method === served && isServedBy(one, pattern),
        )
        for (const who of SENDERS) {
          if (spec && isAdmitted(spec, who) && !SAFE.includes(method)) continue
          if (pattern === '/v1/events' && spec && isAdmitted(spec, who)) continue
          tried += 1
          const before = own.snapshot()
          const body = SAFE.includes(method) ? undefined : BODIES[pattern]?.(state)
          const address = pattern
            .replace(':id', state.id)
            .replace(':prefix', '000000000000')
            .replace(':grant', grant)
            .replace(':lock', 'none')
          const { status } = await own.send(address, { as: by[who], method, body })
          const what = `${method} ${pattern} (${state.name}) by ${who}`
          expect(own.snapshot() === before, `${what} changes nothing`).toBe(true)
          if (!spec) expect(status, what).toBe(404)
          else if (!isAdmitted(spec, who)) expect([401, 403], what).toContain(status)
          else if (who === 'other bot' && isOfApproval) expect(status, what).toBe(404)
          else expect(status, what).toBeLessThan(400)
        }
      }
    }
  }
  expect(tried).toBeGreaterThan(2_000)
})

/** Who may decide a pending call, of those the table admits. */
test.each(SENDERS)('only the approver decides: %s', async (who) => {
  const own = await onDisk()
  const by = await senders(own)
  const call = { tool: 'pay', run: 'r', key: 'k', args: { amount: 500, to: 'x' } }
  const asked = await own.send('/v1/calls', { as: by.bot, body: call })
  const path = `/v1/approvals/${asked.at('id')}/decisions`
  for (const verdict of ['approve', 'deny']) {
    const body = { verdict, digest: asked.at('digest') }
    const answer = await own.send(path, { as: by[who], body })
    if (who === 'approver') break
    expect([401, 403]).toContain(answer.status)
    expect((await own.store.get(asked.at('id')))?.revision).toBe(1)
  }
  const { status } = (await own.store.get(asked.at('id'))) ?? {}
  expect(status).toBe(who === 'approver' ? 'approved' : 'pending')
})

test.each(['claim', 'result', 'renew', 'withdraw'])(
  'another agent that knows the id cannot %s',
  async (action) => {
    const own = await onDisk()
    const by = await senders(own)
    for (const state of await states(own, by)) {
      const before = own.snapshot()
      const body = BODIES[`/v1/approvals/:id/${action}`]?.(state)
      const path = `/v1/approvals/${state.id}/${action}`
      const answer = await own.send(path, { as: by['other bot'], method: 'POST', body })
      expect(answer.at('error.code')).toBe('approval_not_found')
      expect(own.snapshot()).toBe(before)
    }
  },
)

test('every route that takes a body has one here', async () => {
  const { server } = running()
  const wanting = server.routes.filter(({ body }) => body).map((one) => one.path)
  expect(Object.keys(BODIES).toSorted()).toEqual([...new Set(wanting)].toSorted())
})
