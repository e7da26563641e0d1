import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { CALLBACK, documentOf, HOME, oauthWorld, RESOURCE, type Served } from './oauth-world.ts'

const CLIENT_IDS: readonly [string, string][] = [
  ['none', ''],
  ['a word', 'client'],
  ['without https', 'http://client.example/x'],
  ['another scheme', 'ftp://client.example/x'],
  ['a script', 'javascript:alert(1)'],
  ['a name in it', 'https://user@client.example/x'],
  ['a password in it', 'https://user:pass@client.example/x'],
  ['a fragment', 'https://client.example/x#y'],
  ['an empty fragment', 'https://client.example/x#'],
  ['a query', 'https://client.example/x?y=z'],
  ['no path', 'https://client.example/'],
  ['dots in its path', 'https://client.example/a/../x'],
  ['encoded dots', 'https://client.example/a/%2e%2e/x'],
  ['capital letters in its host', 'https://Client.example/x'],
  ['the usual port', 'https://client.example:443/x'],
  ['backslashes', 'https:\\\\client.example\\x'],
  ['a tab', 'https://client.example/\tx'],
  ['a look-alike letter', 'https://clıent.example/x'],
  ['much too long', `https://client.example/${'x'.repeat(600)}`],
  ['a host that is too long', `https://${'a.'.repeat(70)}example/x`],
  ['this machine', 'https://127.0.0.1/x'],
  ['this machine by name', 'https://localhost/x'],
  ['this machine as one number', 'https://2130706433/x'],
  ['this machine in IPv6', 'https://[::1]/x'],
  ['this machine in both', 'https://[::ffff:7f00:1]/x'],
  ['metadata of a cloud', 'https://169.254.169.254/latest/x'],
  ['a private network', 'https://10.0.0.1/x'],
  ['another private network', 'https://192.168.1.1/x'],
]

promise.each(
  ['CS-OA-3'],
  'a client by an id that is no public document is refused',
  CLIENT_IDS,
  async (_, id) => {
    const w = await oauthWorld()
    const ana = await w.person('ana@example.com')
    const query = w.query({ client_id: id })
    const answer = await w.send('/v1/oauth/requests', { as: ana, body: { query } })
    expect(answer.status).toBe(400)
    expect(answer.at('error.code')).toBe('invalid_value')
    expect(w.fetched).toEqual([])
  },
)

const SPELLINGS: readonly [string, (host: string) => string][] = [
  ['dots', (host) => `http://${host}/a/../client.json`],
  ['encoded dots', (host) => `http://${host}/%2e/client.json`],
  ['capital letters', (host) => `HTTP://${host}/client.json`],
  ['backslashes', (host) => `http:\\\\${host}\\client.json`],
  ['a tab', (host) => `http://${host}/cli\tent.json`],
]

promise.each(
  ['CS-OA-3'],
  'the id of a known client is refused when it is spelt with',
  SPELLINGS,
  async (_, spelt) => {
    const w = await oauthWorld()
    const ana = await w.person('ana@example.com')
    expect(new URL(spelt(w.host)).href).toBe(w.client)
    const query = w.query({ client_id: spelt(w.host) })
    const answer = await w.send('/v1/oauth/requests', { as: ana, body: { query } })
    expect([answer.status, answer.at('error.code')]).toEqual([400, 'invalid_value'])
    expect(w.fetched).toEqual([])
  },
)

