import { expect } from 'vitest'
import type { OAuthTokens } from '../../src/api/oauth/oauth.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import type { Sender } from './harness.ts'
import {
  atMcp,
  CALLBACK,
  CHALLENGE,
  documentOf,
  type OAuthWorld,
  oauthWorld,
  RESOURCE,
  VERIFIER,
  WEB_CALLBACK,
} from './oauth-world.ts'

type Form = Readonly<Record<string, string>>

async function world(more: Parameters<typeof oauthWorld>[0] = {}) {
  const w = await oauthWorld(more)
  return { ...w, ana: await w.person('ana@example.com') }
}

const exchange = (w: OAuthWorld, code: string): Record<string, string> => ({
  grant_type: 'authorization_code',
  code,
  client_id: w.client,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
  resource: RESOURCE,
})

const refreshing = (w: OAuthWorld, { refresh_token }: OAuthTokens): Record<string, string> => ({
  grant_type: 'refresh_token',
  refresh_token,
  client_id: w.client,
})

type Change = (w: OAuthWorld) => Form
type Theft = [string, string, Change, (readonly string[])?]

const EXCHANGES: readonly Theft[] = [
  [
    'by another client',
    'invalid_grant',
    (w) => ({ client_id: w.serve('/thief.json', (id) => documentOf(id)) }),
  ],
  ['by a client that is none', 'invalid_grant', () => ({ client_id: 'x' })],
  ['without a client', 'invalid_request', () => ({}), ['client_id']],
  ['with another verifier', 'invalid_grant', () => ({ code_verifier: 'x'.repeat(43) })],
  ['with the challenge as verifier', 'invalid_grant', () => ({ code_verifier: CHALLENGE })],
  ['with an empty verifier', 'invalid_grant', () => ({ code_verifier: '' })],
  ['without a verifier', 'invalid_grant', () => ({}), ['code_verifier']],
  ['with another registered redirect', 'invalid_grant', () => ({ redirect_uri: WEB_CALLBACK })],
  [
    'with another port',
    'invalid_grant',
    () => ({ redirect_uri: 'http://127.0.0.1:5556/callback' }),
  ],
  ['without a redirect', 'invalid_request', () => ({}), ['redirect_uri']],
  ['for another resource', 'invalid_target', () => ({ resource: 'https://other.example/mcp' })],
  ['for more than was allowed', 'invalid_scope', () => ({ scope: 'tools decide' })],
  ['with a secret', 'invalid_client', () => ({ client_secret: 'x' })],
  ['with an assertion', 'invalid_client', () => ({ client_assertion: 'x' })],
  ['as a password', 'unsupported_grant_type', () => ({ grant_type: 'password' })],
  [
    'as a client of its own',
    'unsupported_grant_type',
    () => ({ grant_type: 'client_credentials' }),
  ],
  ['as nothing', 'invalid_request', () => ({}), ['grant_type']],
  ['with a code that was made up', 'invalid_grant', () => ({ code: 'x'.repeat(43) })],
  ['with no code', 'invalid_grant', () => ({ code: '' })],
]

promise.each(
  ['CS-OA-5'],
  'a code is not exchanged',
  EXCHANGES,
  async (_, error, change, without = []) => {
    const w = await world()
    const form = { ...exchange(w, await w.code(w.ana)), ...change(w) }
    for (const name of without) delete form[name]
    const answer = await w.token(form)
    expect([answer.status, answer.at('error')]).toEqual([400, error])
    expect(await w.server.credentials.tokens.list()).toEqual([])
  },
)

promise(['CS-OA-5'], 'a code that was tried with a wrong verifier is used up', async () => {
  const w = await world()
  const form = exchange(w, await w.code(w.ana))
  await w.token({ ...form, code_verifier: 'x'.repeat(43) })
  expect((await w.token(form)).at('error')).toBe('invalid_grant')
})

promise(['CS-OA-5'], 'a code that comes again ends what it made', async () => {
  const w = await world()
  const form = exchange(w, await w.code(w.ana))
  const tokens = (await w.token(form)).body as OAuthTokens
  expect(await atMcp(w, tokens.access_token)).toBe(200)
  expect((await w.token(form)).at('error')).toBe('invalid_grant')
  expect(await atMcp(w, tokens.access_token)).toBe(401)
  expect((await w.token(refreshing(w, tokens))).at('error')).toBe('invalid_grant')
})

