import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CountersignError, isCountersignError } from '../../../base/errors.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { parseStrict } from '../../../base/json/strict-json.ts'
import { bodyBytes } from '../../../base/net/request-body.ts'
import {
  assertModern,
  capabilitiesOf,
  MODERN_VERSION,
  modernVersion,
  TASK_METHODS,
  VERSION_KEY,
} from '../../protocol/envelope.ts'
import { readHeaderValue } from '../../protocol/header-value.ts'
import {
  isRequest,
  type Message,
  objectIn,
  type RequestId,
  RPC,
  RpcError,
  readMessage,
  textIn,
  wireError,
} from '../../protocol/message.ts'
import { requestIdIn } from '../../protocol/request-id.ts'
import type { LiveTasks } from '../../tasks/tasks.ts'
import { canElicit, canOpen } from '../client.ts'
import type { HeldRun } from '../held-run.ts'
import { createPlaces, type Holder, type NoRoom } from '../process-pool.ts'
import type { SessionOptions } from '../session-options.ts'
import { createModernClients, type ModernClients } from './http-modern.ts'
import { createOpenAnswers } from './http-response.ts'
import { createHttpSession, type HttpSession } from './http-session.ts'

/** The sender of a request, as their credential shows them. */
export interface HttpCaller {
  /** Names the credential: sessions belong to it. */
  readonly owner: string
  /** Which run its requests belong to where there are no sessions. */
  run(): Promise<string>
  /** The run of a session: of one that is gone, where a question or a yes of it is left. */
  hold(): Promise<HeldRun>
  /** Whether the credential still counts. Sessions of one that does not are ended. */
  isValid?(): Promise<boolean>
  /** What a session of theirs works with; `run` is what its calls belong to. */
  options(run: string): SessionOptions
}

/** `/mcp`: streamable HTTP, for both eras. */
export interface HttpEndpoint {
  handle(request: Request, caller: HttpCaller): Promise<Response>
  /** Ends the sessions of every credential that no longer counts. */
  recheck(): Promise<void>
  close(): Promise<void>
}

const MOST_SESSIONS = 500
const IDLE_MS = 30 * 60_000
const SWEEP_MS = 60_000
/** How long a call that its server runs is waited for. Shorter than connections are kept for it. */
const DRAIN_MS = 7_000
const LOOK_MS = 20
const LIMITS = { bytes: 1_048_576, keys: 100_000, depth: 70 }

export interface EndpointOptions {
  /** How often each server that is a process may run at once: once for each client. */
  readonly processes?: number | undefined
}

export const MOST_PROCESSES = 50