const DOCUMENTS: readonly [string, (id: string) => Served][] = [
  ['names another client', (id) => documentOf(`${id}x`)],
  ['names no client', (id) => documentOf(id, { client_id: undefined })],
  ['redirects', (id) => ({ status: 302, headers: { location: `${id}/there` } })],
  ['is not there', () => ({ status: 404, body: {} })],
  ['is broken', () => ({ status: 500, body: {} })],
  ['is too large', (id) => documentOf(id, { padding: 'x'.repeat(20_000) })],
  ['is a page', (id) => ({ ...documentOf(id), type: 'text/html' })],
  ['is a script', (id) => ({ ...documentOf(id), type: 'text/javascript' })],
  ['is not JSON', () => ({ body: 'client_id: x' })],
  ['is a list', () => ({ body: [] })],
  ['has a key twice', (id) => ({ body: `{"client_id":"x","client_id":"${id}"}` })],
  ['has a secret', (id) => documentOf(id, { client_secret: 'x' })],
  [
    'wants to use a secret',
    (id) => documentOf(id, { token_endpoint_auth_method: 'client_secret_post' }),
  ],
  ['wants to use a key', (id) => documentOf(id, { token_endpoint_auth_method: 'private_key_jwt' })],
  ['has no redirect addresses', (id) => documentOf(id, { redirect_uris: undefined })],
  ['has a text for redirect addresses', (id) => documentOf(id, { redirect_uris: CALLBACK })],
  ['has too many', (id) => documentOf(id, { redirect_uris: Array(51).fill(CALLBACK) })],
  ['has none that is usable', (id) => documentOf(id, { redirect_uris: ['app://callback', 7] })],
  ['uses no codes', (id) => documentOf(id, { grant_types: ['client_credentials'] })],
  ['wants tokens in addresses', (id) => documentOf(id, { response_types: ['token'] })],
  ['has a name that is no text', (id) => documentOf(id, { client_name: { en: 'x' } })],
]

promise.each(['CS-OA-3'], 'a metadata document is refused that', DOCUMENTS, async (_, served) => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  const query = w.query({ client_id: w.serve('/other.json', served) })
  const answer = await w.send('/v1/oauth/requests', { as: ana, body: { query } })
  expect(answer.status).toBe(400)
  expect(w.fetched).toEqual(['/other.json'])
})

promise(['CS-OA-3'], 'documents on this machine are read only where that is allowed', async () => {
  const w = await oauthWorld({ isAllowed: false })
  const ana = await w.person('ana@example.com')
  const answer = await w.send('/v1/oauth/requests', { as: ana, body: { query: w.query() } })
  expect(answer.status).toBe(400)
  expect(w.fetched).toEqual([])
})

promise(['CS-OA-3'], 'where hosts are listed, clients of others are refused', async () => {
  const w = await oauthWorld({ clients: ['client.example'] })
  const ana = await w.person('ana@example.com')
  const answer = await w.send('/v1/oauth/requests', { as: ana, body: { query: w.query() } })
  expect(answer.at('error.message')).toContain('not taken here')
  expect(w.fetched).toEqual([])
})

const REDIRECTS: readonly [string, string][] = [
  ['none', ''],
  ['another path', 'http://127.0.0.1:5555/other'],
  ['a slash more', 'http://127.0.0.1:5555/callback/'],
  ['a query', 'http://127.0.0.1:5555/callback?x=1'],
  ['a fragment', 'http://127.0.0.1:5555/callback#x'],
  ['an empty fragment', 'http://127.0.0.1:5555/callback#'],
  ['a name in it', 'http://user@127.0.0.1:5555/callback'],
  ['a host for a password', 'http://127.0.0.1:5555@evil.example/callback'],
  ['a host that begins alike', 'http://127.0.0.1.evil.example/callback'],
  ['another name of this machine', 'http://localhost:5555/callback'],
  ['another address of this machine', 'http://127.0.0.2:5555/callback'],
  ['the same address otherwise written', 'http://0x7f000001:5555/callback'],
  ['https on this machine', 'https://127.0.0.1:5555/callback'],
  ['dots in its path', 'http://127.0.0.1:5555/x/../callback'],
  ['a web host without https', 'http://client.example/callback'],
  ['another port of a web host', 'https://client.example:8443/callback'],
  ['capital letters', 'https://CLIENT.example/callback'],
  ['a path that climbs', 'https://client.example/callback/../evil'],
  ['an encoded path that climbs', 'https://client.example/callback%2f..%2fevil'],
  ['a host that ends otherwise', 'https://client.example.evil.example/callback'],
  ['another host', 'https://evil.example/callback'],
  ['a parameter more', 'https://client.example/callback?next=https://evil.example'],
  ['a space before it', ' https://client.example/callback'],
  ['a tab before it', '\thttps://client.example/callback'],
  ['a slash less', 'https:/client.example/callback'],
  ['backslashes', 'https:\\\\client.example\\callback'],
  ['a script', 'javascript:alert(1)'],
  ['a page of its own', 'data:text/html,x'],
  ['the scheme of an app', 'cursor://anysphere.cursor-mcp/oauth/callback'],
]