promise(['CS-OA-5'], 'of two exchanges at one moment none leaves a connection', async () => {
  const w = await world()
  const form = exchange(w, await w.code(w.ana))
  const answers = await Promise.all([w.token(form), w.token(form)])
  const given = answers.filter(({ status }) => status === 200)
  expect(given.length).toBeLessThan(2)
  for (const { body } of given) expect(await atMcp(w, (body as OAuthTokens).access_token)).toBe(401)
})

promise(['CS-OA-5'], 'a code ends after a minute', async () => {
  let ahead = 0
  const w = await world({ store: memoryStore({ clock: () => Date.now() + ahead }) })
  const form = exchange(w, await w.code(w.ana))
  ahead = 61_000
  expect((await w.token(form)).at('error')).toBe('invalid_grant')
})

promise(['CS-OA-5'], 'the token endpoint reads nothing but one plain form', async () => {
  const w = await world()
  const form = exchange(w, await w.code(w.ana))
  const twice = `${new URLSearchParams(form)}&code=x`
  const basic = { authorization: 'Basic eDp4' }
  expect((await w.send('/oauth/token', { body: form })).at('error')).toBe('invalid_request')
  expect((await w.send('/oauth/token', { form: twice })).at('error')).toBe('invalid_request')
  expect((await w.send('/oauth/token', { form, as: basic })).at('error')).toBe('invalid_client')
  const long = { ...form, padding: 'x'.repeat(20_000) }
  expect((await w.token(long)).at('error')).toBe('invalid_request')
  const page = { origin: 'https://evil.example' }
  expect((await w.send('/oauth/token', { form, headers: page })).status).toBe(403)
  expect((await w.token(form)).status).toBe(200)
})

promise(['CS-OA-6'], 'a refresh token that comes again ends the connection', async () => {
  const w = await world()
  const first = await w.connect(w.ana)
  const second = (await w.token(refreshing(w, first))).body as OAuthTokens
  expect((await w.token(refreshing(w, first))).at('error')).toBe('invalid_grant')
  expect(await atMcp(w, second.access_token)).toBe(401)
  expect((await w.token(refreshing(w, second))).at('error')).toBe('invalid_grant')
})

promise(['CS-OA-6'], 'a client cannot fill the database by refreshing', async () => {
  const w = await world()
  let tokens = await w.connect(w.ana)
  for (let made = 0; made < 30; made++) {
    tokens = (await w.token(refreshing(w, tokens))).body as OAuthTokens
  }
  const kept = async () => (await w.store.records.list('oauth refresh')).records.length
  const before = await kept()
  for (let more = 0; more < 3; more++) {
    expect((await w.token(refreshing(w, tokens))).status).toBe(429)
  }
  expect(await kept()).toBe(before)
  expect(await atMcp(w, tokens.access_token)).toBe(200)
})

promise(['CS-OA-6'], 'of two refreshes at one moment none leaves a connection', async () => {
  const w = await world()
  const form = refreshing(w, await w.connect(w.ana))
  const answers = await Promise.all([w.token(form), w.token(form)])
  const given = answers.filter(({ status }) => status === 200)
  expect(given.length).toBeLessThan(2)
  for (const { body } of given) expect(await atMcp(w, (body as OAuthTokens).access_token)).toBe(401)
})

const REFRESHES: readonly [string, string, Change][] = [
  [
    'by another client',
    'invalid_grant',
    (w) => ({ client_id: w.serve('/thief.json', (id) => documentOf(id)) }),
  ],
  ['for another resource', 'invalid_target', () => ({ resource: 'https://other.example/mcp' })],
  ['for more than was allowed', 'invalid_scope', () => ({ scope: 'tools admin' })],
  [
    'with a token that was made up',
    'invalid_grant',
    () => ({ refresh_token: `csr_${'0'.repeat(12)}_x` }),
  ],
]

promise.each(['CS-OA-6'], 'nothing is refreshed', REFRESHES, async (_, error, change) => {
  const w = await world()
  const tokens = await w.connect(w.ana)
  const form = { ...refreshing(w, tokens), ...change(w) }
  expect((await w.token(form)).at('error')).toBe(error)
  // A stranger cannot end what is not theirs.
  expect(await atMcp(w, tokens.access_token)).toBe(200)
})