export function createHttpEndpoint({
  processes = MOST_PROCESSES,
}: EndpointOptions = {}): HttpEndpoint {
  const sessions = new Map<string, HttpSession>()
  const modern = new Map<string, ModernClients>()
  const opening = new Map<string, Promise<ModernClients>>()
  const tasks: LiveTasks = new Map()
  /** Whose each of them is. */
  const callers = new Map<string, HttpCaller>()
  const places = createPlaces({ most: processes, refuse: serverBusy })
  const rooms = createPlaces({ most: MOST_SESSIONS, refuse: noSession })
  /** Gives the room of a session back. */
  const leaving = new Map<string, () => Promise<void>>()
  const answers = createOpenAnswers()
  const isIdle = ({ usedAt, activity }: Pick<Holder, 'usedAt' | 'activity'>) =>
    activity === 'idle' && performance.now() - usedAt > IDLE_MS
  const sweeper = setInterval(() => {
    for (const [id, one] of [...sessions, ...modern]) if (isIdle(one)) void end(id)
    // A credential may expire without any event.
    recheck().catch(() => {})
  }, SWEEP_MS)
  sweeper.unref()

  /** A session, or clients of the newer era: their names are never the same. */
  async function end(id: string, isRevoked = false): Promise<void> {
    const one = sessions.get(id) ?? modern.get(id)
    sessions.delete(id)
    modern.delete(id)
    callers.delete(id)
    await one?.close(isRevoked)
    const leave = leaving.get(id)
    leaving.delete(id)
    await leave?.()
  }

  function holderOf(id: string, { owner }: HttpCaller): Holder {
    const one = () => sessions.get(id) ?? modern.get(id)
    return {
      owner,
      get usedAt() {
        return one()?.usedAt ?? performance.now()
      },
      get activity() {
        return one()?.activity ?? 'waiting'
      },
      end: () => end(id),
    }
  }

  /** Makes room for a session, and gives what it works with. */
  async function enter(
    id: string,
    run: string,
    caller: HttpCaller,
    release: () => Promise<void> = async () => {},
  ) {
    const holder = holderOf(id, caller)
    try {
      const leave = await rooms.for(holder).take('sessions')
      leaving.set(id, async () => {
        leave()
        await release()
      })
    } catch (error) {
      await release()
      throw error
    }
    return {
      ...caller.options(run),
      places: places.for(holder),
      answers: answers.ofSession(caller.owner),
    }
  }

  async function recheck(): Promise<void> {
    const owners = new Map([...callers.values()].map((caller) => [caller.owner, caller]))
    const gone = new Set<string>()
    for (const [owner, { isValid }] of owners) if (isValid && !(await isValid())) gone.add(owner)
    for (const [id, { owner }] of [...callers]) {
      if (!gone.has(owner)) continue
      void end(id, true)
    }
  }

  function sessionOf(request: Request, { owner }: HttpCaller): HttpSession | undefined {
    const session = sessions.get(request.headers.get('mcp-session-id') ?? '')
    // To other owners the session does not exist.
    return session?.owner === owner ? session : undefined
  }

  async function post(request: Request, caller: HttpCaller): Promise<Response> {
    const message = await read(request)
    return await accept(message, request, caller).catch((error: unknown) => {
      throw isRequest(message) ? new Refusal(error, message.id) : error
    })
  }

  async function accept(message: Message, request: Request, caller: HttpCaller): Promise<Response> {
    const version = 'method' in message ? modernVersion(message.params) : undefined
    assertHeaders(request.headers, message, version)
    if (version !== undefined) return postModern(message, version, request, caller)
    if (request.headers.has('mcp-session-id')) {
      return (await sessionOf(request, caller)?.post(message)) ?? lost()
    }
    if (!isRequest(message) || message.method !== 'initialize') {
      throw new RpcError(RPC.invalidRequest, 'a session begins with initialize')
    }
    const id = randomUUID()
    const held = await caller.hold()
    const release = () => held.release().catch(() => {})
    const options = await enter(id, held.run, caller, release)
    const session = createHttpSession({ ...options, id, owner: caller.owner })
    sessions.set(id, session)
    callers.set(id, caller)
    return session.post(message)
  }

  async function postModern(
    message: Message,
    version: string,
    request: Request,
    caller: HttpCaller,
  ): Promise<Response> {
    if (version !== MODERN_VERSION) {
      const data = { supported: [MODERN_VERSION], requested: version }
      throw new RpcError(RPC.unsupportedVersion, 'this protocol version is not spoken here', data)
    }
    // Closing the connection cancels in this era; there is nothing else to tell us.
    if (!isRequest(message)) return new Response(null, { status: 202 })
    assertModern(message)
    const run = await caller.run()
    const key = JSON.stringify([caller.owner, run, askableOf(message.params)])
    const clients = modern.get(key) ?? (await openModern(key, run, caller))
    return clients.post(message, request.signal, request.headers)
  }

  /** Requests that come at once share what the first of them opens. */
  function openModern(key: string, run: string, caller: HttpCaller): Promise<ModernClients> {
    const first = opening.get(key)
    if (first !== undefined) return first
    const opened = enter(key, run, caller)
      .then((options) => {
        const clients = createModernClients({ ...options, owner: caller.owner, tasks })
        modern.set(key, clients)
        callers.set(key, caller)
        return clients
      })
      .finally(() => opening.delete(key))
    opening.set(key, opened)
    return opened
  }

  return {
    async handle(request, caller) {
      try {
        if (request.method === 'POST') return await post(request, caller)
        const session = sessionOf(request, caller)
        if (!session) return request.headers.has('mcp-session-id') ? lost() : notAllowed()
        if (request.method === 'GET') return await session.listen()
        if (request.method !== 'DELETE') return notAllowed()
        void end(request.headers.get('mcp-session-id') ?? '')
        return new Response(null, { status: 204 })
      } catch (error) {
        return refused(error)
      }
    },
    recheck,
    async close() {
      clearInterval(sweeper)
      const until = performance.now() + DRAIN_MS
      await Promise.all(
        [...sessions, ...modern].map(async ([id, one]) => {
          while (one.activity === 'running' && performance.now() < until) await sleep(LOOK_MS)
          await end(id)
        }),
      )
    },
  }
}

