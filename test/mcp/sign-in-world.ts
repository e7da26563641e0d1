import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { onTestFinished } from 'vitest'
import type { ServerList, SignInBegun, WireServer } from '../../src/api/servers.ts'
import { composeCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { signInSecret } from '../../src/server/identity/invite.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { visit } from '../support/issuer.ts'
import { wireSession } from './http-wire.ts'
import { type Signed, signInWith } from './signed-in.ts'

/** Answers on a port of this machine until the test is over. */
export async function listening(make: (origin: string) => RequestListener): Promise<string> {
  let answer: RequestListener = () => {}
  const http = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  answer = make(origin)
  return origin
}

export interface Issuer {
  readonly origin: string
  readonly provider: Provider
  /** Bodies that the token endpoint was sent. */
  readonly exchanges: string[]
  /** Takes back everything that was given together with this token. */
  revokeAll(token: { readonly grantId?: string } | undefined): Promise<void>
}

export interface IssuerOptions {
  /** Seconds that an access token counts: an hour unless set. */
  readonly life?: number
  /** Takes clients that register themselves: so unless set. */
  readonly registers?: boolean
  readonly clients?: readonly object[]
}

/** A real authorization server, with its own pages for signing in. */
export async function issuer(options: IssuerOptions = {}): Promise<Issuer> {
  const exchanges: string[] = []
  let provider: Provider | undefined
  const origin = await listening((origin) => {
    provider = new Provider(origin, {
      clients: options.clients ?? [],
      cookies: { keys: ['of the tests'] },
      pkce: { required: () => true },
      scopes: ['openid', 'offline_access', 'use', 'write'],
      findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      ttl: { AccessToken: options.life ?? 3_600 },
      features: {
        devInteractions: { enabled: true },
        registration: { enabled: options.registers ?? true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_: unknown, resource: string) => ({
            scope: 'use write',
            audience: resource,
            accessTokenTTL: options.life ?? 3_600,
            accessTokenFormat: 'opaque',
          }),
          useGrantedResource: () => true,
        },
      },
    })
    const answer = provider.callback()
    return (request, response) => {
      if (request.url === '/token') {
        request.on('data', (chunk: Buffer) => exchanges.push(chunk.toString()))
      }
      answer(request, response)
    }
  })
  if (!provider) throw new Error('no provider')
  const { AccessToken, RefreshToken } = provider
  return {
    ...{ origin, provider, exchanges },
    async revokeAll(token) {
      const grant = token?.grantId ?? ''
      await Promise.all([AccessToken, RefreshToken].map((kind) => kind.revokeByGrantId(grant)))
    },
  }
}

export interface Guarded {
  readonly url: string
  /** What came with an Authorization header, by method. */
  readonly calls: { readonly method: string; readonly token: string | undefined }[]
  /** Lets in who has no token, while set. */
  isOpen?: boolean
  /** Answers instead of what it would say, while set. */
  instead?: ((request: IncomingMessage, method: string) => Answer | undefined) | undefined
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** What a token is good for; undefined where it is good for nothing. */
export type Check = (token: string, url: string) => Promise<{ scope?: string } | undefined>

/** An MCP server that lets in who has a token for it. */
export async function guarded(check: Check, issuers: readonly string[]): Promise<Guarded> {
  const calls: Guarded['calls'] = []
  const world: { -readonly [K in keyof Guarded]: Guarded[K] } = { url: '', calls }
  const origin = await listening((origin) => async (request, response) => {
    const send = ({ status, headers = {}, body }: Answer) => {
      response.writeHead(
        status,
        body ? { 'content-type': 'application/json', ...headers } : headers,
      )
      response.end(body ? JSON.stringify(body) : '')
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const message = text.startsWith('{') ? JSON.parse(text) : {}
    const instead = world.instead?.(request, message.method ?? `GET ${request.url}`)
    if (instead) return send(instead)
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const body = { resource: `${origin}/mcp`, authorization_servers: issuers }
      return send({ status: 200, body: { ...body, scopes_supported: ['use'] } })
    }
    if (request.method !== 'POST') return send({ status: 405 })
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    calls.push({ method: message.method, token })
    const unsigned: { scope?: string } | undefined = world.isOpen ? {} : undefined
    const found = token === undefined ? unsigned : await check(token, `${origin}/mcp`)
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    if (!found) {
      return send({
        status: 401,
        headers: { 'www-authenticate': `Bearer ${metadata}, scope="use"` },
      })
    }
    const name = message.params?.name
    if (name === 'write' && !found.scope?.split(' ').includes('write')) {
      const challenge = `Bearer error="insufficient_scope", scope="use write", ${metadata}`
      return send({ status: 403, headers: { 'www-authenticate': challenge } })
    }
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      },
      'tools/list': {
        tools: ['look', 'write'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      },
      // Some servers tell more than they should.
      'tools/call': { content: [{ type: 'text', text: `${name} with ${token}` }] },
    }
    if (message.id === undefined) return send({ status: 202 })
    const result = results[message.method]
    const error = { code: -32_601, message: 'Method not found' }
    send({
      status: 200,
      body: { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) },
    })
  })
  world.url = `${origin}/mcp`
  return world
}

