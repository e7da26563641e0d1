import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../../src/server/serve.ts'
import { HOST, running } from './harness.ts'

const ADDRESSES = ['/', '/status.json', '/v1/approvals', '/nothing']

test.each([
  ['another name', { host: 'evil.example' }, 'wrong_host'],
  ['a name that only starts right', { host: 'localhost.evil.example' }, 'wrong_host'],
  ['an address of the network', { host: '192.168.0.7:4747' }, 'wrong_host'],
  ['no name', { host: '' }, 'wrong_host'],
  ['another page', { origin: 'http://evil.example' }, 'wrong_origin'],
  ['another port', { origin: 'http://127.0.0.1:9999' }, 'wrong_origin'],
  ['a page without origin', { origin: 'null' }, 'wrong_origin'],
  ['https in front of what is not', { origin: `https://${HOST}` }, 'wrong_origin'],
  ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, 'wrong_origin'],
])('a request from %s is refused, with or without a session', async (_, headers, code) => {
  const { send, person } = running()
  const as = await person('ana@example.com', ['admin'])
  for (const path of ADDRESSES) {
    const answer = await send(path, { as, headers: headers as Record<string, string> })
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ error: { code } })
  }
})

test.each(['localhost:4747', 'LOCALHOST', '127.0.0.1:80', '[::1]:4747'])(
  '%s is this machine',
  async (host) => {
    const { send } = running()
    expect((await send('/healthz', { headers: { host, origin: `http://${host}` } })).status).toBe(
      200,
    )
  },
)

test('a probe asks by any address, and a page of another site still does not', async () => {
  const { send } = running()
  for (const path of ['/healthz', '/readyz']) {
    expect((await send(path, { headers: { host: '10.0.3.7:4747' } })).status).toBe(200)
    const foreign = { host: 'evil.example', origin: 'http://evil.example' }
    expect((await send(path, { headers: foreign })).status).toBe(403)
  }
  expect((await send('/healthz/', { headers: { host: '10.0.3.7:4747' } })).status).toBe(403)
})

test('a link from another page may open the start page', async () => {
  const { send } = running()
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  expect((await send('/', { headers })).status).toBe(200)
})

test('behind a proxy the public name is its own, and only over https', async () => {
  const { send } = running({ publicUrl: new URL('https://inbox.example.com/') })
  const host = 'inbox.example.com'
  const good = { host, origin: 'https://inbox.example.com' }
  expect((await send('/healthz', { headers: good })).status).toBe(200)
  const plain = { host, origin: 'http://inbox.example.com' }
  expect((await send('/healthz', { headers: plain })).status).toBe(403)
  expect((await send('/', { headers: { host: 'other.example.com' } })).status).toBe(403)
  expect((await send('/metrics', { headers: { host } })).status).toBe(404)
})

test('every answer carries the security headers', async () => {
  const { send } = running()
  for (const path of ADDRESSES) {
    const { headers } = await send(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).not.toContain('public')
  }
})

test('over a socket the same headers are sent, once, and a route may say more of caching', async () => {
  const { server } = running()
  const serving = await serve(server.app, { host: '127.0.0.1', port: 0 })
  onTestFinished(serving.close)
  const direct = await server.app.request('/nothing', { headers: { host: HOST } })
  for (const path of [...ADDRESSES, '/v1/events', '/openapi.json']) {
    const { headers, body } = await fetch(new URL(path, serving.url))
    await body?.cancel()
    for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy']) {
      expect(headers.get(name), `${name} of ${path}`).toBe(direct.headers.get(name))
    }
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('cache-control'), path).toMatch(/no-store|no-cache/)
  }
})

test('a form of another page cannot post: only JSON is taken', async () => {
  const { send, agent } = running()
  const as = await agent('bot')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const headers = { 'content-type': type }
    const answer = await send('/v1/calls', { as, body: { tool: 'read', args: {} }, headers })
    expect(answer.status).toBe(415)
    expect(answer.body).toMatchObject({ error: { code: 'wrong_type' } })
  }
})

test.each([
  ['not JSON', '{', 400, 'invalid_json'],
  ['a key twice', '{"tool":"a","tool":"b","args":{}}', 400, 'duplicate_key'],
  ['not a call', '[]', 400, 'invalid_call'],
  ['a number that is not exact', '{"tool":"a","args":{"n":1e400}}', 400, 'unsafe_number'],
  ['half a character', '{"tool":"a","args":{"s":"\\ud800"}}', 400, 'invalid_unicode'],
  ['too large', `{"tool":"a","args":{"s":"${'x'.repeat(1_100_000)}"}}`, 413, 'too_large'],
])('%s is refused with a code', async (_, body, status, code) => {
  const { server, agent } = running()
  for (const path of ['/v1/calls', '/v1/policy/explain']) {
    const response = await server.app.request(path, {
      method: 'POST',
      body,
      headers: { host: HOST, 'content-type': 'application/json', ...(await agent('bot')) },
    })
    expect(response.status).toBe(status)
    const { error } = (await response.json()) as { error: Record<string, string> }
    expect(error.code).toBe(code)
    expect(error.message).not.toBe('')
    expect(error.hint).not.toBe('')
  }
})

test('what is not there is said in the form of every error', async () => {
  const { send } = running()
  for (const path of ['/nothing', '/page/app.js', '/..%2f..%2fpackage.json', '/v1/calls']) {
    const answer = await send(path)
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ error: { code: 'not_found' } })
  }
})
