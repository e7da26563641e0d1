import type { Json, JsonObject } from '../../base/json/json.ts'
import { OWN_NAMES } from '../builtin-tools.ts'
import { LEGACY_VERSIONS, MODERN_VERSION, modernVersion, SERVER_KEY } from '../protocol/envelope.ts'
import { type Request, textIn, writtenAs } from '../protocol/message.ts'
import type { Answer, Begun, Notify } from '../protocol/peer.ts'
import { type Catalog, createCatalog } from '../upstream/catalog.ts'
import { type Connections, createConnections } from '../upstream/connections.ts'
import { createDeclaredEffects } from '../upstream/declared-effects.ts'
import { createShelf, type Shelf } from '../upstream/prompts-and-resources.ts'
import { createServerLocks } from '../upstream/server-locks.ts'
import { createServerProblems, problemLine } from '../upstream/server-problems.ts'
import {
  createServerRequests,
  isAskable,
  lockedOut,
  unanswerable,
} from '../upstream/server-requests.ts'
import {
  ALL_CAPABILITIES,
  singleCapabilities,
  upstreamCapabilities,
  withTasks,
} from './capabilities.ts'
import { type Client, canShowPages } from './client.ts'
import { type QuickClient, quickCall } from './fast-path.ts'
import { askedByServer } from './question.ts'
import type { SessionEvents, SessionOptions } from './session-options.ts'
import { createSessionTools } from './session-tools.ts'
import { createShelfRequests } from './shelf-requests.ts'

/** Everything one client sees: the servers behind us as one server. */
export interface Session {
  handle(request: Request, client: Client, signal: AbortSignal): Promise<JsonObject>
  /** Throws where a header does not say what an argument says that its tool repeats in it. */
  assertHeaders(
    request: Request,
    client: Pick<Client, 'era' | 'info' | 'capabilities'>,
    headers: Headers,
  ): Promise<void>
  /** Forwards a call that certainly needs no approval; undefined leaves it to `handle`. */
  quick(request: Request, answer: Answer, notify: Notify): Begun | undefined
  /** Goes on with a call that was asked about before; nothing is asked anew. */
  resume(approval: string, client: Client, signal: AbortSignal): Promise<JsonObject>
  /** Whether a server works on a request of the client. */
  readonly isRunning: boolean
  /** The client's own list of roots has changed. */
  rootsChanged(): void
  close(): Promise<void>
}

/** Notifications of servers that are handed on. */
const TOLD = new Set([
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
])

