import { expect, onTestFinished, test } from 'vitest'
import type { CountersignServerOptions } from '../../src/app/countersign-options.ts'
import { createCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import { parsePolicy, withGovernance } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { CLIENT, startIssuer, visit } from '../support/issuer.ts'
import { promise } from '../support/promise.ts'

const POLICY = definePolicy({ tools: { pay: { approval: true } } })
const ANA = { email: 'ana@example.com', roles: ['viewer', 'approver', 'admin'] } as const
const ORIGIN = 'https://example.com'
const URL_ = `${ORIGIN}/approvals`

function made(options: Partial<CountersignServerOptions> = {}) {
  const store = options.store ?? memoryStore()
  const lines: string[] = []
  const log = {
    write: (level: string, event: string, fields?: object) =>
      void lines.push(JSON.stringify({ level, event, ...fields })),
  }
  const countersign = createCountersign({ policy: POLICY, log, publicUrl: URL_, ...options, store })
  onTestFinished(async () => {
    await countersign.close()
    await store.close()
  })
  const send = (path: string, init: RequestInit = {}, env?: unknown) => {
    const { host } = new URL(URL_)
    const headers = { host, ...(init.headers as Record<string, string>) }
    return countersign.fetch(new Request(`${ORIGIN}${path}`, { ...init, headers }), env)
  }
  const post = (path: string, body: object, headers = {}, env?: unknown) =>
    send(
      path,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      },
      env,
    )
  return { countersign, store, send, post, lines }
}

type Wrong = Readonly<Record<string, unknown>>

promise.each(
  ['CS-MOUNT-2'],
  'options that cannot be meant are refused',
  [
    ['a typo', { apllyPolicy: true }, 'usage', 'Did you mean applyPolicy?'],
    ['an unknown word', { zzzzzzzzzz: 1 }, 'usage', 'Use policy, store'],
    ['no policy', { policy: undefined }, 'policy_invalid', 'loadPolicy'],
    ['a path as policy', { policy: 'countersign.yaml' }, 'policy_invalid', 'loadPolicy'],
    ['no store', { store: undefined }, 'store_unavailable', 'sqliteStore'],
    ['the tenant of another store', { tenant: 'acme' }, 'usage', 'tenant of the server'],
    ['http in public', { publicUrl: 'http://example.com' }, 'usage', 'https'],
    ['a name and password', { publicUrl: 'https://a:b@example.com' }, 'usage', 'https'],
    ['a query', { publicUrl: 'https://example.com/?a=1' }, 'usage', 'https'],
    ['two base paths', { publicUrl: URL_, basePath: '/other' }, 'usage', 'leave basePath out'],
    ['a base path to escape', { publicUrl: undefined, basePath: '/a"b' }, 'usage', '/approvals'],
    ['a base path upwards', { publicUrl: undefined, basePath: '/..' }, 'usage', '/approvals'],
    ['a base path without slash', { publicUrl: undefined, basePath: 'a' }, 'usage', '/approvals'],
    ['a word as switch', { observe: 'false' }, 'usage', 'observe: true'],
    ['no rate', { callsPerSecond: 0 }, 'usage', '1 to 999999'],
    ['an address of no function', { clientAddress: '1.2.3.4' }, 'usage', 'request, env'],
    ['a plain issuer', { oidc: { issuer: 'http://id.example.com', clientId: 'x' } }, 'usage', ''],
    ['no client', { oidc: { issuer: 'https://id.example.com' } }, 'usage', 'name of this server'],
    [
      'rules in code, which agents would not see',
      { policy: parsePolicy({ code: { pay: { approval: true } } }) },
      'policy_invalid',
      'without code',
    ],
    [
      'governance that was added later',
      { policy: withGovernance(POLICY, []) },
      'policy_invalid',
      'added governance',
    ],
  ] as [string, Wrong, string, string][],
  async (_, wrong, code, hint) => {
    const store = memoryStore()
    const options = { policy: POLICY, store, publicUrl: URL_, ...wrong }
    let refused: unknown
    try {
      createCountersign(options as unknown as CountersignServerOptions)
    } catch (error) {
      refused = error
    }
    expect(refused).toMatchObject({ code, hint: expect.stringContaining(hint) })
    await store.close()
  },
)

