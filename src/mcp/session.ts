import { isCountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { maskText } from '../base/mask.ts'
import type { Risk } from '../base/risk.ts'
import { escapeUnseen } from '../base/unseen.ts'
import type { AccessKind } from '../gate/access.ts'
import type { Store } from '../store/store.ts'
import { textResult } from './call-result.ts'
import { type Catalog, createCatalog, type ListedTool } from './catalog.ts'
import type { Client } from './client.ts'
import { type Connections, createConnections } from './connections.ts'
import { LEGACY_VERSIONS, MODERN_VERSION, passedOn, SERVER_KEY } from './envelope.ts'
import { writtenAs } from './exact-numbers.ts'
import { NoAnswer, objectIn, type Request, RPC, RpcError, textIn } from './message.ts'
import { callOwnTool, OWN_NAMES, OWN_TOOLS } from './own-tools.ts'
import type { Answer, Ask, Begun } from './peer.ts'
import type { Pins } from './pins.ts'
import type { Places } from './places.ts'
import { GATE_CAPABILITY } from './proof.ts'
import { askedByServer } from './question.ts'
import { quickCall } from './quick-call.ts'
import { createShelf, type Shelf } from './shelf.ts'
import { type Confirmed, callTool, type ToolCalls } from './tool-call.ts'
import type { UpstreamSpec } from './upstream-spec.ts'

export interface SessionOptions
  extends Omit<ToolCalls, 'request' | 'watch' | 'gateOf' | 'confirm'> {
  readonly store: Store
  /** The name approvals of this client are kept under. */
  readonly agent: string
  /** The person it works for. */
  readonly principal?: string | undefined
  /** What its calls belong to. */
  readonly run: string
  readonly specs: readonly UpstreamSpec[]
  /** One server, whose names stay as they are. */
  readonly isSingle: boolean
  readonly pins: Pins
  /** The operator's word on how risky a tool is. */
  readonly saidRisk?: (server: string, tool: string) => Risk | undefined
  /** Whether the policy leaves this tool to be called at all; others are not listed. */
  readonly isOffered?: (server: string, tool: string) => boolean
  readonly version: string
  /** Room for processes, where several sessions share it. */
  readonly places?: Places | undefined
}

/** What reaches the client without being an answer. */
export interface SessionEvents {
  /** A server asks the client something while a call runs, or out of the blue. */
  onRequest(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    /** Whoever the server works for just now; undefined where there are several, or nobody. */
    about: Client | undefined,
  ): Promise<JsonObject>
  onNotification(method: string, params: JsonObject): void
}

/** Everything one client sees: the servers behind us as one server. */
export interface Session {
  handle(request: Request, client: Client, signal: AbortSignal): Promise<JsonObject>
  /** Sends on what certainly needs nobody; undefined leaves it to `handle`. */
  quick(request: Request, answer: Answer): Begun | undefined
  /** The client's own list of roots has changed. */
  rootsChanged(): void
  close(): Promise<void>
}

/** Requests that servers may make of clients. */
const ASKABLE = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
/** Notifications of servers that are handed on. */
const TOLD = new Set([
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
])

export function createSession(options: SessionOptions, events: SessionEvents): Session {
  const { specs, isSingle, log, store, agent, principal, run } = options
  let facts = { info: identityOf({}), capabilities: {} as JsonObject }

  /** Servers are told who is there; without a name some of them would not even say hello. */
  function identityOf(info: JsonObject): JsonObject {
    const isWhole = typeof info.name === 'string' && typeof info.version === 'string'
    return isWhole ? info : { name: 'countersign', version: options.version, ...info }
  }

  const connections: Connections = createConnections(
    specs,
    () => facts,
    {
      onRequest(alias, method, params, signal) {
        if (!ASKABLE.has(method)) return Promise.reject(unanswerable(method))
        const [about, ...others] = servedBy.get(alias) ?? []
        const asked = askedByServer(alias, method, params)
        return events.onRequest(method, asked, signal, others.length === 0 ? about : undefined)
      },
      onNotification(alias, method, params) {
        if (method === 'notifications/tools/list_changed') {
          catalog.forget(alias)
          void recheck(alias)
          events.onNotification(method, {})
        } else if (TOLD.has(method)) {
          shelf.forget()
          events.onNotification(method, params)
        }
      },
      onChange(alias) {
        catalog.forget(alias)
        shelf.forget()
        if (isServing) events.onNotification('notifications/tools/list_changed', {})
      },
      log,
    },
    options.places,
  )
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
  const watched = new Map<string, ListedTool>()
  /** Whose requests each server has before it. */
  const servedBy = new Map<string, Set<Client>>()
  let isServing = false

  function gateOf(server: string): JsonObject | undefined {
    const upstream = connections.live().find(({ spec }) => spec.alias === server)
    return objectIn(objectIn(upstream?.capabilities, 'experimental'), GATE_CAPABILITY)
  }

  async function request(
    server: string,
    method: string,
    params: JsonObject,
    { on, ...how }: Parameters<ToolCalls['request']>[3],
    client: Client,
  ): Promise<JsonObject> {
    const upstream = await connections.get(server)
    if (!upstream) {
      const why = connections.problem(server) ?? `server ${server} cannot be reached`
      throw new NoAnswer(why, false)
    }
    if (on && on.connection !== upstream) {
      throw new NoAnswer(`server ${server} did not say again what its tools do`, false)
    }
    const onAsk: Ask = (asked, about, signal) =>
      ASKABLE.has(asked)
        ? client.ask(asked, askedByServer(server, asked, about), signal)
        : Promise.reject(unanswerable(asked))
    const clients = servedBy.get(server) ?? new Set()
    servedBy.set(server, clients.add(client))
    try {
      const result = await upstream.request(method, params, { ...how, onAsk })
      return upstream.spec.secrets.length === 0 ? result : upstream.shown(result).result
    } finally {
      clients.delete(client)
    }
  }

  async function confirm({ server, name, definition }: ListedTool): Promise<Confirmed> {
    const connection = await connections.get(server)
    // Without an answer nothing is sent, so that a yes is not spent on what nobody has seen.
    if (!connection) return { definition, connection }
    try {
      return { definition: (await catalog.again(connection, name))?.definition, connection }
    } catch (error) {
      log(
        `the tools of ${server} could not be listed: ${error instanceof Error ? error.message : ''}`,
      )
      return { definition, connection: undefined }
    }
  }

  /** A yes to what a tool said before is no yes to what it says now. */
  async function recheck(alias: string): Promise<void> {
    const open = [...watched].filter(([, tool]) => tool.server === alias)
    if (open.length === 0) return
    const now = new Map((await catalog.tools()).map((tool) => [tool.name, tool]))
    for (const [id, { name }] of open) {
      const tool = now.get(name)
      if (tool && tool.held === undefined) continue
      await options.gate.approvals.invalidate(id, { reason: 'tool' }).catch(() => {})
    }
  }

  function meet({ info, capabilities }: Client): void {
    facts = { info: identityOf(info), capabilities: upstreamCapabilities(capabilities) }
  }

  async function hello(client: Client): Promise<JsonObject> {
    meet(client)
    const live = await connections.ready()
    isServing = true
    const [only] = live
    // A client shows its user a server that does not start; one that looks healthy hides it.
    if (isSingle && !only) throw broken()
    const told = live.flatMap(({ instructions: text }) => text ?? [])
    const instructions = [...told, ...(isSingle ? [] : problems().map(problemLine))].join('\n\n')
    return {
      capabilities: isSingle && only ? singleCapabilities(only.capabilities) : ALL_CAPABILITIES,
      serverInfo: isSingle && only ? only.info : { name: 'countersign', version: options.version },
      ...(instructions === '' ? {} : { instructions }),
    }
  }

  /** What keeps servers from being used, by alias. */
  function problems(): [alias: string, why: string][] {
    return specs.flatMap(({ alias, secrets }): [string, string][] => {
      const why = connections.problem(alias) ?? catalog.problem(alias)?.message
      if (why === undefined) return []
      return [[alias, secrets.reduce((text, one) => text.replaceAll(one, '[secret]'), why)]]
    })
  }

  function broken(): RpcError {
    return new RpcError(
      RPC.internal,
      problems()
        .map(([, why]) => why)
        .join('; '),
    )
  }

  async function listTools(): Promise<JsonObject> {
    const tools = (await catalog.tools()).filter(
      ({ held, server, tool }) => held === undefined && options.isOffered?.(server, tool) !== false,
    )
    const listed = [...tools.map((tool) => tool.listed), ...OWN_TOOLS]
    const found = problems()
    if (found.length === 0) return { tools: listed }
    if (isSingle) {
      const why = found.flatMap(([alias]) => catalog.problem(alias) ?? [])[0]
      throw why instanceof RpcError && !(why instanceof NoAnswer) ? why : broken()
    }
    // Some may still come; where none will, an empty list would look like there is nothing.
    if (found.length === specs.length && !specs.some(({ alias }) => isComing(alias))) throw broken()
    return { tools: listed, _meta: { 'countersign/problems': Object.fromEntries(found) } }
  }

  function isComing(alias: string): boolean {
    return connections.isStarting(alias) || catalog.isListing(alias)
  }

  function serverStatus(): JsonObject {
    const found = problems()
    const live = connections.live().filter(({ spec }) => !found.some(([one]) => one === spec.alias))
    const lines = [
      ...live.map(({ spec }) => `Server ${spec.alias} is connected.`),
      ...found.map(problemLine),
    ]
    return textResult(lines.join('\n'), false)
  }

  /** Waits for the server of this tool alone, where it is not there yet. */
  async function findTool(name: string): Promise<ListedTool | undefined> {
    const tool = await catalog.find(name)
    if (tool || isSingle) return tool
    const own = specs.filter(({ alias }) => name.startsWith(`${alias}_`) && isComing(alias))
    await Promise.all(own.map(({ alias }) => connections.get(alias)))
    return own.length === 0 ? undefined : catalog.find(name)
  }

  /** One of a server that is away cannot be known; then that is what to say. */
  function unknownTool(name: string): RpcError {
    const away = specs
      .filter(({ alias }) => isSingle || name.startsWith(`${alias}_`))
      .map(({ alias }) => alias)
    const why = problems().flatMap(([alias, text]) => (away.includes(alias) ? [text] : []))
    return new RpcError(RPC.invalidParams, [`Unknown tool: ${name}`, ...why].join('; '))
  }

  async function toolCall(params: JsonObject, client: Client, signal: AbortSignal) {
    const name = textIn(params, 'name') ?? ''
    const args = params.arguments === undefined ? {} : objectIn(params, 'arguments')
    if (!args) throw new RpcError(RPC.invalidParams, 'arguments is not an object')
    if (name === 'countersign_status' && args.id === undefined) return serverStatus()
    if (OWN_NAMES.includes(name))
      return callOwnTool({ store, agent, principal, run }, name, args, signal)
    const tool = await findTool(name)
    if (!tool) throw unknownTool(name)
    const calls: ToolCalls = {
      ...options,
      request,
      gateOf,
      confirm,
      watch({ id }, about) {
        watched.set(id, about)
        return () => watched.delete(id)
      },
    }
    return callTool(calls, tool, { args, meta: objectIn(params, '_meta') }, client, signal)
  }

  /** Nothing runs here, so nobody is asked; but locks and rules hold, and it is written down. */
  async function admit(server: string, kind: AccessKind, method: string, name: string) {
    const said = (what: string) => log(`${server} ${method} ${shortened(name)} ${what}`)
    try {
      await options.gate.admit({ server, kind, method, name })
    } catch (error) {
      const code = isCountersignError(error) ? error.code : 'internal'
      const why = isCountersignError(error) ? error.message : 'locks and rules could not be read'
      said(code)
      throw new RpcError(RPC.refused, `${method} was refused (${code}): ${why}`, {
        'countersign/code': code,
      })
    }
    said('allowed')
  }

  /** To one server, with what is known of this method and nothing else. */
  async function passOn(
    server: string,
    method: string,
    params: JsonObject,
    client: Client,
    signal: AbortSignal,
  ) {
    const meta = objectIn(params, '_meta')
    const token = meta?.progressToken
    const kept = passedOn(meta)
    const { _meta: _, ...rest } = params
    const result = await request(
      server,
      method,
      { ...rest, ...(kept ? { _meta: kept } : {}) },
      {
        signal,
        timeout: 300_000,
        ...(token === undefined
          ? {}
          : {
              onProgress: (told) =>
                client.notify('notifications/progress', { ...told, progressToken: token }),
            }),
      },
      client,
    )
    return writtenAs(result)
  }

  async function handle(
    { method, params = {} }: Request,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    // In the newer era there need be no hello: every request says who it is from.
    if (client.era === 'modern' && !isServing) {
      meet(client)
      isServing = true
    }
    switch (method) {
      case 'ping':
        return {}
      case 'initialize': {
        const wanted = textIn(params, 'protocolVersion')
        const known = LEGACY_VERSIONS.find((version) => version === wanted) ?? LEGACY_VERSIONS[0]
        return { protocolVersion: known, ...(await hello(client)) }
      }
      case 'server/discover': {
        const { serverInfo = {}, ...rest } = await hello(client)
        return {
          supportedVersions: [MODERN_VERSION],
          ...rest,
          _meta: { [SERVER_KEY]: serverInfo as Json },
        }
      }
      case 'tools/list':
        return listTools()
      case 'tools/call':
        return toolCall(params, client, signal)
      case 'prompts/list':
        return { prompts: await shelf.prompts() }
      case 'resources/list':
        return { resources: await shelf.resources() }
      case 'resources/templates/list':
        return { resourceTemplates: await shelf.templates() }
      case 'prompts/get': {
        const prompt = await shelf.findPrompt(textIn(params, 'name') ?? '')
        if (!prompt) throw new RpcError(RPC.invalidParams, 'there is no such prompt')
        const { name: _, ...rest } = only(params, ['name', 'arguments', '_meta'])
        await admit(prompt.server, 'prompts', method, prompt.name)
        return passOn(prompt.server, method, { name: prompt.name, ...rest }, client, signal)
      }
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe': {
        const uri = textIn(params, 'uri') ?? ''
        const server = await shelf.serverOf(uri)
        if (server === undefined) throw new RpcError(RPC.invalidParams, 'there is no such resource')
        await admit(server, 'resources', method, uri)
        return passOn(server, method, only(params, ['uri', '_meta']), client, signal)
      }
      case 'completion/complete':
        return complete(params, client, signal)
      case 'logging/setLevel': {
        const level = only(params, ['level'])
        if (!LOG_LEVELS.has(textIn(params, 'level') ?? '')) {
          throw new RpcError(RPC.invalidParams, 'there is no such level')
        }
        const logging = connections.live().filter(({ capabilities }) => 'logging' in capabilities)
        for (const { spec } of logging) await admit(spec.alias, 'other', method, '')
        await Promise.all(
          logging.map(({ spec: { alias } }) => passOn(alias, method, level, client, signal)),
        )
        return {}
      }
      default:
        throw new RpcError(RPC.methodNotFound, `${method} is not served here`)
    }
  }

  /** Of a prompt or a resource that is there: whatever else is named is not passed on. */
  async function complete(params: JsonObject, client: Client, signal: AbortSignal) {
    const method = 'completion/complete'
    const ref = objectIn(params, 'ref')
    const sent = only(params, ['argument', 'context', '_meta'])
    if (ref?.type === 'ref/prompt') {
      const prompt = await shelf.findPrompt(textIn(ref, 'name') ?? '')
      if (!prompt) throw new RpcError(RPC.invalidParams, 'there is no such prompt')
      await admit(prompt.server, 'prompts', method, prompt.name)
      const named = { ...sent, ref: { ...only(ref, ['type', 'title']), name: prompt.name } }
      return passOn(prompt.server, method, named, client, signal)
    }
    const uri = ref?.type === 'ref/resource' ? textIn(ref, 'uri') : undefined
    const server = uri === undefined ? undefined : await shelf.serverOf(uri)
    if (uri === undefined || server === undefined) {
      throw new RpcError(RPC.invalidParams, 'there is nothing to complete')
    }
    await admit(server, 'resources', method, uri)
    return passOn(server, method, { ...sent, ref: { type: 'ref/resource', uri } }, client, signal)
  }

  const quick = { ...options, known: catalog.known, live: connections.now }

  return {
    handle,
    quick: (request, answer) => quickCall(quick, request, answer),
    rootsChanged() {
      for (const upstream of connections.live()) upstream.notify('notifications/roots/list_changed')
    },
    close: () => connections.close(),
  }
}

/** For models as well: what a server wrote is quoted. */
function problemLine([alias, why]: readonly [string, string]): string {
  return `Server ${alias} cannot be used now: ${shortened(why)}.`
}

function unanswerable(method: string): RpcError {
  return new RpcError(RPC.methodNotFound, `${method} is not answered here`)
}

/** Any other text would be a message to the server. */
const LOG_LEVELS: ReadonlySet<string> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
])

const LONGEST_NAME = 200

/** For one line of the log: addresses may be long, hold secrets or steer a terminal. */
function shortened(name: string): string {
  const shown = escapeUnseen(JSON.stringify(maskText(name)))
  return shown.length > LONGEST_NAME ? `${shown.slice(0, LONGEST_NAME)}…` : shown
}

const ALL_CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** Tasks are calls under another name and would go round the gate, so they are not offered. */
function singleCapabilities({ tasks: _, ...capabilities }: JsonObject): JsonObject {
  return { ...capabilities, tools: { listChanged: true } }
}

function upstreamCapabilities({ tasks: _, ...capabilities }: JsonObject): JsonObject {
  return capabilities
}

function only(params: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(params, key) ? [[key, params[key] as Json]] : [])),
  )
}
