import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { type Shown, secretHider } from '../downstream/secrets.ts'
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  VERSION_KEY,
} from '../protocol/envelope.ts'
import { changed, NoAnswer, objectIn, RpcError, textIn } from '../protocol/message.ts'
import { createPeer, type Peer, type RequestOptions } from '../protocol/peer.ts'
import type { Transport, TransportEvents } from '../protocol/transport.ts'
import { startChild } from './child-transport.ts'
import { connectHosted } from './hosted-server.ts'
import { connectHttp } from './http-transport.ts'
import { openSse } from './sse-transport.ts'
import { hiddenOf, type UpstreamSpec } from './upstream-spec.ts'

/** What we say about the client we speak for. */
export interface ClientFacts {
  readonly info: JsonObject
  readonly capabilities: JsonObject
}

export interface UpstreamEvents {
  /** The server asks the client something: to elicit, to sample, for roots. */
  onRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
  onNotification(method: string, params: JsonObject): void
  onClose(why: Error): void
  onNoise(what: string): void
}

/** One live connection to one server. Both eras look the same from here. */
export interface Upstream {
  readonly spec: UpstreamSpec
  readonly info: JsonObject
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  readonly version: string
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
  /** As `Peer.begin`; absent where one request may take several. */
  readonly begin?: Peer['begin']
  notify(method: string, params?: JsonObject): void
  /** A result of this server as others may see it. */
  shown(result: JsonObject): Shown
  close(): Promise<void>
}

const STARTS = { stdio: startChild, http: connectHttp, hosted: connectHosted }
const START_MS = 60_000
const PROBE_MS = 10_000
const MOST_ROUNDS = 50