test('an option that stands in Object.prototype alone is not given', async () => {
  Object.defineProperty(Object.prototype, 'observe', { value: true, configurable: true })
  try {
    const { send } = made()
    expect(await (await send('/approvals/readyz')).json()).toEqual({ status: 'ok' })
  } finally {
    Reflect.deleteProperty(Object.prototype, 'observe')
  }
})

test('nothing starts before it is needed, and the gate says so', async () => {
  const { countersign } = made()
  expect(() => countersign.gate).toThrow('has not started yet')
  await countersign.ready()
  const call = { tool: 'pay', args: {}, agent: 'bot', run: 'r' }
  expect(await countersign.gate.check(call)).toMatchObject({ status: 'pending' })
})

test('a store that cannot be reached is answered with 503, and asked again', async () => {
  const store = memoryStore()
  let isAway = true
  const flaky: Store = {
    ...store,
    async newestPolicyEvent() {
      if (isAway) throw new Error('password authentication failed for user "billing"')
      return store.newestPolicyEvent()
    },
  }
  const { send, lines } = made({ store: flaky })
  const refused = await send('/approvals/v1/me')
  expect(refused.status).toBe(503)
  const text = await refused.text()
  expect(text).toContain('store_unavailable')
  expect(text).not.toContain('billing')
  expect(lines.join()).toContain('not started')
  isAway = false
  expect((await send('/approvals/healthz')).status).toBe(200)
})

test('closed, it answers no more', async () => {
  const { countersign, send } = made()
  expect((await send('/approvals/healthz')).status).toBe(200)
  await countersign.close()
  expect((await send('/approvals/healthz')).status).toBe(503)
  await expect(countersign.ready()).rejects.toMatchObject({ code: 'store_unavailable' })
})

promise(
  ['CS-MOUNT-3'],
  'a policy that was applied on the store stays in force until another one is applied',
  async () => {
    const store = memoryStore()
    const strict = made({ store })
    await strict.countersign.ready()
    const loose = definePolicy({ tools: { pay: { approval: false } } })
    const call = { tool: 'pay', args: {}, agent: 'bot', run: 'r' }
    const later = made({ store, policy: loose })
    await later.countersign.ready()
    expect(await later.countersign.gate.check(call)).toMatchObject({ status: 'pending' })
    expect(later.lines.join()).toContain('NOT in force')
    const applied = made({ store, policy: loose, applyPolicy: true })
    await applied.countersign.ready()
    expect(await applied.countersign.gate.check(call)).toMatchObject({ status: 'allowed' })
    expect((await store.newestPolicyEvent())?.event.type).toBe('policy.applied')
  },
)

promise(
  ['CS-MOUNT-4'],
  'without a socket no request passes for one of this machine, whatever it says',
  async () => {
    const { send, post } = made()
    const forged = { host: 'localhost', 'x-forwarded-for': '127.0.0.1' }
    expect((await send('/approvals/metrics', { headers: forged })).status).toBe(404)
    // Two addresses in the header are one caller: nothing vouches for it.
    const guess = (from: string) =>
      post('/approvals/v1/session', { token: 'x'.repeat(43) }, { 'x-forwarded-for': from })
    const statuses: number[] = []
    for (let n = 0; n < 25; n++) statuses.push((await guess(`10.0.0.${n}`)).status)
    expect(statuses).toContain(429)
  },
)

test('a socket of this machine is one, and others are not', async () => {
  const { send } = made()
  const env = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })
  const headers = { host: 'localhost' }
  expect((await send('/approvals/metrics', { headers }, env('127.0.0.1'))).status).toBe(200)
  expect((await send('/approvals/metrics', { headers }, env('10.1.2.3'))).status).toBe(404)
})

