import { describe, expect, onTestFinished } from 'vitest'
import { signInId } from '../../src/gateway/upstream/oauth/attached.ts'
import { createSignIns, placeOf } from '../../src/gateway/upstream/oauth/sign-ins.ts'
import { type HttpSpec, specOf } from '../../src/gateway/upstream/upstream-spec.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { KeyFolder } from '../../src/store/vault.ts'
import { promise } from '../support/promise.ts'
import { guardedBy, type Liar, liar, TOKEN } from './lying-issuer.ts'
import {
  begin,
  call,
  type Guarded,
  hostOf,
  listening,
  type Opened,
  opened,
  placeIn,
} from './sign-in-world.ts'
import type { Signed } from './signed-in.ts'

interface World {
  readonly at: Liar
  readonly server: Guarded
  readonly here: Opened
  readonly admin: Signed
  readonly keys: KeyFolder
  /** On this machine, and not allowed: what it hears is what should not have been sent. */
  readonly other: { readonly origin: string; readonly heard: string[] }
}

async function world(): Promise<World> {
  const at = await liar()
  const server = await guardedBy(at)
  const heard: string[] = []
  const origin = await listening(() => (request, response) => {
    heard.push(`${request.url} ${request.headers.authorization}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const keys = memoryKeys()
  const here = await opened({ guarded: server.url }, [hostOf(at.origin)], { keys })
  const admin = await here.person('ana@example.com', 'admin')
  return { at, server, here, admin, keys, other: { origin, heard } }
}

/** Nothing is signed in, and nothing went where it should not. */
async function expectNothing({ here, other, server }: World): Promise<void> {
  expect((await here.store.records.list('mcp-sign-in')).records).toEqual([])
  expect(other.heard).toEqual([])
  expect(server.calls.filter(({ token }) => token !== undefined)).toEqual([])
}

const METADATA = '/.well-known/oauth-authorization-server'
const challenge =
  (text: string): Guarded['instead'] =>
  () => ({
    status: 401,
    headers: { 'www-authenticate': text },
  })
/** The server describes itself so. */
const described =
  (body: object): Guarded['instead'] =>
  (request) =>
    request.url?.startsWith('/.well-known/') ? { status: 200, body } : undefined

const BEGINNINGS: Record<string, (world: World) => void> = {
  'that describes another server': ({ server, at }) => {
    server.instead = described({
      resource: 'https://bank.example/mcp',
      authorization_servers: [at.origin],
    })
  },
  'that describes a longer path than its own': ({ server, at }) => {
    server.instead = described({
      resource: `${server.url}/deeper`,
      authorization_servers: [at.origin],
    })
  },
  'that names no issuer': ({ server }) => {
    server.instead = described({ resource: server.url })
  },
  'that names an issuer on this machine that was not allowed': ({ server, other }) => {
    server.instead = described({ resource: server.url, authorization_servers: [other.origin] })
  },
  'that names an address of the cloud as issuer': ({ server }) => {
    const issuer = 'http://169.254.169.254/latest'
    server.instead = described({ resource: server.url, authorization_servers: [issuer] })
  },
  'that is described in a file': ({ server }) => {
    server.instead = challenge('Bearer resource_metadata="file:///etc/passwd"')
  },
  'that is described on a machine that was not allowed': ({ server, other }) => {
    server.instead = challenge(`Bearer resource_metadata="${other.origin}/metadata"`)
  },
  'that asks for no sign-in': ({ server }) => {
    server.instead = () => ({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } })
  },
  'whose issuer says that it is another one': ({ at }) => {
    at.metadata = { issuer: 'https://accounts.example' }
  },
  'whose issuer is a prefix of itself': ({ at }) => {
    at.metadata = { issuer: `${at.origin}/tenant` }
  },
  'whose issuer has no PKCE': ({ at }) => {
    at.metadata = { code_challenge_methods_supported: undefined }
  },
  'whose issuer has plain PKCE alone': ({ at }) => {
    at.metadata = { code_challenge_methods_supported: ['plain'] }
  },
  'whose issuer sends the browser to a script': ({ at }) => {
    at.metadata = { authorization_endpoint: 'javascript:alert(1)' }
  },
  'whose issuer sends the browser on without TLS': ({ at }) => {
    at.metadata = { authorization_endpoint: 'http://accounts.example/authorize' }
  },
  'whose issuer takes codes on a machine that was not allowed': ({ at, other }) => {
    at.metadata = { token_endpoint: `${other.origin}/token` }
  },
  'whose issuer registers on a machine that was not allowed': ({ at, other }) => {
    at.metadata = { registration_endpoint: `${other.origin}/register` }
  },
  'whose issuer leads on by a redirect': ({ at, other }) => {
    at.answers[METADATA] = { status: 302, headers: { location: `${other.origin}/elsewhere` } }
  },
  'whose issuer describes itself without end': ({ at }) => {
    at.answers[METADATA] = {
      body: JSON.stringify({ issuer: at.origin, more: 'x'.repeat(300_000) }),
    }
  },
  'whose issuer says one thing twice': ({ at }) => {
    at.answers[METADATA] = { body: `{"issuer":"https://accounts.example","issuer":"${at.origin}"}` }
  },
  'whose issuer registers a client without a name': ({ at }) => {
    at.answers['/register'] = { body: '{"client_id":""}' }
  },
  'whose issuer breaks down': ({ at }) => {
    at.answers[METADATA] = { status: 500 }
  },
}

describe('before a person goes anywhere', () => {
  for (const [name, lie] of Object.entries(BEGINNINGS)) {
    promise(['CS-SIGNIN-7'], `a server ${name} gets no sign-in`, async () => {
      const made = await world()
      lie(made)
      const { status, body } = await made.admin.send('POST', '/v1/servers/guarded/sign-in', {})
      expect([status, body]).toMatchObject([502, { error: { code: 'server_sign_in' } }])
      expect((await made.here.store.records.list('mcp-sign-in-attempt')).records).toEqual([])
      await expectNothing(made)
    })
  }
})

interface Back {
  readonly query: URLSearchParams
  place: string
}

const ENDINGS: Record<string, (back: Back, world: World) => unknown> = {
  'with a state that was never given': ({ query }) => query.set('state', 's'.repeat(43)),
  'without a state': ({ query }) => query.delete('state'),
  'with two states': ({ query }) => query.append('state', query.get('state') ?? ''),
  'from another issuer': ({ query }) => query.set('iss', 'https://accounts.example'),
  'without the issuer that it promised': ({ query }) => query.delete('iss'),
  'at the address of another issuer': (back) => {
    back.place = placeOf('https://accounts.example')
  },
  'with a refusal': ({ query }) => {
    query.delete('code')
    query.set('error', 'access_denied')
  },
  'without a code': ({ query }) => query.delete('code'),
  'for a token that is bound to a key': (_, { at }) => {
    at.answers['/token'] = { body: `{"access_token":"${TOKEN}","token_type":"DPoP"}` }
  },
  'for a token that would end a header': (_, { at }) => {
    at.answers['/token'] = { body: '{"access_token":"a\\r\\nhost: evil","token_type":"Bearer"}' }
  },
  'for a token without end': (_, { at }) => {
    const token = 'x'.repeat(20_000)
    at.answers['/token'] = { body: `{"access_token":"${token}","token_type":"Bearer"}` }
  },
  'for a redirect': (_, { at, other }) => {
    at.answers['/token'] = { status: 307, headers: { location: `${other.origin}/token` } }
  },
  'for a refusal of the code': (_, { at }) => {
    at.answers['/token'] = { status: 400, body: '{"error":"invalid_grant"}' }
  },
}

/** The name of its row. */
const idOf = (url: string) =>
  signInId({
    ...{ kind: 'http', alias: 'guarded', url: new URL(url) },
    ...{ headers: {}, allowHosts: [], secrets: [] },
  })

/** What the browser of the admin would come back with. */
async function cameBack({ admin, at }: World): Promise<Back> {
  const begun = await begin(admin)
  const state = new URL(begun.to?.url ?? '').searchParams.get('state') ?? ''
  const query = new URLSearchParams({ code: 'the-code', state, iss: at.origin })
  return { query, place: placeIn(begun) }
}

const sent = ({ query, place }: Back) => ({ place, query: query.toString() })

describe('when a person comes back', () => {
  for (const [name, lie] of Object.entries(ENDINGS)) {
    promise(['CS-SIGNIN-7'], `an answer ${name} signs nothing in`, async () => {
      const made = await world()
      const back = await cameBack(made)
      lie(back, made)
      const { status, body } = await made.admin.send('POST', '/v1/servers/sign-ins', sent(back))
      expect([status, body]).toMatchObject([502, { error: { code: 'server_sign_in' } }])
      expect(JSON.stringify(body)).not.toContain(TOKEN)
      await expectNothing(made)
    })
  }

  promise(['CS-SIGNIN-7'], 'an answer counts once, and for the admin who asked', async () => {
    const made = await world()
    const back = await cameBack(made)
    const bo = await made.here.person('bo@example.com', 'admin')
    expect((await bo.send('POST', '/v1/servers/sign-ins', sent(back))).status).toBe(502)
    await expectNothing(made)
    // What another person tried did not use it up.
    expect((await made.admin.send('POST', '/v1/servers/sign-ins', sent(back))).status).toBe(200)
    expect((await made.admin.send('POST', '/v1/servers/sign-ins', sent(back))).status).toBe(502)
    const codes = made.at.heard.filter(({ what }) => what === 'POST /token')
    expect(codes).toHaveLength(1)
  })

  promise(['CS-SIGNIN-7'], 'only admins sign in and out at servers', async () => {
    const made = await world()
    const back = await cameBack(made)
    const agent = await made.here.agent('helper')
    const others = [
      await made.here.person('cy@example.com', 'approver'),
      await made.here.person('di@example.com', 'viewer'),
    ]
    for (const person of others) {
      for (const [method, path, body] of [
        ['POST', '/v1/servers/guarded/sign-in', {}],
        ['DELETE', '/v1/servers/guarded/sign-in', undefined],
        ['POST', '/v1/servers/sign-ins', sent(back)],
      ] as const) {
        expect((await person.send(method, path, body)).status).toBe(403)
        const headers = { ...agent, 'content-type': 'application/json' }
        const text = JSON.stringify(body ?? {})
        const url = new URL(path, made.here.url)
        expect((await fetch(url, { method, headers, body: text })).status).toBe(403)
      }
    }
    await expectNothing(made)
  })
})

describe('once a person has signed in', () => {
  async function signed() {
    const made = await world()
    const back = await cameBack(made)
    expect((await made.admin.send('POST', '/v1/servers/sign-ins', sent(back))).status).toBe(200)
    return { ...made, agent: await made.here.agent('helper') }
  }

  promise(['CS-SIGNIN-2'], 'a server that redirects does not pass the token on', async () => {
    const { server, other, here, agent } = await signed()
    expect(await call(here, agent, 'look')).toBe('look with [secret]')
    server.instead = () => ({ status: 307, headers: { location: `${other.origin}/mcp` } })
    expect(await call(here, agent, 'look')).toContain('status 307')
    expect(other.heard).toEqual([])
  })

  promise(['CS-SIGNIN-2'], 'another server under the same alias gets nothing of it', async () => {
    const { here, at, keys } = await signed()
    const evil = await guardedBy(at)
    const second = await opened({ guarded: evil.url }, [], { store: here.store, keys })
    const agent = await second.agent('helper')
    expect(await call(second, agent, 'look')).toContain('it asks for a sign-in')
    // Nor with the row of the other one under its own name.
    const { records } = here.store
    const [row] = (await records.list('mcp-sign-in')).records
    await records.put('mcp-sign-in', await idOf(evil.url), row?.value ?? null)
    const third = await opened({ guarded: evil.url }, [], { store: here.store, keys })
    expect(await call(third, agent, 'look')).toContain('cannot be opened')
    expect(evil.calls.length).toBeGreaterThan(1)
    expect(evil.calls.every(({ token }) => token === undefined)).toBe(true)
  })

  promise(['CS-SIGNIN-2'], 'a row that names another token endpoint does not open', async () => {
    const { here, server, agent, other, keys } = await signed()
    const { records } = here.store
    const [row] = (await records.list('mcp-sign-in')).records
    const value = JSON.parse(JSON.stringify(row?.value))
    value.server.token_endpoint = `${other.origin}/token`
    await records.put('mcp-sign-in', row?.id ?? '', { ...value, endsAt: 1, canRefresh: true })
    const before = server.calls.length
    const allowed = [hostOf(other.origin)]
    const again = await opened({ guarded: server.url }, allowed, { store: here.store, keys })
    expect(await call(again, agent, 'look')).toContain('cannot be opened')
    expect(server.calls.slice(before).every(({ token }) => token === undefined)).toBe(true)
    expect(other.heard).toEqual([])
  })
})

promise(['CS-SIGNIN-2'], 'without a key to seal with nothing is begun', async () => {
  const at = await liar()
  const server = await guardedBy(at)
  const store = memoryStore()
  onTestFinished(() => store.close())
  const spec = specOf('guarded', { url: server.url }, {}, [hostOf(at.origin)]) as HttpSpec
  const by = { issuer: 'local', subject: 'ana@example.com' }
  const beginning = createSignIns({ store, keys: undefined }).begin(spec, { home: 'http://x', by })
  await expect(beginning).rejects.toMatchObject({ code: 'usage' })
  expect((await store.records.list('mcp-sign-in-attempt')).records).toEqual([])
})

promise(
  ['CS-SIGNIN-8'],
  'a client made by hand is used at the issuer it was made at alone',
  async () => {
    const made = await world()
    const { admin, at } = made
    at.metadata = { registration_endpoint: undefined }
    const { needsClient } = await begin(admin)
    expect(needsClient).toMatchObject({
      issuer: at.origin,
      redirect: expect.stringContaining('http'),
    })
    const client = { id: 'by-hand', secret: 'a-secret-by-hand', issuer: at.origin }
    const wrong = { client: { ...client, issuer: 'https://accounts.example' } }
    expect((await admin.send('POST', '/v1/servers/guarded/sign-in', wrong)).status).toBe(502)
    const begun = await begin(admin, { client })
    const url = new URL(begun.to?.url ?? '')
    expect(url.searchParams.get('client_id')).toBe('by-hand')
    expect(url.searchParams.get('redirect_uri')).toBe(needsClient?.redirect)
    const state = url.searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'the-code', state, iss: at.origin })
    const back = { query, place: placeIn(begun) }
    expect((await admin.send('POST', '/v1/servers/sign-ins', sent(back))).status).toBe(200)
    const exchange = at.heard.findLast(({ what }) => what === 'POST /token')
    const basic = exchange?.headers.authorization?.slice('Basic '.length) ?? ''
    const sentAs = decodeURIComponent(Buffer.from(basic, 'base64').toString())
    expect(sentAs).toBe('by-hand:a-secret-by-hand')
    const kept = JSON.stringify(await made.here.store.records.list('mcp-sign-in'))
    expect(kept).not.toContain('a-secret-by-hand')
  },
)

promise(
  ['CS-SIGNIN-1'],
  'where the inbox is on the web, the client is the document that this server publishes',
  async () => {
    const made = await world()
    made.at.metadata = { client_id_metadata_document_supported: true }
    const { store } = made.here
    const spec = specOf('guarded', { url: made.server.url }, {}, [hostOf(made.at.origin)])
    const by = { issuer: 'local', subject: 'ana@example.com' }
    const home = 'https://countersign.example'
    const begun = await createSignIns({ store, keys: made.keys }).begin(spec as HttpSpec, {
      home,
      by,
    })
    const { searchParams } = new URL('url' in begun ? begun.url : '')
    const place = placeOf(made.at.origin)
    expect(searchParams.get('client_id')).toBe(`${home}/oauth/client/${place}`)
    expect(searchParams.get('redirect_uri')).toBe(`${home}/tools/sign-in/${place}`)
    expect(made.at.heard.some(({ what }) => what.endsWith('/register'))).toBe(false)
    const url = new URL(`/oauth/client/${place}`, made.here.url)
    expect(await (await fetch(url)).json()).toMatchObject({
      client_id: url.href,
      redirect_uris: [new URL(`/tools/sign-in/${place}`, url).href],
      token_endpoint_auth_method: 'none',
    })
    expect((await fetch(new URL('/oauth/client/other', url))).status).toBe(404)
  },
)
