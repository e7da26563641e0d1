import { randomUUID } from 'node:crypto'
import { isCountersignError } from '../base/errors.ts'
import { parseStrict } from '../base/strict-json.ts'
import { MODERN_VERSION, modernVersion } from './envelope.ts'
import { createModernClients, type ModernClients } from './http-modern.ts'
import { createHttpSession, type HttpSession } from './http-session.ts'
import {
  isRequest,
  type Message,
  RPC,
  RpcError,
  readMessage,
  textIn,
  wireError,
} from './message.ts'
import type { SessionOptions } from './session.ts'

/** Whoever sends a request, as their credential shows them. */
export interface HttpCaller {
  /** Names the credential: sessions belong to it. */
  readonly owner: string
  /** What a session of theirs works with; `run` is what its calls belong to. */
  options(run: string): SessionOptions
}

/** `/mcp`: streamable HTTP, for both eras. */
export interface HttpEndpoint {
  handle(request: Request, caller: HttpCaller): Promise<Response>
  close(): Promise<void>
}

const MOST_SESSIONS = 500
const IDLE_MS = 30 * 60_000
const SWEEP_MS = 60_000
const LIMITS = { bytes: 1_048_576, keys: 100_000, depth: 70 }

export function createHttpEndpoint(): HttpEndpoint {
  const sessions = new Map<string, HttpSession>()
  const modern = new Map<string, ModernClients>()
  const sweeper = setInterval(() => {
    for (const [id, { usedAt }] of sessions) if (performance.now() - usedAt > IDLE_MS) end(id)
  }, SWEEP_MS)
  sweeper.unref()

  function end(id: string): void {
    const session = sessions.get(id)
    sessions.delete(id)
    void session?.close()
  }

  function sessionOf(request: Request, { owner }: HttpCaller): HttpSession | undefined {
    const session = sessions.get(request.headers.get('mcp-session-id') ?? '')
    // Somebody else's session does not exist.
    return session?.owner === owner ? session : undefined
  }

  async function post(request: Request, caller: HttpCaller): Promise<Response> {
    const message = await read(request)
    const version = 'method' in message ? modernVersion(message.params) : undefined
    assertHeaders(request.headers, message, version)
    if (version !== undefined) return postModern(message, version, request, caller)
    if (request.headers.has('mcp-session-id')) {
      return (await sessionOf(request, caller)?.post(message)) ?? lost()
    }
    if (!isRequest(message) || message.method !== 'initialize') {
      throw new RpcError(RPC.invalidRequest, 'a session begins with initialize')
    }
    if (sessions.size >= MOST_SESSIONS) return new Response(null, { status: 503 })
    const id = randomUUID()
    const session = createHttpSession(caller.options(`mcp-${id}`), id, caller.owner)
    sessions.set(id, session)
    return session.post(message)
  }

  function postModern(message: Message, version: string, request: Request, caller: HttpCaller) {
    if (version !== MODERN_VERSION) {
      const data = { supported: [MODERN_VERSION], requested: version }
      throw new RpcError(RPC.unsupportedVersion, 'this protocol version is not spoken here', data)
    }
    // Closing the connection cancels in this era; there is nothing else to tell us.
    if (!isRequest(message)) return new Response(null, { status: 202 })
    let clients = modern.get(caller.owner)
    if (!clients) {
      clients = createModernClients(caller.options(`mcp-${caller.owner}`))
      modern.set(caller.owner, clients)
    }
    return clients.post(message, request.signal)
  }

  return {
    async handle(request, caller) {
      try {
        if (request.method === 'POST') return await post(request, caller)
        const session = sessionOf(request, caller)
        if (!session) return request.headers.has('mcp-session-id') ? lost() : notAllowed()
        if (request.method === 'GET') return await session.listen()
        if (request.method !== 'DELETE') return notAllowed()
        end(request.headers.get('mcp-session-id') ?? '')
        return new Response(null, { status: 204 })
      } catch (error) {
        return refused(error)
      }
    },
    async close() {
      clearInterval(sweeper)
      const all = [...sessions.values(), ...modern.values()]
      sessions.clear()
      modern.clear()
      await Promise.all(all.map((one) => one.close()))
    },
  }
}

async function read(request: Request): Promise<Message> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new RpcError(RPC.invalidRequest, 'the body is not marked as JSON')
  }
  return readMessage(parseStrict(new Uint8Array(await request.arrayBuffer()), LIMITS))
}

/** Where a header repeats the body, both must say the same: others may have looked at the header. */
function assertHeaders(headers: Headers, message: Message, version: string | undefined): void {
  const { method, params } = 'method' in message ? message : { method: null, params: undefined }
  const said = headers.get('mcp-method')
  const name = headers.get('mcp-name')
  const named = textIn(params, 'name') ?? textIn(params, 'uri') ?? null
  const claimed = headers.get('mcp-protocol-version')
  const isSame =
    (said === null || said === method) &&
    (name === null || plain(name) === named) &&
    (version === undefined || claimed === null || claimed === version) &&
    (version !== undefined || claimed === null || claimed < MODERN_VERSION)
  if (!isSame) throw new RpcError(RPC.headerMismatch, 'a header says something else than the body')
}

function plain(header: string): string {
  const [, coded] = /^=\?base64\?(.*)\?=$/.exec(header) ?? []
  return coded === undefined ? header : Buffer.from(coded, 'base64').toString()
}

function refused(error: unknown): Response {
  const told = isCountersignError(error)
    ? new RpcError(RPC.parse, `${error.code}: ${error.message}`)
    : error
  const status = told instanceof RpcError ? 400 : 500
  return Response.json({ jsonrpc: '2.0', id: null, error: wireError(told) }, { status })
}

function lost(): Response {
  const error = { code: -32_001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
}

function notAllowed(): Response {
  return new Response(null, { status: 405, headers: { allow: 'POST' } })
}
