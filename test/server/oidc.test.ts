import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OidcOptions } from '../../src/server/identity/oidc.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { CLIENT, type Issuer, startIssuer, visit } from '../support/issuer.ts'
import { promise } from '../support/promise.ts'
import { HOST, type Running, running, type Sender } from './harness.ts'

const PEOPLE = {
  ana: { email: 'Ana@example.com', email_verified: true, name: 'Ana', groups: ['ops', 'money'] },
  bo: { email: 'bo@example.com', email_verified: true, groups: ['ops'] },
  // Says she is a member of finance, and nobody checked it.
  eve: { email: 'fay@example.com', email_verified: false, groups: [] },
  fay: { email: 'fay@example.com', email_verified: true },
  tim: { email: 'tim@example.com', email_verified: 'true', groups: 'ops' },
}

const POLICY = `version: 1
people: { groups: { finance: [fay@example.com], treasury: { claim: money } } }
tools:
  wire: { approval: { quorum: [{ group: treasury, n: 1 }] } }
  pay: { approval: { quorum: [{ group: finance, n: 1 }] } }
`

let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer(PEOPLE, [`http://${HOST}/sign-in/callback`])
})
afterAll(() => issuer.stop())

function withProvider(more: Partial<OidcOptions> = {}, store = memoryStore()): Running {
  const oidc = {
    issuer: issuer.url,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    roles: { viewer: ['ops'], admin: ['money'] },
    ...more,
  }
  return running({ policy: POLICY, oidc, store })
}

/** Begins in one browser: the address to visit and the cookie that browser got. */
async function begin({ send }: Running) {
  const begun = await send('/v1/sign-in/oidc', { method: 'POST' })
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { url: begun.at('url'), cookie }
}

async function signInAs(own: Running, name: string) {
  const { url, cookie } = await begin(own)
  const answer = await visit(url, name)
  return own.send('/v1/sign-in/callback', { body: { answer }, headers: { cookie } })
}

async function sender(own: Running, name: string): Promise<Sender> {
  const done = await signInAs(own, name)
  const cookie = done.headers
    .getSetCookie()
    .map((one) => one.split(';')[0] ?? '')
    .find((one) => one.startsWith('countersign-4747='))
  return { cookie: cookie ?? '', 'x-countersign-csrf': done.at('csrf') }
}

promise(
  ['CS-SIGN-1'],
  'a person is who the issuer says, with the roles and groups of its claims',
  async () => {
    const own = withProvider()
    expect((await own.send('/v1/sign-in')).body).toEqual({
      link: true,
      oidc: { name: issuer.url.host },
    })
    const ana = await sender(own, 'ana')
    expect((await own.send('/v1/me', { as: ana })).body).toMatchObject({
      person: { issuer: issuer.url.origin, subject: 'ana', name: 'Ana', email: 'ana@example.com' },
      roles: ['viewer', 'admin'],
      assurance: 'signed-in',
    })
    const bot = await own.agent('bot')
    const asked = await own.send('/v1/calls', {
      as: bot,
      body: { tool: 'wire', run: 'r', key: '1', args: {} },
    })
    const path = `/v1/approvals/${asked.at('id')}/decisions`
    const body = { verdict: 'approve', digest: asked.at('digest') }
    const bo = await sender(own, 'bo')
    expect((await own.send(path, { as: bo, body })).at('error.code')).toBe('not_an_approver')
    expect((await own.send(path, { as: ana, body })).at('status')).toBe('approved')
  },
)

promise(['CS-SIGN-2'], 'an address counts only when the issuer verified it', async () => {
  const own = withProvider()
  // Named by the policy, so she may look and decide what names her.
  expect((await signInAs(own, 'fay')).body).toMatchObject({ roles: ['viewer'] })
  const eve = await signInAs(own, 'eve')
  expect(eve.status).toBe(403)
  expect(eve.at('error.code')).toBe('not_permitted')
  expect(eve.headers.getSetCookie().filter((one) => /countersign-4747=./.test(one))).toEqual([])
  // "true" in quotation marks is not a promise, and one group may stand without a list.
  const tim = await signInAs(own, 'tim')
  expect(tim.body).toMatchObject({ roles: ['viewer'], person: { subject: 'tim' } })
  expect(tim.body).not.toHaveProperty('person.email')
})

