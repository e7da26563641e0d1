import { expect, onTestFinished } from 'vitest'
import { ensureKey } from '../../src/gate/proof/keys.ts'
import type { ServerCredentials } from '../../src/gateway/upstream/credentials.ts'
import { connectHttp } from '../../src/gateway/upstream/http-transport.ts'
import { signInId } from '../../src/gateway/upstream/oauth/attached.ts'
import { discover } from '../../src/gateway/upstream/oauth/discovery.ts'
import { sealSecrets } from '../../src/gateway/upstream/oauth/sign-in-record.ts'
import { createSignedIn } from '../../src/gateway/upstream/oauth/signed-in.ts'
import type { HttpSpec } from '../../src/gateway/upstream/upstream-spec.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { createSecretBox } from '../../src/store/secret-box.ts'
import { promise } from '../support/promise.ts'
import { wireSession } from './http-wire.ts'
import { guardedBy, liar } from './lying-issuer.ts'
import {
  begin,
  call,
  finish,
  hostOf,
  listening,
  looked,
  opened,
  placeIn,
  world,
} from './sign-in-world.ts'

promise(
  ['CS-SIGNIN-6'],
  'a process that had the token of before sends the one of a new sign-in',
  async () => {
    const { here, admin, server } = await world()
    await finish(admin, await begin(admin))
    const agent = await here.agent('helper')
    expect(await call(here, agent, 'look')).toBe('look with [secret]')
    const first = server.calls.at(-1)?.token
    expect((await admin.send('DELETE', '/v1/servers/guarded/sign-in')).status).toBe(204)
    expect((await looked(admin))?.signIn).toEqual({ needed: true })
    const before = server.calls.length
    await finish(admin, await begin(admin))
    expect(await call(here, agent, 'look')).toBe('look with [secret]')
    const tokens = server.calls.slice(before).flatMap(({ token }) => token ?? [])
    expect(tokens.length).toBeGreaterThan(0)
    expect(tokens).not.toContain(first)
    expect(await looked(admin)).toMatchObject({ signIn: { needed: false } })
  },
)

promise(
  ['CS-SIGNIN-2'],
  'a row of a sign-in under way that names another token endpoint does not open',
  async () => {
    const at = await liar()
    const server = await guardedBy(at)
    const heard: string[] = []
    const other = await listening(() => (request, response) => {
      request.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
      request.on('end', () => response.end('{}'))
    })
    const here = await opened({ guarded: server.url }, [hostOf(at.origin), hostOf(other)])
    const admin = await here.person('ana@example.com', 'admin')
    const begun = await begin(admin, {
      client: { issuer: at.origin, id: 'by-hand', secret: 'a-secret-by-hand' },
    })
    const { records } = here.store
    const [row] = (await records.list('mcp-sign-in-attempt')).records
    const value = JSON.parse(JSON.stringify(row?.value))
    value.issuedBy.token_endpoint = `${other}/token`
    await records.put('mcp-sign-in-attempt', row?.id ?? '', value)
    const state = new URL(begun.to?.url ?? '').searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'the-code', state, iss: at.origin }).toString()
    const back = await admin.send('POST', '/v1/servers/sign-ins', { place: placeIn(begun), query })
    expect(back).toMatchObject({ status: 502, body: { error: { code: 'server_sign_in' } } })
    expect(heard).toEqual([])
  },
)

promise(
  ['CS-SIGNIN-5'],
  'a server that asks for other scopes with every call fills no row, and every call is answered',
  async () => {
    const { here, admin, server } = await world()
    await finish(admin, await begin(admin))
    const session = await wireSession(here, await here.agent('helper'))
    let asked = 0
    server.instead = (_, method) => {
      if (method !== 'tools/call') return undefined
      const scopes = Array.from({ length: 60 }, () => `s${++asked}-${'x'.repeat(90)}`)
      const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
      return { status: 403, headers: { 'www-authenticate': challenge } }
    }
    for (let n = 0; n < 15; n++) {
      expect(await session.call('guarded_write')).toContain('does not reach for this')
    }
    expect((await looked(admin))?.signIn?.last?.wants).toHaveLength(100)
    server.instead = undefined
    expect(await session.call('guarded_look')).toBe('look with [secret]')
  },
)