/** As the issuer says it. */
export const knownTo =
  ({ provider }: Issuer): Check =>
  async (token, url) => {
    const found = await provider.AccessToken.find(token)
    return found && found.aud === url && (found.exp ?? 0) * 1_000 > Date.now()
      ? { scope: found.scope ?? '' }
      : undefined
  }

export interface Opened {
  readonly url: URL
  readonly store: Store
  person(email: string, ...roles: ('viewer' | 'approver' | 'admin')[]): Promise<Signed>
  agent(name: string): Promise<Record<string, string>>
}

/** A whole server before these, each under its alias. */
export async function opened(
  servers: Readonly<Record<string, string>>,
  allowHosts: readonly string[],
  shared: { store?: Store; keys?: ReturnType<typeof memoryKeys>; asks?: boolean } = {},
): Promise<Opened> {
  const { store = memoryStore(), keys = memoryKeys(), asks = false } = shared
  const text = Object.entries(servers).map(
    ([alias, url]) => `  - { alias: ${alias}, url: "${url}", approval: ${asks} }\n`,
  )
  let home: string | undefined
  const { countersign, internals } = composeCountersign(
    {
      ...{ store, keys },
      policy: parsePolicy({
        owner: { file: 'countersign.yaml', text: `version: 1\nmcp_servers:\n${text.join('')}` },
      }),
      mcp: mcpGateway({ allowHosts }),
      push: false,
      applyPolicy: true,
    },
    { address: () => home },
  )
  await countersign.ready()
  const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
  home = serving.url
  onTestFinished(async () => {
    await countersign.close()
    await serving.close()
    await store.close()
  })
  const url = new URL('mcp', serving.url)
  return {
    url,
    store,
    person: async (email, ...roles) => signInWith(url, await signInSecret(store, { email, roles })),
    async agent(name) {
      const { token } = await internals().server.credentials.tokens.create({ agent: name })
      return { authorization: `Bearer ${token}` }
    },
  }
}

export const hostOf = (url: string) => new URL(url).host

/** Where the browser goes. */
export async function begin(admin: Signed, body: object = {}): Promise<SignInBegun> {
  const answer = await admin.send('POST', '/v1/servers/guarded/sign-in', body)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer))
  return answer.body as SignInBegun
}

/** The last part of the address that the browser is sent back to. */
export function placeIn({ to }: SignInBegun): string {
  const redirect = new URL(to?.url ?? '').searchParams.get('redirect_uri') ?? ''
  return new URL(redirect).pathname.split('/').at(-1) ?? ''
}

/** Goes there, signs in, comes back. */
export async function finish(admin: Signed, begun: SignInBegun) {
  const query = await visit(begun.to?.url ?? '', 'ana')
  return admin.send('POST', '/v1/servers/sign-ins', { place: placeIn(begun), query })
}

/** A server whose users sign in, and an admin who may. */
export async function world(options: IssuerOptions = {}) {
  const at = await issuer(options)
  const server = await guarded(knownTo(at), [at.origin])
  const allowed = [hostOf(at.origin)]
  const keys = memoryKeys()
  const here = await opened({ guarded: server.url }, allowed, { keys })
  const admin = await here.person('ana@example.com', 'admin')
  return { issuer: at, server, here, admin, allowed, keys }
}

/** The server as the page about it has it, after a look. */
export async function looked(admin: Signed): Promise<WireServer | undefined> {
  const { body } = await admin.send('POST', '/v1/servers/look')
  return (body as ServerList).servers.find(({ alias }) => alias === 'guarded')
}

/** What an agent is told by a tool of the server. */
export async function call(here: Opened, headers: Record<string, string>, tool: string) {
  return (await wireSession(here, headers)).call(`guarded_${tool}`)
}