test('clientAddress tells callers apart', async () => {
  const { post } = made({ clientAddress: (request) => request.headers.get('cf-ip') ?? undefined })
  const guess = (from: string) =>
    post('/approvals/v1/session', { token: 'x'.repeat(43) }, { 'cf-ip': from })
  const statuses: number[] = []
  for (let n = 0; n < 25; n++) statuses.push((await guess('10.0.0.1')).status)
  expect(statuses).toContain(429)
  expect((await guess('10.0.0.2')).status).toBe(401)
})

promise(
  ['CS-MOUNT-1'],
  'two mounts on one origin keep their people, cookies and approvals apart',
  async () => {
    const one = made({ publicUrl: `${ORIGIN}/one` })
    const two = made({ publicUrl: `${ORIGIN}/two`, store: memoryStore({ tenant: 'other' }) })
    async function signIn({ countersign, post }: typeof one, base: string) {
      const token = new URL(await countersign.signInLink(ANA)).hash.replace('#signin=', '')
      const answer = await post(`${base}/v1/session`, { token })
      const set = answer.headers.get('set-cookie') ?? ''
      const { csrf } = (await answer.json()) as { csrf: string }
      return { set, cookie: set.split(';')[0] ?? '', 'x-countersign-csrf': csrf }
    }
    const { set: setOne, ...inOne } = await signIn(one, '/one')
    const { set: setTwo, ...inTwo } = await signIn(two, '/two')
    expect(setOne).toMatch(/^__Host-countersign\.one=.*Path=\/;.*Secure/)
    expect(setTwo).toMatch(/^__Host-countersign\.two=/)
    const cookie = `${inOne.cookie}; ${inTwo.cookie}`
    const me = (of: typeof one, base: string, key: string) =>
      of.send(`${base}/v1/me`, { headers: { cookie, 'x-countersign-csrf': key } })
    expect((await me(one, '/one', inOne['x-countersign-csrf'])).status).toBe(200)
    expect((await me(two, '/two', inTwo['x-countersign-csrf'])).status).toBe(200)
    expect((await me(two, '/two', inOne['x-countersign-csrf'])).status).toBe(403)
    const swapped = inOne.cookie.replace('.one=', '.two=')
    const headers = { cookie: swapped, 'x-countersign-csrf': inOne['x-countersign-csrf'] }
    expect((await two.send('/two/v1/me', { headers })).status).toBe(401)
    expect((await one.send('/two/healthz')).status).toBe(404)
  },
)

