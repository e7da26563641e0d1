import { expect, test } from 'vitest'
import { signInSecret } from '../../src/server/identity/invite.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { running, signIn } from './harness.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('the link of a start signs the operator in, with every role', async () => {
  const { server, send } = running()
  const as = await signIn(send, await server.inviteOperator())
  const me = await send('/v1/me', { as })
  expect(me.body).toMatchObject({
    person: { issuer: 'local' },
    roles: ['viewer', 'approver', 'admin'],
    assurance: 'signed-in',
    tenant: 'default',
  })
})

test('a link works once', async () => {
  const { server, send } = running()
  const token = await server.inviteOperator()
  await signIn(send, token)
  const again = await send('/v1/session', { body: { token } })
  expect(again.status).toBe(401)
  expect(again.body).toMatchObject({ error: { code: 'signin_expired' } })
  expect(again.headers.get('set-cookie')).toBe(null)
})

test('of many who use a link at the same time, one is signed in', async () => {
  const { server, send } = running()
  const token = await server.inviteOperator()
  const tries = Array.from({ length: 10 }, () => send('/v1/session', { body: { token } }))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 401)).toHaveLength(9)
})

test('a link dies after ten minutes', async () => {
  const clock = fakeClock()
  const { server, send } = running({ store: memoryStore({ clock: clock.now }) })
  const [young, old] = [await server.inviteOperator(), await server.inviteOperator()]
  clock.advance(10 * MINUTE - 1)
  expect((await send('/v1/session', { body: { token: young } })).status).toBe(200)
  clock.advance(1)
  expect((await send('/v1/session', { body: { token: old } })).status).toBe(401)
})

test('guessing ends soon, and keeps nobody out who brings a right link', async () => {
  const { server, send } = running()
  for (let n = 0; n < 20; n++) {
    expect((await send('/v1/session', { body: { token: 'x'.repeat(43) } })).status).toBe(401)
  }
  const guess = await send('/v1/session', { body: { token: 'x'.repeat(43) } })
  expect(guess.body).toMatchObject({ error: { code: 'too_many_requests' } })
  const token = await server.inviteOperator()
  expect((await send('/v1/session', { body: { token } })).status).toBe(200)
})

test('nothing of a secret is in the database', async () => {
  const store = memoryStore()
  const { server, send, agent } = running({ store })
  const link = await server.inviteOperator()
  const kept = await signInSecret(store, { email: 'ana@example.com', roles: ['viewer'] })
  const { cookie = '' } = await signIn(send, link)
  const { authorization = '' } = await agent('bot')
  const kinds = ['person', 'session', 'sign-in link', 'token']
  const pages = await Promise.all(kinds.map((kind) => store.records.list(kind)))
  expect(pages.map(({ records }) => records.length)).toEqual([2, 1, 1, 1])
  const everything = JSON.stringify(pages)
  for (const secret of [link, kept, cookie.split('=')[1], authorization.slice(-43)]) {
    expect(secret?.length).toBeGreaterThan(20)
    expect(everything).not.toContain(secret)
  }
})

test('the cookie is out of reach of scripts and other sites', async () => {
  const { server, send } = running()
  const body = { token: await server.inviteOperator() }
  const cookie = (await send('/v1/session', { body })).headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(
    /^countersign-4747=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
  )
})

test('over https it is bound to this very name', async () => {
  const { server, send } = running({ publicUrl: new URL('https://inbox.example.com/') })
  const body = { token: await server.inviteOperator() }
  const headers = { host: 'inbox.example.com', origin: 'https://inbox.example.com' }
  const answer = await send('/v1/session', { body, headers })
  const cookie = answer.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^__Host-countersign=[\w-]{43};.* Secure; SameSite=Strict$/)
  const plain = cookie.split(';')[0]?.replace('__Host-countersign', 'countersign-80') ?? ''
  expect((await send('/v1/me', { headers: { ...headers, cookie: plain } })).status).toBe(401)
})

test('a session ends by signing out', async () => {
  const { send, person } = running()
  const as = await person('ana@example.com')
  expect((await send('/v1/session', { as, method: 'DELETE' })).status).toBe(204)
  expect((await send('/v1/me', { as })).status).toBe(401)
})

test('a session ends after 12 hours without use, and after 7 days in any case', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock: clock.now })
  const { send, person, server } = running({ store })
  const as = await person('ana@example.com')
  const idle = await person('bo@example.com')
  for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
    clock.advance(8 * HOUR)
    expect((await send('/v1/me', { as })).status).toBe(200)
    // What the server does every few minutes.
    await server.credentials.sessions.close()
  }
  expect((await send('/v1/me', { as: idle })).status).toBe(401)
  clock.advance(8 * HOUR)
  expect((await send('/v1/me', { as })).status).toBe(401)
})