export function createSession(options: SessionOptions, events: SessionEvents): Session {
  const { specs, isSingle, log } = options
  let facts = { info: identityOf({}), capabilities: {} as JsonObject }

  /** Servers are told who is there; without a name some of them would not even say hello. */
  function identityOf(info: JsonObject): JsonObject {
    const isWhole = typeof info.name === 'string' && typeof info.version === 'string'
    return isWhole ? info : { name: 'countersign', version: options.version, ...info }
  }

  const locks = createServerLocks(options)
  let telling = Promise.resolve()
  const connections: Connections = createConnections(
    specs,
    () => facts,
    {
      async onRequest(alias, method, params, signal) {
        if (!isAskable(method)) throw unanswerable(method)
        // As of now: when a call ends meanwhile, the question may be about that one all the same.
        const about = requests.servedBy(alias)
        if (await locks.isLocked(alias)) throw lockedOut(alias)
        const asked = askedByServer(alias, method, params)
        return events.onRequest(method, asked, signal, about)
      },
      onNotification(alias, method, params) {
        if (method === 'notifications/tools/list_changed') {
          catalog.forget(alias)
          void tools.recheck(alias)
          tell(alias, method, {})
        } else if (TOLD.has(method)) {
          shelf.forget()
          if (method.endsWith('/list_changed')) effects.forget()
          tell(alias, method, params)
        }
      },
      onChange(alias) {
        catalog.forget(alias)
        shelf.forget()
        effects.forget()
        if (isServing) events.onNotification('notifications/tools/list_changed', {})
      },
      log,
    },
    options.places,
  )

  /** Says on what a server says, unless it is locked. In the order in which it came. */
  function tell(alias: string, method: string, params: JsonObject): void {
    if (locks.isClear) events.onNotification(method, params)
    else telling = telling.then(() => tellUnlocked(alias, method, params)).catch(() => {})
  }

  async function tellUnlocked(alias: string, method: string, params: JsonObject): Promise<void> {
    if (!(await locks.isLocked(alias))) events.onNotification(method, params)
  }

  const nameOf = (server: string, name: string) => (isSingle ? name : `${server}_${name}`)
  const reserved = OWN_NAMES
  const catalog: Catalog = createCatalog({
    ...options,
    connections,
    nameOf,
    reserved,
    onLate: () => events.onNotification('notifications/tools/list_changed', {}),
  })
  const shelf: Shelf = createShelf(connections, nameOf)
  const effects = createDeclaredEffects(connections)
  const requests = createServerRequests(connections, locks)
  const problems = createServerProblems(options, connections, catalog)
  const tools = createSessionTools(options, { connections, catalog, problems, requests })
  const shelfRequests = createShelfRequests(options, {
    connections,
    shelf,
    requests,
    effects,
  })
  let isServing = false
  let quickly = 0

  function meet({ info, capabilities }: Pick<Client, 'info' | 'capabilities'>): void {
    facts = { info: identityOf(info), capabilities: upstreamCapabilities(capabilities) }
  }

  async function hello(client: Client): Promise<JsonObject> {
    meet(client)
    const live = await connections.greeting()
    isServing = true
    const [only] = live
    const isStarting = specs.some(({ alias }) => connections.isStarting(alias))
    // A client shows its user a server that does not start; one that looks healthy hides it. One that
    // needs long may still come: then the list of tools waits for it, and says what went wrong.
    if (isSingle && !only && !isStarting) throw problems.broken()
    const told = live.flatMap(({ instructions: text }) => text ?? [])
    const waiting = isSingle && only ? [] : problems.list().map(problemLine)
    const instructions = [...told, ...waiting].join('\n\n')
    return {
      capabilities: isSingle && only ? singleCapabilities(only.capabilities) : ALL_CAPABILITIES,
      serverInfo: isSingle && only ? only.info : { name: 'countersign', version: options.version },
      ...(instructions === '' ? {} : { instructions }),
    }
  }

  /** In the newer era there need be no hello: every request says who it is from. */
  function welcome(client: Pick<Client, 'era' | 'info' | 'capabilities'>): void {
    if (client.era !== 'modern' || isServing) return
    meet(client)
    isServing = true
  }

  async function handle(
    request: Request,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { method, params = {} } = request
    welcome(client)
    switch (method) {
      case 'ping':
        return {}
      case 'initialize': {
        const wanted = textIn(params, 'protocolVersion')
        const known = LEGACY_VERSIONS.find((version) => version === wanted) ?? LEGACY_VERSIONS[0]
        return { protocolVersion: known, ...(await hello(client)) }
      }
      case 'server/discover': {
        const { serverInfo = {}, capabilities, ...rest } = await hello(client)
        return {
          supportedVersions: [MODERN_VERSION],
          ...rest,
          capabilities: withTasks(capabilities as JsonObject),
          _meta: { [SERVER_KEY]: serverInfo as Json },
        }
      }
      case 'tools/list':
        return tools.list()
      case 'tools/call':
        return quickModern(request, client, signal) ?? tools.call(params, client, signal)
      default:
        return shelfRequests.handle(method, params, client, signal)
    }
  }

  const quickCalls = { ...options, known: catalog.known, live: connections.now }

  function quick(request: Request, answer: Answer, client: QuickClient): Begun | undefined {
    quickly++
    const ended: Answer = (end, text) => {
      quickly--
      answer(end, text)
    }
    const begun = quickCall(quickCalls, request, ended, client)
    if (!begun) quickly--
    return begun
  }

  /** In the newer era the answer may be a question of the server, which goes to this client. */
  function quickModern(
    request: Request,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> | undefined {
    if (client.era !== 'modern' || signal.aborted) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
    const stop = () => begun?.stop('cancelled')
    const begun = quick(
      request,
      (end) => {
        signal.removeEventListener('abort', stop)
        if (end instanceof Error) reject(end)
        else resolve(writtenAs(end))
      },
      { notify: client.notify, serve: (server) => requests.serve(server, client) },
    )
    if (begun) signal.addEventListener('abort', stop, { once: true })
    return begun && promise
  }

  /** Loaded for the clients that can show them. */
  async function handleWithPages(request: Request, client: Client, signal: AbortSignal) {
    const { withApprovalApp } = await import('../app/approval-app.ts')
    return withApprovalApp(options, handle)(request, client, signal)
  }

  return {
    handle: (request, client, signal) =>
      (canShowPages(client) ? handleWithPages : handle)(request, client, signal),
    resume(approval, client, signal) {
      welcome(client)
      return tools.resume(approval, client, signal)
    },
    async assertHeaders({ method, params = {} }, client, headers) {
      if (method !== 'tools/call') return
      welcome(client)
      await tools.assertHeaders(params, headers)
    },
    get isRunning() {
      return quickly > 0 || requests.isRunning
    },
    quick: (request, answer, notify) =>
      // Those of the newer era are answered in its own form.
      modernVersion(request.params) === undefined ? quick(request, answer, { notify }) : undefined,
    rootsChanged() {
      for (const upstream of connections.live()) upstream.notify('notifications/roots/list_changed')
    },
    close: () => connections.close(),
  }
}