promise(
  ['CS-SIGN-3'],
  'whoever has no role, is locked or was invited under the same address: as an admin said',
  async () => {
    const own = withProvider({ roles: {} })
    expect((await signInAs(own, 'bo')).at('error.code')).toBe('not_permitted')
    await own.person('bo@example.com', ['approver'])
    expect((await signInAs(own, 'bo')).body).toMatchObject({ roles: ['approver'] })
    const [local] = (await own.store.records.list('person')).records.filter(
      ({ value }) => (value as { issuer?: string }).issuer === 'local',
    )
    await own.store.records.put('person', local?.id ?? '', {
      ...(local?.value as object),
      locked: true,
    })
    expect((await signInAs(own, 'bo')).at('error.message')).toBe('this account is locked')
  },
)

test('roles of the issuer go with their group, roles of an admin stay', async () => {
  const store = memoryStore()
  const first = withProvider({ roles: { viewer: ['ops'], admin: ['money'] } }, store)
  await signInAs(first, 'ana')
  const id = (await store.records.list('person')).records[0]?.id ?? ''
  const value = (await store.records.get('person', id))?.value as { roles: string[] }
  await store.records.put('person', id, { ...value, roles: [...value.roles, 'approver'] })
  const later = withProvider({ roles: { viewer: ['ops'] } }, store)
  expect((await signInAs(later, 'ana')).body).toMatchObject({ roles: ['viewer', 'approver'] })
})

promise.each(
  ['CS-SIGN-4'],
  'an answer that does not belong to this browser and this attempt is refused',
  [
    ['another browser', (_: Attempt) => ({ cookie: '' }), 'signin_expired'],
    [
      'a forged cookie',
      (_: Attempt) => ({ cookie: `countersign-signin-4747=${'x'.repeat(43)}` }),
      'signin_expired',
    ],
    [
      'another state',
      ({ answer }: Attempt) => ({ answer: set(answer, 'state', 'f'.repeat(64)) }),
      'signin_refused',
    ],
    ['no state', ({ answer }: Attempt) => ({ answer: set(answer, 'state') }), 'signin_refused'],
    [
      'another issuer',
      ({ answer }: Attempt) => ({ answer: set(answer, 'iss', 'https://evil.example') }),
      'signin_refused',
    ],
    ['no issuer', ({ answer }: Attempt) => ({ answer: set(answer, 'iss') }), 'signin_refused'],
    [
      'another code',
      ({ answer }: Attempt) => ({ answer: set(answer, 'code', 'stolen') }),
      'signin_refused',
    ],
    [
      'a code twice',
      ({ answer }: Attempt) => ({ answer: `${answer}&code=stolen` }),
      'signin_refused',
    ],
    [
      'a refusal',
      ({ answer }: Attempt) => ({ answer: set(set(answer, 'code'), 'error', 'access_denied') }),
      'signin_refused',
    ],
    ['nothing', () => ({ answer: '' }), 'signin_refused'],
  ] as const,
  async (_, change, code) => {
    const own = withProvider()
    const { url, cookie } = await begin(own)
    const attempt = { answer: await visit(url, 'ana'), cookie }
    const { answer, cookie: sent } = { ...attempt, ...change(attempt) }
    const tried = await own.send('/v1/sign-in/callback', {
      body: { answer },
      headers: { cookie: sent },
    })
    expect(tried.status).toBe(401)
    expect(tried.at('error.code')).toBe(code)
    expect((await own.store.records.list('session')).records).toEqual([])
  },
)

interface Attempt {
  readonly answer: string
  readonly cookie: string
}

function set(query: string, name: string, value?: string): string {
  const changed = new URLSearchParams(query)
  if (value === undefined) changed.delete(name)
  else changed.set(name, value)
  return changed.toString()
}

promise(['CS-SIGN-4'], 'an answer works once, and never for the next attempt', async () => {
  const own = withProvider()
  const { url, cookie } = await begin(own)
  const answer = await visit(url, 'ana')
  const finish = (sent: string) =>
    own.send('/v1/sign-in/callback', { body: { answer }, headers: { cookie: sent } })
  const tries = await Promise.all([finish(cookie), finish(cookie), finish(cookie)])
  expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  const other = await begin(own)
  expect((await finish(other.cookie)).at('error.code')).toBe('signin_refused')
})

