import { expect } from 'vitest'
import type { OAuthTokens } from '../../src/api/oauth/oauth.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { atMcp, HOME, type OAuthWorld, oauthWorld, RESOURCE, WEB_CALLBACK } from './oauth-world.ts'

const refreshing = (w: OAuthWorld, { refresh_token }: OAuthTokens) => ({
  grant_type: 'refresh_token',
  refresh_token,
  client_id: w.client,
})

promise(['CS-OA-1'], 'a client without a token learns where to get one', async () => {
  const w = await oauthWorld()
  const refused = await w.send('/mcp', { body: {} })
  expect(refused.status).toBe(401)
  const header = refused.headers.get('www-authenticate') ?? ''
  const [, place = ''] = /resource_metadata="([^"]+)"/.exec(header) ?? []
  expect(place).toBe(`${HOME}/.well-known/oauth-protected-resource/mcp`)
  const resource = await w.send(new URL(place).pathname)
  expect(resource.body).toMatchObject({ resource: RESOURCE, authorization_servers: [HOME] })
  const server = await w.send('/.well-known/oauth-authorization-server')
  expect(server.body).toMatchObject({
    issuer: HOME,
    authorization_endpoint: `${HOME}/oauth/authorize`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
  expect(server.body).not.toHaveProperty('registration_endpoint')
  const wrong = await w.send('/mcp', { body: {}, as: { authorization: 'Bearer x' } })
  expect(wrong.headers.get('www-authenticate')).toMatch(/error="invalid_token", resource_metadata=/)
  // Elsewhere nothing invites to it: such tokens are good for nothing there.
  const other = await w.send('/v1/me')
  expect(other.headers.get('www-authenticate')).not.toContain('resource_metadata')
})

promise(
  ['CS-OA-2', 'CS-OA-9', 'CS-OA-11'],
  'a person sees who asks, allows it, and the client is in',
  async () => {
    const w = await oauthWorld()
    const ana = await w.person('ana@example.com', ['approver', 'admin'])
    const { ask } = await w.ask(ana, w.query())
    expect(ask).toMatchObject({
      client: { id: w.client, host: w.host, name: 'Some client' },
      redirect: { host: '127.0.0.1:5555', here: true, own: false },
      agent: `oauth.${w.host.replace(':', '_')}`,
      before: false,
    })
    const body = { request: ask?.request, allow: true }
    const to = new URL((await w.send('/v1/oauth/answers', { as: ana, body })).at('to'))
    expect(`${to.origin}${to.pathname}`).toBe('http://127.0.0.1:5555/callback')
    expect(to.searchParams.get('state')).toBe('the state')
    expect(to.searchParams.get('iss')).toBe(HOME)
    const tokens = await w.connect(ana)
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'tools' })
    expect(await atMcp(w, tokens.access_token)).toBe(200)
    const listed = await w.send('/v1/oauth/connections', { as: ana })
    const [own] = (listed.body as { connections: { prefix: string; client: string }[] }).connections
    expect(own?.client).toBe(w.client)
    const all = await w.send('/v1/tokens', { as: ana })
    expect(all.body).toMatchObject({
      tokens: [{ client: { id: w.client, person: { subject: 'ana@example.com' } } }],
    })
    const place = `/v1/oauth/connections/${own?.prefix}`
    const cy = await w.person('cy@example.com', ['admin'])
    expect((await w.send(place, { as: cy, method: 'DELETE' })).status).toBe(404)
    expect(await atMcp(w, tokens.access_token)).toBe(200)
    expect((await w.send(place, { as: ana, method: 'DELETE' })).status).toBe(204)
    expect(await atMcp(w, tokens.access_token)).toBe(401)
    const said = await w.send('/v1/audit?limit=50', { as: ana })
    const types = JSON.stringify(said.body)
    for (const type of ['client.allowed', 'token.created', 'token.revoked']) {
      expect(types).toContain(type)
    }
  },
)