promise(['CS-OA-6'], 'no token stands in for another one', async () => {
  const w = await world()
  const one = await w.connect(w.ana)
  const two = await w.connect(w.ana)
  const as = (token: string) => ({ ...refreshing(w, one), refresh_token: token })
  expect((await w.token(as(one.access_token))).at('error')).toBe('invalid_grant')
  expect(await atMcp(w, one.refresh_token)).toBe(401)
  const [, prefix = ''] = one.access_token.split('_')
  expect(await atMcp(w, two.access_token.replace(/^cs_[^_]+/, `cs_${prefix}`))).toBe(401)
  expect(await atMcp(w, `cs_${prefix}_${'x'.repeat(43)}`)).toBe(401)
  expect(await atMcp(w, one.refresh_token.replace('csr_', 'cs_'))).toBe(401)
  expect(await atMcp(w, one.access_token)).toBe(200)
})

const DOORS: readonly [string, string, object?][] = [
  ['ask as an agent', '/v1/calls', { tool: 'note', args: { text: 'x' } }],
  ['list approvals', '/v1/approvals'],
  ['decide', '/v1/approvals/x/decisions', { verdict: 'approve', digest: 'x' }],
  ['claim', '/v1/approvals/x/claim', { digest: 'x' }],
  ['answer for a user', '/v1/approvals/x/answers', { by: 'a@b.cc', approved: true, seen: 'x' }],
  ['evaluate', '/access/v1/evaluation', {}],
  ['read who is signed in', '/v1/me'],
  ['list people', '/v1/people'],
  ['make a token', '/v1/tokens', { agent: 'x' }],
  ['allow another client', '/v1/oauth/answers', { request: 'x', allow: true }],
  ['list connections', '/v1/oauth/connections'],
]

promise.each(
  ['CS-OA-7'],
  'with a token of a client one cannot',
  DOORS,
  async (_, path, body?: object) => {
    const w = await world()
    const { access_token } = await w.connect(w.ana)
    const as = { authorization: `Bearer ${access_token}` }
    const answer = await w.send(path, { as, ...(body === undefined ? {} : { body }) })
    expect([answer.status, answer.at('error.code')]).toEqual([401, 'token_unknown'])
    // Nor with the cookie of a person beside it.
    expect(
      (await w.send(path, { as: { ...w.ana, ...as }, ...(body ? { body } : {}) })).status,
    ).toBe(401)
  },
)

type Asked = Awaited<ReturnType<typeof world>> & { readonly request: string }

const ANSWERS: readonly [string, number, (w: Asked) => Promise<Sender>][] = [
  ['a stranger', 401, async () => ({})],
  ['a cookie without the key of the page', 403, async ({ ana }) => ({ cookie: ana.cookie ?? '' })],
  ['a page of another site', 403, async ({ ana }) => ({ ...ana, origin: 'https://evil.example' })],
  [
    'a frame on another site',
    403,
    async ({ ana }) => ({ ...ana, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }),
  ],
  ['another person', 404, (w) => w.person('bo@example.com')],
  ['another session of the same person', 404, (w) => w.person('ana@example.com')],
  ['a viewer', 403, (w) => w.person('vi@example.com', ['viewer'])],
  ['an agent', 403, (w) => w.agent('bot')],
]

promise.each(['CS-OA-9'], 'a client is not allowed by', ANSWERS, async (_, status, sender) => {
  const w = await world()
  const { ask } = await w.ask(w.ana, w.query())
  const body = { request: ask?.request ?? '', allow: true }
  const as = await sender({ ...w, request: body.request })
  expect((await w.send('/v1/oauth/answers', { as, body })).status).toBe(status)
  // The one who was asked still can.
  expect((await w.send('/v1/oauth/answers', { as: w.ana, body })).status).toBe(200)
})