promise(
  ['CS-SIGN-5'],
  'coming back changes nothing, and leads nowhere but to the inbox',
  async () => {
    const own = withProvider()
    for (const query of ['code=1&state=2', '//evil.example', 'x=%0d%0aset-cookie:%20a=b', '#//e']) {
      const back = await own.send(`/sign-in/callback?${query}`)
      expect(back.status).toBe(303)
      expect(back.headers.get('location')).toMatch(/^\/#oidc=[^/\r\n]*$/)
      expect(back.headers.get('set-cookie')).toBe(null)
    }
    expect((await own.store.records.list('session')).records).toEqual([])
  },
)

test('a session of the issuer ends after 12 hours, however busy, and when the person is removed', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock: clock.now })
  const own = withProvider({}, store)
  const [ana, bo] = [await sender(own, 'ana'), await sender(own, 'bo')]
  const all = (await store.records.list('person')).records
  const gone = all.find(({ value }) => (value as { subject?: string }).subject === 'bo')
  await store.records.remove('person', gone?.id ?? '')
  expect((await own.send('/v1/me', { as: bo })).status).toBe(401)
  clock.advance(8 * 3_600_000)
  expect((await own.send('/v1/me', { as: ana })).status).toBe(200)
  await own.server.credentials.sessions.close()
  clock.advance(5 * 3_600_000)
  expect((await own.send('/v1/me', { as: ana })).status).toBe(401)
})

test('an issuer that is away is said to be, and links still work', async () => {
  const away = await startIssuer({}, [])
  await away.stop()
  const own = withProvider({ issuer: away.url })
  const begun = await own.send('/v1/sign-in/oidc', { method: 'POST' })
  expect(begun.status).toBe(503)
  expect(begun.at('error.code')).toBe('issuer_unavailable')
  await own.person('ana@example.com')
})

test('without a provider there is nothing to begin', async () => {
  const { send } = running()
  expect((await send('/v1/sign-in')).body).toEqual({ link: true })
  expect((await send('/v1/sign-in/oidc', { method: 'POST' })).status).toBe(404)
  expect((await send('/sign-in/callback?code=1')).status).toBe(404)
})

promise(
  ['CS-PEOPLE-1'],
  'whoever was removed is not let in by a provider until they are added again',
  async () => {
    const own = withProvider()
    const root = await own.person('root@example.com', ['admin'])
    // Two logins of one person: both go.
    await own.person('bo@example.com')
    const bo = await sender(own, 'bo')
    const { people } = (await own.send('/v1/people', { as: root })).body as {
      people: { id: string; issuer: string; email?: string }[]
    }
    const local = people.find((one) => one.issuer === 'local' && one.email === 'bo@example.com')
    const removed = await own.send(`/v1/people/${local?.id}`, { as: root, method: 'DELETE' })
    expect(removed.status).toBe(200)
    expect((await own.send('/v1/me', { as: bo })).status).toBe(401)
    expect((await signInAs(own, 'bo')).at('error.message')).toBe('you were removed here')
    const body = { email: 'bo@example.com', roles: ['approver'] }
    await own.send('/v1/people', { as: root, body })
    expect((await signInAs(own, 'bo')).body).toMatchObject({ roles: ['viewer', 'approver'] })
  },
)

test('S19: nobody behind one address keeps the others there from signing in with the provider', async () => {
  const own = withProvider()
  const wrongLink = () => own.send('/v1/session', { body: { token: 'x'.repeat(43) } })
  for (let nth = 0; nth < 25; nth += 1) await wrongLink()
  expect((await wrongLink()).status).toBe(429)
  for (let nth = 0; nth < 25; nth += 1) await own.send('/v1/login', { method: 'POST' })
  // An office comes in the morning, each of them from the same address.
  for (let nth = 0; nth < 100; nth += 1) await begin(own)
  expect((await signInAs(own, 'ana')).status).toBe(200)
  for (let nth = 0; nth < 300; nth += 1) await own.send('/v1/sign-in/oidc', { method: 'POST' })
  expect((await own.send('/v1/sign-in/oidc', { method: 'POST' })).status).toBe(429)
})