promise(
  ['CS-SIGNIN-4'],
  'a call that a server refused is answered, although the store does not say what is signed in',
  async () => {
    const origin = await listening(() => (_, response) => response.writeHead(401).end())
    const url = new URL(`${origin}/mcp`)
    const credentials: ServerCredentials = {
      header: async () => 'Bearer x',
      refused: () => Promise.reject(new Error('the database is away')),
      says: () => 'it asks for a sign-in',
      isThere: () => true,
      secrets: [],
      onChange: () => () => {},
    }
    const lost: string[] = []
    const transport = connectHttp(
      {
        ...{ kind: 'http', alias: 'guarded', url, headers: {}, secrets: [] },
        ...{ allowHosts: [url.host], credentials },
      },
      {
        onMessage() {},
        onLost: (_, why) => lost.push(why.message),
        onClose() {},
        onNoise() {},
      },
    )
    onTestFinished(() => transport.close())
    transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    await expect.poll(() => lost).toEqual([expect.stringContaining('cannot be signed in at')])
  },
)

/** A sign-in whose token has ended, and an issuer that does something while it gives the next one. */
async function renewing(
  meanwhile: (store: ReturnType<typeof memoryStore>, id: string) => Promise<unknown>,
) {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const keys = memoryKeys()
  await ensureKey(keys)
  const box = createSecretBox(keys, 'server tokens')
  const revoked: (string | null)[] = []
  const origin = await listening(() => async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    if (request.url === '/revoke') revoked.push(body.get('token'))
    else await meanwhile(store, (await store.records.list('mcp-sign-in')).records[0]?.id ?? '')
    response.writeHead(200, { 'content-type': 'application/json' })
    const token = { access_token: 'new', refresh_token: 'newer', token_type: 'Bearer' }
    response.end(JSON.stringify(request.url === '/token' ? { ...token, expires_in: 3_600 } : {}))
  })
  const server = {
    ...{ issuer: origin, authorization_endpoint: `${origin}/authorize` },
    ...{ token_endpoint: `${origin}/token`, revocation_endpoint: `${origin}/revoke` },
  }
  const bound = { resource: origin, server, client: { how: 'given', id: 'us' } as const }
  const url = new URL(`${origin}/mcp`)
  const spec: HttpSpec = {
    ...{ kind: 'http', alias: 'guarded', url, headers: {}, secrets: [], allowHosts: [url.host] },
  }
  const id = await signInId(spec)
  const sealed = await sealSecrets(box, id, bound, { access: 'old', refresh: 'older' })
  const by = { issuer: 'local', subject: 'ana' }
  const kept = { alias: 'guarded', ...bound, scopes: [], by, at: 1, endsAt: 1, canRefresh: true }
  await store.records.put('mcp-sign-in', id, JSON.parse(JSON.stringify({ ...kept, sealed })))
  return { store, revoked, id, signedIn: createSignedIn({ store, box, spec }) }
}

promise(
  ['CS-SIGNIN-6'],
  'tokens that come after a person signed out are given back, and never sent',
  async () => {
    const { signedIn, revoked } = await renewing(({ records }, id) =>
      records.put('mcp-sign-in', id, { ended: true }),
    )
    expect(await signedIn.header()).toBeUndefined()
    expect(revoked).toEqual(['newer', 'new'])
  },
)

promise(
  ['CS-SIGNIN-3'],
  'a process that took too long to renew leaves the turn of the next one alone',
  async () => {
    const { signedIn, store, id } = await renewing(async ({ records }, id) => {
      await records.remove('mcp-sign-in-refresh', id)
      await records.put('mcp-sign-in-refresh', id, { by: 'another process' })
    })
    expect(await signedIn.header()).toBe('Bearer new')
    expect(await store.records.get('mcp-sign-in-refresh', id)).toMatchObject({
      value: { by: 'another process' },
    })
  },
)

promise(
  ['CS-SIGNIN-7'],
  'a server on the public internet leads to no private address that others are allowed for',
  async () => {
    const heard: (string | undefined)[] = []
    const origin = await listening(() => (request, response) => {
      heard.push(request.url)
      response.end('{}')
    })
    const place = { url: new URL('https://mcp.example.com/mcp'), allowHosts: [hostOf(origin)] }
    const challenge = { metadata: `${origin}/admin/restart`, scopes: [] }
    await expect(discover(place, challenge)).rejects.toThrow('not on the public internet')
    expect(heard).toEqual([])
    // A server that is allowed itself may: its issuer is beside it.
    const own = { url: new URL(`${origin}/mcp`), allowHosts: [hostOf(origin)] }
    await expect(discover(own, challenge)).rejects.toThrow()
    expect(heard).toEqual(['/admin/restart'])
  },
)