promise(['CS-OA-9'], 'a request that was answered or took too long is gone', async () => {
  let ahead = 0
  const w = await world({ store: memoryStore({ clock: () => Date.now() + ahead }) })
  const answer = (request = '') =>
    w.send('/v1/oauth/answers', { as: w.ana, body: { request, allow: true } })
  const first = await w.ask(w.ana, w.query())
  const both = await Promise.all([answer(first.ask?.request), answer(first.ask?.request)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
  const second = await w.ask(w.ana, w.query())
  ahead = 601_000
  expect((await answer(second.ask?.request)).status).toBe(404)
  expect((await answer('x'.repeat(43))).status).toBe(404)
})

promise(['CS-OA-9'], 'one person cannot make the server fetch without end', async () => {
  const w = await world()
  const statuses: number[] = []
  for (let asked = 0; asked < 31; asked++) {
    const body = { query: w.query() }
    statuses.push((await w.send('/v1/oauth/requests', { as: w.ana, body })).status)
  }
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(200))
  expect(statuses[30]).toBe(429)
})

type End = (w: OAuthWorld, admin: Sender) => Promise<unknown>
const ANA = { issuer: 'local', subject: 'ana@example.com' }

const ENDS: readonly [string, End][] = [
  ['is removed', (w, as) => w.send(`/v1/people/${accountKey(ANA)}`, { as, method: 'DELETE' })],
  [
    'only looks on from now on',
    (w, as) => w.send(`/v1/people/${accountKey(ANA)}`, { as, body: { roles: ['viewer'] } }),
  ],
  [
    'is locked',
    (w, as) => w.send('/v1/locks', { as, body: { target: { person: ANA }, reason: 'x' } }),
  ],
  [
    'has their connection revoked by an admin',
    async (w, as) => {
      const [token] = await w.server.credentials.tokens.list()
      return w.send(`/v1/tokens/${token?.prefix}`, { as, method: 'DELETE' })
    },
  ],
]

promise.each(['CS-OA-10'], 'a client is refused when its person', ENDS, async (title, end) => {
  const w = await world()
  const admin = await w.person('root@example.com', ['admin'])
  const tokens = await w.connect(w.ana)
  const code = await w.code(w.ana)
  await end(w, admin)
  expect(await atMcp(w, tokens.access_token)).toBe(401)
  expect((await w.token(refreshing(w, tokens))).at('error')).toBe('invalid_grant')
  // What they allowed before and was not fetched yet is worth as much as they are.
  const { status } = await w.token(exchange(w, code))
  expect(status).toBe(title.includes('by an admin') ? 200 : 400)
})

promise(['CS-OA-10'], 'a person who is added again has no clients', async () => {
  const w = await world()
  const tokens = await w.connect(w.ana)
  const membership = createMembership(w.store)
  await membership.remove({ system: 'operator' }, accountKey(ANA))
  await membership.set(
    { system: 'operator' },
    {
      ...ANA,
      email: 'ana@example.com',
      emailVerified: true,
      roles: ['approver'],
    },
  )
  expect(await atMcp(w, tokens.access_token)).toBe(401)
  expect((await w.token(refreshing(w, tokens))).at('error')).toBe('invalid_grant')
})

promise(['CS-OA-10'], 'nothing of one tenant counts in another', async () => {
  const w = await world()
  const far = await oauthWorld({ store: memoryStore({ tenant: 'elsewhere' }) })
  const tokens = await w.connect(w.ana)
  expect(await atMcp(far, tokens.access_token)).toBe(401)
  expect((await far.token({ ...refreshing(w, tokens) })).at('error')).toBe('invalid_grant')
  expect((await far.token(exchange(w, await w.code(w.ana)))).at('error')).toBe('invalid_grant')
  const { ask } = await w.ask(w.ana, w.query())
  const ana = await far.person('ana@example.com')
  const body = { request: ask?.request ?? '', allow: true }
  expect((await far.send('/v1/oauth/answers', { as: ana, body })).status).toBe(404)
})

promise(['CS-OA-6'], 'no secret of a connection is in the database or the log', async () => {
  const w = await world()
  const code = await w.code(w.ana)
  const tokens = (await w.token(exchange(w, code))).body as OAuthTokens
  const kinds = ['token', 'oauth code', 'oauth access', 'oauth refresh', 'oauth request']
  const rows = await Promise.all(kinds.map((kind) => w.store.records.list(kind)))
  const kept = JSON.stringify(rows) + w.logged.join('\n')
  for (const secret of [code, tokens.access_token, tokens.refresh_token]) {
    expect(kept).not.toContain(secret)
    expect(kept).not.toContain(secret.slice(-43))
  }
})