/** Connects and shakes hands; throws `server_unreachable` otherwise. */
export async function connectUpstream(
  spec: UpstreamSpec,
  client: ClientFacts,
  events: UpstreamEvents,
  signal?: AbortSignal | undefined,
): Promise<Upstream> {
  const tooLate = () =>
    new CountersignError('server_unreachable', `server ${spec.alias} took too long`)
  // What has ended already tells nothing more: nothing would end what is started now.
  if (signal?.aborted) throw tooLate()
  const peer = createPeer({
    send: (message, _, text, headers) => transport.send(message, text, headers),
    onRequest: ({ method, params = {} }, signal) =>
      method === 'ping' ? Promise.resolve({}) : events.onRequest(method, params, signal),
    onNotification: ({ method, params = {} }) => events.onNotification(method, params),
  })
  const heard: TransportEvents = {
    onMessage: peer.receive,
    onLost: peer.lose,
    onClose(why) {
      peer.close(why)
      events.onClose(why)
    },
    onNoise: events.onNoise,
  }
  // The kind was looked at just now.
  let transport: Transport = STARTS[spec.kind](spec as never, heard)

  signal?.addEventListener('abort', () => {
    peer.close(tooLate())
    void transport.close()
  })

  const initialize = () =>
    peer.request(
      'initialize',
      {
        protocolVersion: LEGACY_VERSIONS[0],
        capabilities: client.capabilities,
        clientInfo: client.info,
      },
      { timeout: START_MS },
    )

  /** Servers of the transport before streamable HTTP refuse to be posted to. */
  async function initializeBySse(refused: unknown): Promise<JsonObject> {
    if (spec.kind !== 'http' || !mayBeSse(refused)) throw refused
    const older = await openSse(spec, heard, { ms: PROBE_MS, signal }).catch((error: Error) => {
      throw new NoAnswer(`${refused.message}, and ${error.message}`, false)
    })
    void transport.close()
    transport = older
    return initialize()
  }

  async function handshake(): Promise<Facts> {
    try {
      const hello = await initialize().catch(initializeBySse)
      const version = textIn(hello, 'protocolVersion') ?? ''
      if (!LEGACY_VERSIONS.some((known) => known === version)) {
        throw new RpcError(-32_022, `speaks protocol ${JSON.stringify(version)}`)
      }
      transport.agreed(version)
      peer.notify('notifications/initialized')
      return { ...factsOf(hello, objectIn(hello, 'serverInfo')), version }
    } catch (error) {
      // A server of the newer era alone knows no `initialize`.
      if (!(error instanceof RpcError)) throw error
      const found = await peer
        .request('server/discover', { _meta: envelope }, { timeout: PROBE_MS })
        .catch(() => undefined)
      if (!found) throw error
      const info = objectIn(objectIn(found, '_meta'), 'io.modelcontextprotocol/serverInfo')
      return { ...factsOf(found, info), version: MODERN_VERSION }
    }
  }

  const envelope: JsonObject = {
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_KEY]: client.info,
    [CAPABILITIES_KEY]: client.capabilities,
  }

  let facts: Facts
  try {
    facts = await handshake()
  } catch (cause) {
    await transport.close()
    const why = cause instanceof Error ? cause.message : 'unknown'
    if (cause instanceof NoAnswer && cause.status === 401) {
      throw new CountersignError('server_sign_in', why, { cause })
    }
    throw new CountersignError('server_unreachable', `server ${spec.alias} did not start: ${why}`, {
      hint: 'Start it by hand once to see what is wrong; its name and address come from the policy file.',
      cause,
    })
  }

  async function modern(method: string, params: JsonObject, options: RequestOptions) {
    let sent: JsonObject = { ...params, _meta: { ...objectIn(params, '_meta'), ...envelope } }
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const result = await peer
        .request(method, sent, options)
        // An earlier round was heard, whatever became of this one.
        .catch((error: unknown) => {
          throw error instanceof NoAnswer && round > 0 ? new NoAnswer(error.message, true) : error
        })
      if (result.resultType === 'task') {
        throw new NoAnswer(`server ${spec.alias} answered with a task, which was not offered`, true)
      }
      if (result.resultType !== 'input_required') {
        return changed(result, ({ resultType: _, ...rest }) => rest)
      }
      sent = { ...sent, ...(await answered(result, options)) }
    }
    throw new RpcError(-32_000, `server ${spec.alias} asks without end`)
  }

  /** What the server wants to know before it goes on, asked of the client. */
  async function answered(result: JsonObject, { signal, onAsk }: RequestOptions) {
    const ask = onAsk ?? events.onRequest
    const stop = signal ?? new AbortController().signal
    const asked = Object.entries(objectIn(result, 'inputRequests') ?? {})
    const answers = await Promise.all(
      asked.map(async ([key, one]): Promise<[string, Json]> => {
        const question = isPlainObject(one) ? (one as JsonObject) : {}
        const { method } = question
        if (typeof method !== 'string') throw new RpcError(-32_000, 'a question without a method')
        return [key, await ask(method, objectIn(question, 'params') ?? {}, stop, key)]
      }),
    )
    const { requestState } = result
    return {
      ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    }
  }

  /** Tokens change while a connection lives. */
  const shownNow = (result: JsonObject) => secretHider(hiddenOf(spec))(result)

  const isModern = facts.version === MODERN_VERSION
  if (isModern) {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    }
    // Lives as long as the connection; a server that cannot do it says nothing later on.
    void peer.request('subscriptions/listen', { notifications, _meta: envelope }).catch(() => {})
  }
  return {
    spec,
    ...facts,
    request: (method, params, options = {}) =>
      isModern ? modern(method, params, options) : peer.request(method, params, options),
    ...(isModern ? {} : { begin: peer.begin }),
    notify: peer.notify,
    shown: spec.kind === 'http' && spec.credentials ? shownNow : secretHider(spec.secrets),
    async close() {
      peer.close(new CountersignError('server_unreachable', `server ${spec.alias} was closed`))
      await transport.close()
    },
  }
}

/** Who we are and how often we come is not what such a server finds wrong. */
const NOT_ABOUT_TRANSPORT = new Set([401, 403, 407, 408, 429])

function mayBeSse(error: unknown): error is NoAnswer {
  const status = error instanceof NoAnswer ? (error.status ?? 0) : 0
  return status >= 400 && status < 500 && !NOT_ABOUT_TRANSPORT.has(status)
}

type Facts = Pick<Upstream, 'info' | 'capabilities' | 'instructions' | 'version'>

function factsOf(hello: JsonObject, info: JsonObject | undefined) {
  return {
    info: info ?? {},
    capabilities: objectIn(hello, 'capabilities') ?? {},
    instructions: textIn(hello, 'instructions'),
  }
}

const MOST_PAGES = 100
const MOST_ITEMS = 10_000
const LIST_MS = 30_000

/** Everything a server lists, page after page, within bounds. */
export async function listAll(
  upstream: Upstream,
  method: string,
  key: string,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES && items.length < MOST_ITEMS; page++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor }
    const ask = () => upstream.request(method, params, { timeout: LIST_MS })
    // A connection that lay idle may have been cut; asking for a list twice does no harm.
    const result = await ask().catch((error: unknown) => {
      if (error instanceof NoAnswer) return ask()
      throw error
    })
    const found = Array.isArray(result[key]) ? result[key] : []
    items.push(...found.filter((item): item is JsonObject => isPlainObject(item)))
    if (typeof result.nextCursor !== 'string') break
    cursor = result.nextCursor
  }
  return items.slice(0, MOST_ITEMS)
}
