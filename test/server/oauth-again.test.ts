import { expect } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { atMcp, documentOf, oauthWorld, RESOURCE, VERIFIER, WEB_CALLBACK } from './oauth-world.ts'

const DAY_MS = 86_400_000
const WEB = { redirect_uri: WEB_CALLBACK }

promise(['CS-OA-12'], 'without a question a connection lasts no longer than allowed', async () => {
  let ahead = 0
  const w = await oauthWorld({ store: memoryStore({ clock: () => Date.now() + ahead }) })
  await w.connect(await w.person('ana@example.com'), WEB)
  const ends = async () =>
    (await w.server.credentials.tokens.list()).map(({ expiresAt = 0 }) => expiresAt)
  const [first] = await ends()
  ahead = 89 * DAY_MS
  const ana = await w.person('ana@example.com')
  expect((await w.ask(ana, w.query(WEB))).ask).toBeUndefined()
  await w.connect(ana, WEB)
  expect(await ends()).toEqual([first, first])
  ahead = 91 * DAY_MS
  const later = await w.person('ana@example.com')
  expect((await w.ask(later, w.query(WEB))).ask).toMatchObject({ before: false })
})

promise(['CS-OA-12'], 'a code given without a question ends with what was allowed', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  const { access_token } = await w.connect(ana, WEB)
  const code = await w.code(ana, WEB)
  const [own] = await w.server.credentials.tokens.list()
  const place = `/v1/oauth/connections/${own?.prefix}`
  expect((await w.send(place, { as: ana, method: 'DELETE' })).status).toBe(204)
  const answer = await w.token({
    grant_type: 'authorization_code',
    code,
    client_id: w.client,
    redirect_uri: WEB_CALLBACK,
    code_verifier: VERIFIER,
    resource: RESOURCE,
  })
  expect([answer.status, answer.at('error')]).toEqual([400, 'invalid_grant'])
  expect(await atMcp(w, access_token)).toBe(401)
  expect(await w.server.credentials.tokens.list()).toEqual([])
  // The connection that the person had allowed; the code made none, not even for a moment.
  const admin = await w.person('root@example.com', ['admin'])
  const made = await w.send('/v1/audit?type=token.created', { as: admin })
  expect(made.body).toMatchObject({ entries: [{ event: { facts: { token: own?.prefix } } }] })
})

promise(['CS-OA-12'], 'an address that was never shown is asked about', async () => {
  const w = await oauthWorld()
  const ana = await w.person('ana@example.com')
  await w.connect(ana)
  expect((await w.ask(ana, w.query(WEB))).ask).toMatchObject({ before: true })
  await w.connect(ana, WEB)
  expect((await w.ask(ana, w.query(WEB))).to).toContain('code=')
  // The owner of a document can add any address to it later.
  const other = 'https://thief.example/callback'
  w.serve('/client.json', (id) => documentOf(id, { redirect_uris: [other, WEB_CALLBACK] }))
  const { ask } = await w.ask(ana, w.query({ redirect_uri: other }))
  expect(ask).toMatchObject({ before: true, redirect: { host: 'thief.example' } })
})

promise.each(
  ['CS-OA-12'],
  'a program on the machine is asked about each time, also with https',
  [
    ['https://localhost:8443/cb'],
    ['https://127.0.0.1/cb'],
    ['https://[::1]/cb'],
    ['https://127.8.9.1/cb'],
    ['https://app.localhost/cb'],
    ['https://localhost./cb'],
  ],
  async (redirect_uri) => {
    const w = await oauthWorld()
    const ana = await w.person('ana@example.com')
    w.serve('/client.json', (id) => documentOf(id, { redirect_uris: [redirect_uri] }))
    await w.connect(ana, { redirect_uri })
    const { ask } = await w.ask(ana, w.query({ redirect_uri }))
    expect(ask).toMatchObject({ before: true, redirect: { here: true } })
  },
)

promise(['CS-OA-3'], 'a client whose host is no longer taken is out at once', async () => {
  const store = memoryStore()
  const w = await oauthWorld({ store })
  const { access_token } = await w.connect(await w.person('ana@example.com'))
  expect(await atMcp(w, access_token)).toBe(200)
  const narrowed = await oauthWorld({ store, clients: ['other.example'] })
  expect(await atMcp(narrowed, access_token)).toBe(401)
  const same = await oauthWorld({ store, clients: [w.host] })
  expect(await atMcp(same, access_token)).toBe(200)
})