/** What servers may ask of this client: those that differ in it are spoken for apart. */
function askableOf(params: JsonObject | undefined): readonly string[] {
  const capabilities = capabilitiesOf(objectIn(params, '_meta'))
  return [
    ...(canElicit({ capabilities }) ? ['form'] : []),
    ...(canOpen({ capabilities }) ? ['url'] : []),
    ...['sampling', 'roots'].filter((name) => objectIn(capabilities, name)),
  ]
}

async function read(request: Request): Promise<Message> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new RpcError(RPC.invalidRequest, 'the body is not marked as JSON')
  }
  const body = await bodyBytes(request)
  try {
    return readMessage(parseStrict(body, LIMITS))
  } catch (error) {
    throw new Refusal(error, requestIdIn(body))
  }
}

/** A request that is refused, and the id its sender waits under. */
class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly id: RequestId | null

  constructor(cause: unknown, id: RequestId | null) {
    super('refused', { cause })
    this.id = id
  }
}

/** Requests that name what they are about. */
const NAMED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Where a header repeats the body, both must say the same: others may have looked at the header. */
function assertHeaders(headers: Headers, message: Message, version: string | undefined): void {
  const { method, params } = 'method' in message ? message : { method: null, params: undefined }
  const said = headers.get('mcp-method')
  const name = headers.get('mcp-name')
  const isTask = method !== null && TASK_METHODS.has(method)
  const named =
    (isTask ? textIn(params, 'taskId') : (textIn(params, 'name') ?? textIn(params, 'uri'))) ?? null
  const claimed = headers.get('mcp-protocol-version')
  if (version === undefined && claimed === MODERN_VERSION && isRequest(message)) {
    throw new RpcError(RPC.invalidParams, `_meta of this version names ${VERSION_KEY}`)
  }
  // In the newer era an intermediary that reads only the headers may rely on them.
  const isWhole =
    version === undefined ||
    !isRequest(message) ||
    (said !== null && claimed !== null && (name !== null || !(isTask || NAMED.has(message.method))))
  if (!isWhole) {
    throw new RpcError(
      RPC.headerMismatch,
      'MCP-Protocol-Version, Mcp-Method and, for what has a name, Mcp-Name are needed',
    )
  }
  const isSame =
    (said === null || said === method) &&
    (name === null || readHeaderValue(name) === named) &&
    (version === undefined || claimed === null || claimed === version) &&
    (version !== undefined || claimed === null || claimed < MODERN_VERSION)
  if (!isSame) throw new RpcError(RPC.headerMismatch, 'a header says something else than the body')
}

function refused(refusal: unknown): Response {
  const { id, cause: error } = refusal instanceof Refusal ? refusal : { id: null, cause: refusal }
  const told = isCountersignError(error)
    ? new RpcError(RPC.parse, `${error.code}: ${error.message}`)
    : error
  const status = told instanceof RpcError ? statusOf(told) : 500
  const headers: HeadersInit = status === 429 ? { 'retry-after': '5' } : {}
  return Response.json({ jsonrpc: '2.0', id, error: wireError(told) }, { status, headers })
}

function statusOf({ code }: RpcError): number {
  if (code === RPC.tooMany) return 429
  return code === RPC.methodNotFound ? 404 : 400
}

function lost(): Response {
  const error = { code: -32_001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
}

function notAllowed(): Response {
  return new Response(null, { status: 405, headers: { allow: 'POST' } })
}

function serverBusy({ what: alias, most, own }: NoRoom): CountersignError {
  const why =
    own === undefined
      ? `server ${alias} runs as often as it may (${most}), once for each client that uses it`
      : `this token has ${own} of the ${most} processes of server ${alias}; the rest is kept for other tokens`
  return new CountersignError('server_busy', `${why}. ${BUSY_HINT}`, { hint: BUSY_HINT })
}

const BUSY_HINT = 'End sessions that are not needed, or allow more with --mcp-processes.'

function noSession({ most, own }: NoRoom): RpcError {
  const why =
    own === undefined ? `all ${most} sessions are in use` : `this token has ${own} sessions open`
  return new RpcError(RPC.tooMany, `${why}. End sessions that are not needed and try again.`, {
    'countersign/code': 'server_busy',
  })
}