test('another host, and a page of another origin, are refused below a path as well', async () => {
  const { send } = made()
  expect((await send('/approvals/v1/me', { headers: { host: 'evil.example' } })).status).toBe(403)
  const foreign = await send('/approvals/v1/me', { headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(403)
  const own = await send('/approvals/v1/me', { headers: { origin: ORIGIN } })
  expect(own.status).toBe(401)
})

test('the demo agent is a route where it was asked for, and nowhere else', async () => {
  const paths = async (options: Partial<CountersignServerOptions>) => {
    const described = await made(options).send('/approvals/openapi.json')
    return Object.keys(((await described.json()) as { paths: object }).paths)
  }
  expect(await paths({})).not.toContain('/v1/demo')
  expect(await paths({ demo: false })).not.toContain('/v1/demo')
  expect(await paths({ demo: true })).toContain('/v1/demo')
  const { post } = made()
  expect((await post('/approvals/v1/demo', {})).status).toBe(404)
})

test('a terminal is sent to the login page below the path', async () => {
  const { post } = made()
  const begun = (await (await post('/approvals/v1/login', {})).json()) as { url: string }
  expect(begun.url).toBe(`${URL_}/login`)
})

test('people sign in with a provider below the path', async () => {
  const people = { ana: { email: 'ana@example.com', email_verified: true, groups: ['ops'] } }
  const issuer = await startIssuer(people, [`${URL_}/sign-in/callback`])
  onTestFinished(issuer.stop)
  const { send, post } = made({
    oidc: {
      issuer: issuer.url.href,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      roles: { viewer: ['ops'] },
    },
  })
  const begun = await post('/approvals/v1/sign-in/oidc', {})
  const { url } = (await begun.json()) as { url: string }
  expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${URL_}/sign-in/callback`)
  const answer = await visit(url, 'ana')
  const back = await send(`/approvals/sign-in/callback?${answer}`, { redirect: 'manual' })
  expect(back.status).toBe(303)
  expect(back.headers.get('location')).toMatch(/^\/approvals\/#oidc=/)
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect(cookie).toMatch(/^__Host-countersign-signin\.approvals=/)
  const done = await post('/approvals/v1/sign-in/callback', { answer }, { cookie })
  expect(done.status).toBe(200)
  expect(done.headers.getSetCookie().join()).toContain('__Host-countersign.approvals=')
})

promise(['CS-OA-1'], 'below a path, OAuth metadata is found in front of it and below', async () => {
  const { send } = made({ mcp: mcpGateway({ env: {} }) })
  const read = async (path: string) => {
    const answer = await send(path)
    return answer.status === 200 ? await answer.json() : answer.status
  }
  const resource = { resource: `${URL_}/mcp`, authorization_servers: [URL_] }
  const challenge = (await send('/approvals/mcp', { method: 'POST' })).headers
  expect(challenge.get('www-authenticate')).toContain(
    `${URL_}/.well-known/oauth-protected-resource/mcp`,
  )
  for (const path of [
    '/approvals/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/approvals/mcp',
    '/.well-known/oauth-protected-resource/approvals',
  ]) {
    expect(await read(path), path).toMatchObject(resource)
  }
  const issuer = { issuer: URL_, token_endpoint: `${URL_}/oauth/token` }
  expect(await read('/.well-known/oauth-authorization-server/approvals')).toMatchObject(issuer)
  // What belongs to the host stays its own.
  expect(await read('/.well-known/oauth-authorization-server')).toBe(404)
  expect(await read('/.well-known/oauth-authorization-server/approvals/x')).toBe(404)
  const { send: without } = made({ mcp: mcpGateway({ env: {}, oauth: false }) })
  const path = '/approvals/.well-known/oauth-authorization-server'
  expect((await without(path)).status).toBe(404)
  const plain = await without('/approvals/mcp', { method: 'POST' })
  expect(plain.headers.get('www-authenticate')).not.toContain('resource_metadata')
})

test('a sign-in link needs an address', async () => {
  const { countersign } = made({ publicUrl: undefined as never, basePath: '/approvals' })
  await expect(countersign.signInLink(ANA)).rejects.toMatchObject({ code: 'usage' })
})

test('the page refers to its files below the path, and says where it is mounted', async () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const page = '<head><script src="/assets/a.js"></script><link href="//cdn/x"></head>'
  const html = { 'content-type': 'text/html', etag: '"abc"' }
  const index = { body: bytes(page), headers: html }
  const script = { body: bytes('run()'), headers: { 'content-type': 'text/javascript' } }
  const files = new Map([
    ['/index.html', index],
    ['/assets/a.js', script],
  ])
  const { send } = made({ inbox: { index, files } })
  const headers = { accept: 'text/html' }
  for (const path of ['', '/', '/history/x', '/approvals/0mwig9', '/index.html']) {
    const text = await (await send(`/approvals${path}`, { headers })).text()
    expect(text, path).toContain('<meta name="countersign-base" content="/approvals">')
    expect(text, path).toContain('src="/approvals/assets/a.js"')
    expect(text, path).toContain('href="//cdn/x"')
  }
  expect(await (await send('/approvals/assets/a.js')).text()).toBe('run()')
  expect((await send('/assets/a.js')).status).toBe(404)
  const known = await send('/approvals/', { headers: { 'if-none-match': '"abc.approvals"' } })
  expect(known.status).toBe(304)
})
