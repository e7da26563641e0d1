import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ClientRequestAnswer, OAuthTokens } from '../../src/api/oauth/oauth.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { HOST, type Running, running, type Sender } from './harness.ts'

/** What the app takes for its own origin, without a socket. */
export const HOME = 'http://localhost'
export const RESOURCE = `${HOME}/mcp`
export const CALLBACK = 'http://127.0.0.1:5555/callback'
export const WEB_CALLBACK = 'https://client.example/callback'

type Query = Readonly<Record<string, string>>

/** A document as it is answered: an object is sent as JSON. */
export interface Served {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface OAuthWorld extends Running {
  /** The id of a client whose document is served properly. */
  readonly client: string
  /** Where documents are served, as `host:port`. */
  readonly host: string
  /** Serves a document at this path, and gives its address. */
  serve(path: string, served: (id: string) => Served): string
  /** Paths that were asked for. */
  readonly fetched: readonly string[]
  /** What a client would open in the browser. */
  query(change?: Query, without?: readonly string[]): string
  /** What the page does when it is opened. */
  ask(as: Sender, query: string): Promise<ClientRequestAnswer>
  /** Opens, allows, and gives the code. */
  code(as: Sender, change?: Query): Promise<string>
  token(form: Query): Promise<Awaited<ReturnType<Running['send']>>>
  /** The whole way. */
  connect(as: Sender, change?: Query): Promise<OAuthTokens>
}

export const VERIFIER = randomBytes(32).toString('base64url')
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** The usual document of a client that listens on the machine of its user, or on the web. */
export const documentOf = (id: string, more: object = {}): Served => ({
  body: {
    client_id: id,
    client_name: 'Some client',
    redirect_uris: ['http://127.0.0.1/callback', WEB_CALLBACK],
    token_endpoint_auth_method: 'none',
    ...more,
  },
})

export interface WorldOptions {
  readonly store?: Store
  readonly clients?: readonly string[]
  /** Whether documents on this machine are read. */
  readonly isAllowed?: boolean
}

export async function oauthWorld(options: WorldOptions = {}): Promise<OAuthWorld> {
  const documents = new Map<string, Served>()
  const fetched: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    fetched.push(path)
    const {
      status = 200,
      type = 'application/json',
      headers = {},
      body,
    } = documents.get(path) ?? {
      status: 404,
    }
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const serve = (path: string, served: (id: string) => Served) => {
    const id = `http://${host}${path}`
    documents.set(path, served(id))
    return id
  }
  const client = serve('/client.json', (id) => documentOf(id))
  const allowHosts = options.isAllowed === false ? [] : [host]
  const own = running({
    store: options.store ?? memoryStore(),
    oauth: { allowHosts, clients: options.clients },
  })

  function query(change: Query = {}, without: readonly string[] = []): string {
    const all: Record<string, string> = {
      response_type: 'code',
      client_id: client,
      redirect_uri: CALLBACK,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      resource: RESOURCE,
      scope: 'tools',
      state: 'the state',
      ...change,
    }
    for (const name of without) delete all[name]
    return `${new URLSearchParams(all)}`
  }

  async function ask(as: Sender, text: string): Promise<ClientRequestAnswer> {
    const { status, body } = await own.send('/v1/oauth/requests', { as, body: { query: text } })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as ClientRequestAnswer
  }

  async function code(as: Sender, change: Query = {}): Promise<string> {
    const { ask: asked, to: at } = await ask(as, query(change))
    const answer = { request: asked?.request ?? '', allow: true }
    const to = at ?? (await own.send('/v1/oauth/answers', { as, body: answer })).at('to')
    return new URL(to).searchParams.get('code') ?? ''
  }

  const token = (form: Query) => own.send('/oauth/token', { form })

  async function connect(as: Sender, change: Query = {}): Promise<OAuthTokens> {
    const { body, status } = await token({
      grant_type: 'authorization_code',
      code: await code(as, change),
      client_id: change.client_id ?? client,
      redirect_uri: change.redirect_uri ?? CALLBACK,
      code_verifier: VERIFIER,
      resource: RESOURCE,
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as OAuthTokens
  }

  return { ...own, client, host, serve, fetched, query, ask, code, token, connect }
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
}

/** The status that a client with this token gets at `/mcp`. */
export async function atMcp({ server }: Running, token: string): Promise<number> {
  const response = await server.app.request('/mcp', {
    method: 'POST',
    headers: {
      host: HOST,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(HELLO),
  })
  await response.body?.cancel()
  return response.status
}