promise.each(['CS-OA-4'], 'the browser is not sent to', REDIRECTS, async (_, uri) => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  const query = w.query({ redirect_uri: uri })
  const answer = await w.send('/v1/oauth/requests', { as: ana, body: { query } })
  expect(answer.status).toBe(400)
  expect(JSON.stringify(answer.body)).not.toContain('"to"')
})

type Wrong = [string, string, Readonly<Record<string, string>>, (readonly string[])?]

const REQUESTS: readonly Wrong[] = [
  ['for a token', 'unsupported_response_type', { response_type: 'token' }],
  ['for a code and a token', 'unsupported_response_type', { response_type: 'code token' }],
  ['for nothing', 'unsupported_response_type', {}, ['response_type']],
  ['with the answer in the fragment', 'invalid_request', { response_mode: 'fragment' }],
  ['with the answer in a form', 'invalid_request', { response_mode: 'form_post' }],
  ['without PKCE', 'invalid_request', {}, ['code_challenge', 'code_challenge_method']],
  ['with plain PKCE', 'invalid_request', { code_challenge_method: 'plain' }],
  ['without a PKCE method', 'invalid_request', {}, ['code_challenge_method']],
  ['with a short challenge', 'invalid_request', { code_challenge: 'x' }],
  ['without a challenge', 'invalid_request', {}, ['code_challenge']],
  ['for another server', 'invalid_target', { resource: 'https://other.example/mcp' }],
  ['for the whole of this server', 'invalid_target', { resource: HOME }],
  ['for a slash more', 'invalid_target', { resource: `${RESOURCE}/` }],
  ['for no resource', 'invalid_target', {}, ['resource']],
  ['for another scope', 'invalid_scope', { scope: 'admin' }],
  ['for one scope more', 'invalid_scope', { scope: 'tools decide' }],
]

promise.each(
  ['CS-OA-5', 'CS-OA-7'],
  'no code is given to a request',
  REQUESTS,
  async (_, error, change, without = []) => {
    const w = await oauthWorld()
    const ana = await w.person('ana@example.com')
    const { to, ask } = await w.ask(ana, w.query(change, without))
    expect(ask).toBeUndefined()
    const back = new URL(to ?? '')
    expect(back.host).toBe('127.0.0.1:5555')
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error,
      iss: HOME,
      state: 'the state',
    })
    expect(back.searchParams.has('code')).toBe(false)
  },
)

promise(['CS-OA-4'], 'a request with a parameter twice is refused', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  for (const more of ['&redirect_uri=https%3A%2F%2Fevil.example', '&state=x', '&client_id=x']) {
    const body = { query: w.query() + more }
    expect((await w.send('/v1/oauth/requests', { as: ana, body })).status).toBe(400)
  }
  expect(w.fetched).toEqual([])
})

promise(['CS-OA-3'], 'what a client calls itself is cut and stays text', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  const name = `<b>${'x'.repeat(200)}`
  const id = w.serve('/named.json', (own) => documentOf(own, { client_name: name }))
  const { ask } = await w.ask(ana, w.query({ client_id: id }))
  expect(ask?.client.name).toBe(name.slice(0, 80))
  const blank = w.serve('/blank.json', (own) => documentOf(own, { client_name: '   ' }))
  expect((await w.ask(ana, w.query({ client_id: blank }))).ask?.client).not.toHaveProperty('name')
})