test('somebody who is locked or gone is signed out', async () => {
  const { send, person, store } = running()
  const as = await person('ana@example.com')
  const [ana] = (await store.records.list('person')).records
  expect(ana).toBeDefined()
  const value = { ...(ana?.value as object), locked: true }
  await store.records.put('person', ana?.id ?? '', value)
  expect((await send('/v1/me', { as })).status).toBe(401)
  await store.records.remove('person', ana?.id ?? '')
  expect((await send('/v1/me', { as })).status).toBe(401)
})

test.each([
  ['no token', {}],
  ['another token', { 'x-countersign-csrf': 'f'.repeat(64) }],
  ['an empty token', { 'x-countersign-csrf': '' }],
])('a change from a page with %s is refused', async (_, headers) => {
  const { send, person } = running()
  const { cookie = '' } = await person('ana@example.com', ['admin'])
  const sent = { cookie, ...(headers as Record<string, string>) }
  const answer = await send('/v1/demo', { method: 'POST', headers: sent })
  expect(answer.status).toBe(403)
  expect(answer.body).toMatchObject({ error: { code: 'csrf_mismatch' } })
})

promise(
  ['CS-SIGN-6'],
  'a cookie that another port of this machine was sent opens nothing without the key',
  async () => {
    const { send, person, agent } = running()
    const ana = await person('ana@example.com', ['viewer', 'approver', 'admin'])
    const asked = await send('/v1/calls', {
      as: await agent('bot'),
      body: { tool: 'note', run: 'r', key: '1', args: {} },
    })
    const stolen = { cookie: ana.cookie ?? '' }
    for (const path of ['/v1/me', '/v1/approvals', `/v1/approvals/${asked.at('id')}`]) {
      const answer = await send(path, { as: stolen })
      expect(answer.status).toBe(403)
      expect(answer.at('error.code')).toBe('csrf_mismatch')
      expect((await send(path, { as: ana })).status).toBe(200)
      expect(JSON.stringify((await send(path, { as: ana })).body)).not.toContain('csrf')
    }
  },
)

test('the token of one session does not serve another', async () => {
  const { send, person } = running()
  const ana = await person('ana@example.com', ['admin'])
  const bo = await person('bo@example.com', ['admin'])
  const mixed = { cookie: ana.cookie ?? '', 'x-countersign-csrf': bo['x-countersign-csrf'] ?? '' }
  expect((await send('/v1/demo', { method: 'POST', headers: mixed })).status).toBe(403)
})

test.each(['', 'x', 'x'.repeat(43), '../../etc', 'a; countersign-4747=b', '%00'])(
  'a forged cookie %j is nobody',
  async (value) => {
    const { send } = running()
    const answer = await send('/v1/me', { headers: { cookie: `countersign-4747=${value}` } })
    expect(answer.status).toBe(401)
  },
)

test('a token is never a person, and a cookie never an agent', async () => {
  const { send, person, agent } = running()
  const [ana, bot] = [await person('ana@example.com', ['admin']), await agent('bot')]
  const secret = (bot.authorization ?? '').replace('Bearer ', '')
  const asCookie = { headers: { cookie: `countersign-4747=${secret}` } }
  expect((await send('/v1/me', asCookie)).status).toBe(401)
  const session = (ana.cookie ?? '').split('=')[1]
  const asToken = { headers: { authorization: `Bearer ${session}` } }
  expect((await send('/v1/approvals', asToken)).at('error.code')).toBe('token_unknown')
  // Together they are the agent, who may do less.
  expect((await send('/v1/me', { as: { ...ana, ...bot } })).status).toBe(403)
  // And a token that is none does not fall back to the cookie beside it.
  const broken = { ...ana, authorization: 'Bearer cs_000000000000_nothing' }
  expect((await send('/v1/me', { as: broken })).status).toBe(401)
  const basic = { ...ana, authorization: 'Basic YTpi' }
  expect((await send('/v1/me', { as: basic })).status).toBe(401)
})

test('a revoked token is worth nothing', async () => {
  const { send, person, agent } = running()
  const [ana, bot] = [await person('ana@example.com', ['admin']), await agent('bot')]
  const list = await send('/v1/tokens', { as: ana })
  expect(list.body).toMatchObject({ tokens: [{ agent: 'bot' }] })
  const path = `/v1/tokens/${list.at('tokens.0.prefix')}`
  expect((await send(path, { as: ana, method: 'DELETE' })).status).toBe(204)
  expect((await send('/v1/approvals', { as: bot })).status).toBe(401)
  expect((await send(path, { as: ana, method: 'DELETE' })).status).toBe(404)
})