promise(['CS-OA-9', 'CS-OA-11'], 'a person who refuses sends the client away, once', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com', ['approver', 'admin'])
  const { ask } = await w.ask(ana, w.query())
  const answer = (allow: boolean) =>
    w.send('/v1/oauth/answers', { as: ana, body: { request: ask?.request, allow } })
  const to = new URL((await answer(false)).at('to'))
  expect(to.searchParams.get('error')).toBe('access_denied')
  expect(to.searchParams.get('iss')).toBe(HOME)
  expect(to.searchParams.has('code')).toBe(false)
  expect((await answer(true)).status).toBe(404)
  expect(JSON.stringify((await w.send('/v1/audit', { as: ana })).body)).toContain('client.refused')
})

promise(
  ['CS-OA-12'],
  'allowed once, a client of the web is not asked about again, and one on a machine is',
  async () => {
    const w = await oauthWorld()
    const ana = await w.person('ana@example.com')
    const web = { redirect_uri: WEB_CALLBACK }
    expect((await w.ask(ana, w.query(web))).ask).toBeDefined()
    await w.connect(ana, web)
    const again = await w.ask(ana, w.query(web))
    expect(again.ask).toBeUndefined()
    const to = new URL(again.to ?? '')
    expect(to.host).toBe('client.example')
    expect(to.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    expect((await w.ask(ana, w.query())).ask).toMatchObject({ before: true })
    const bo = await w.person('bo@example.com')
    expect((await w.ask(bo, w.query(web))).ask).toMatchObject({ before: false })
  },
)

promise(['CS-OA-6'], 'a refresh token works once, and the next one goes on', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  const first = await w.connect(ana)
  const second = (await w.token(refreshing(w, first))).body as OAuthTokens
  expect(second.refresh_token).not.toBe(first.refresh_token)
  // The same connection: what it asked for stays its own.
  expect(second.access_token.slice(0, 15)).toBe(first.access_token.slice(0, 15))
  expect(await atMcp(w, second.access_token)).toBe(200)
  expect((await w.token(refreshing(w, second))).status).toBe(200)
})

promise(['CS-OA-6', 'CS-OA-5'], 'tokens and codes end by the clock of the store', async () => {
  let ahead = 0
  const w = await oauthWorld({ store: memoryStore({ clock: () => Date.now() + ahead }) })
  const ana = await w.person('ana@example.com')
  const tokens = await w.connect(ana)
  ahead = 15 * 60_000 + 1
  expect(await atMcp(w, tokens.access_token)).toBe(401)
  const next = (await w.token(refreshing(w, tokens))).body as OAuthTokens
  expect(await atMcp(w, next.access_token)).toBe(200)
  ahead += 30 * 86_400_000 + 1
  expect((await w.token(refreshing(w, next))).body).toMatchObject({ error: 'invalid_grant' })
})

promise(['CS-OA-8'], 'the client acts for the person who allowed it, under its host', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  await w.connect(ana)
  const [made] = await w.server.credentials.tokens.list()
  expect(made).toMatchObject({
    agent: `oauth.${w.host.replace(':', '_')}`,
    principal: 'ana@example.com',
    client: { person: { issuer: 'local', subject: 'ana@example.com' } },
  })
})

promise(['CS-OA-11'], 'a client that leaves ends its connection', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  for (const which of ['access_token', 'refresh_token'] as const) {
    const tokens = await w.connect(ana)
    const form = { token: tokens[which], client_id: w.client }
    expect((await w.send('/oauth/revoke', { form: { ...form, client_id: 'other' } })).status).toBe(
      200,
    )
    expect(await atMcp(w, tokens.access_token)).toBe(200)
    expect((await w.send('/oauth/revoke', { form })).status).toBe(200)
    expect(await atMcp(w, tokens.access_token)).toBe(401)
    expect((await w.token(refreshing(w, tokens))).status).toBe(400)
    expect((await w.send('/oauth/revoke', { form })).status).toBe(200)
  }
})

promise(['CS-OA-11'], 'of many connections of one client the oldest gives way', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  const first = await w.connect(ana, { redirect_uri: WEB_CALLBACK })
  for (let made = 1; made < 20; made++) await w.connect(ana, { redirect_uri: WEB_CALLBACK })
  expect(await atMcp(w, first.access_token)).toBe(200)
  await w.connect(ana, { redirect_uri: WEB_CALLBACK })
  expect(await atMcp(w, first.access_token)).toBe(401)
  expect(await w.server.credentials.tokens.list()).toHaveLength(20)
})
