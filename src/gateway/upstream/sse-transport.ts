import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { CountersignError } from '../../base/errors.ts'
import { createEventReader } from '../protocol/event-stream.ts'
import {
  answeredBy,
  isRequest,
  type Message,
  NoAnswer,
  parseWritten,
  readMessage,
} from '../protocol/message.ts'
import { LONGEST_MESSAGE, type Transport, type TransportEvents } from '../protocol/transport.ts'
import { checkedLookup } from './checked-lookup.ts'
import { mayHaveRun } from './http-transport.ts'
import type { HttpSpec } from './upstream-spec.ts'

// What a server says after it took a message is of no interest; more than this is no politeness.
const LONGEST_RECEIPT = 65_536
const LONGEST_ENDPOINT = 8_192
const MOST_NOISE = 1_000

/**
 * The transport of 2024-11-05: one stream of events from the server, whose first event names the
 * address that takes our messages. Resolves once it did, and rejects where it does not in time.
 * The stream is the session: when it ends, so does the connection.
 */
export function openSse(
  spec: HttpSpec,
  events: TransportEvents,
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal | undefined },
  lookup = checkedLookup(spec),
): Promise<Transport> {
  const { alias, url } = spec
  const { request, Agent } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 256, lookup })
  const opened = Promise.withResolvers<Transport>()
  let endpoint: URL | undefined
  let version: string | undefined
  let closed = false
  let noise = 0

  function stop(): void {
    closed = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    agent.destroy()
  }

  function close(why: string): void {
    if (closed) return
    stop()
    const problem = new CountersignError('server_unreachable', `server ${alias} ${why}`)
    if (endpoint) events.onClose(problem)
    else opened.reject(problem)
  }

  function onEndpoint(data: string): void {
    // Named once: a message must not go where a later event sends it.
    if (endpoint) {
      events.onNoise('named its address a second time')
      return
    }
    const named = endpointOf(data, url)
    if (!named) {
      close('names an address that is not its own')
      return
    }
    endpoint = named
    clearTimeout(timer)
    opened.resolve(transport)
  }

  function onText(text: string): void {
    let value: unknown
    try {
      value = parseWritten(text)
      events.onMessage(readMessage(value))
    } catch {
      const id = answeredBy(value)
      const why = `server ${alias} answered with something that is no answer`
      if (id !== undefined) events.onLost(id, new NoAnswer(why, true))
      if (noise === 0) events.onNoise('answered with something that is no message')
      if (++noise >= MOST_NOISE) close('sends anything but messages')
    }
  }

  function listen(response: IncomingMessage): void {
    const { statusCode: status, headers } = response
    if (status !== 200 || headers['content-type']?.startsWith('text/event-stream') !== true) {
      response.destroy()
      close(`offers no stream of events (status ${status})`)
      return
    }
    const reader = createEventReader(LONGEST_MESSAGE, {
      onEvent({ event, data }) {
        if (closed) return
        if (event === 'endpoint') onEndpoint(data)
        else if (!endpoint) close('says something before it names its address')
        else if (data !== '') onText(data)
      },
      onRetry() {},
    })
    response.on('data', (chunk: Uint8Array) => {
      if (!closed && !reader.push(chunk)) close(`sent more than ${LONGEST_MESSAGE} bytes at once`)
    })
    response.on('error', () => {})
    response.on('close', () => close('ended its stream'))
  }

  async function authorized(): Promise<Record<string, string>> {
    const authorization = await spec.credentials?.header().catch(() => undefined)
    return authorization === undefined ? {} : { authorization }
  }

  function post(to: URL, message: Message, text: string | undefined, signed: object): void {
    if (closed) return
    const id = isRequest(message) ? message.id : undefined
    const lost = (why: string, wasSent: boolean) => {
      if (closed) return
      if (id === undefined) events.onNoise(why)
      else events.onLost(id, new NoAnswer(`server ${alias} ${why}`, wasSent))
    }
    const body = text ?? JSON.stringify(message)
    const sent = request(to, {
      method: 'POST',
      agent,
      headers: {
        ...spec.headers,
        ...signed,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      },
    })
    let isConnected = false
    sent.on('socket', (socket) => {
      const onConnect = () => {
        isConnected = true
      }
      if (!socket.connecting) onConnect()
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnect)
    })
    sent.on('response', (response) => {
      discard(response)
      const { statusCode: status = 0 } = response
      // The answer itself comes with the stream.
      if (status >= 300) lost(`answered with status ${status}`, mayHaveRun(status))
    })
    sent.on('error', ({ message: why }) => lost(`cannot be reached: ${why}`, isConnected))
    sent.end(body)
  }

  const transport: Transport = {
    send(message, text) {
      if (closed || !endpoint) return false
      const to = endpoint
      if (spec.credentials) void authorized().then((signed) => post(to, message, text, signed))
      else post(to, message, text, {})
      return true
    },
    agreed(agreed) {
      version = agreed
    },
    close() {
      stop()
      return Promise.resolve()
    },
  }

  const onAbort = () => close('took too long')
  const timer = setTimeout(() => close('names no address in time'), ms)
  signal?.addEventListener('abort', onAbort, { once: true })
  async function ask(): Promise<void> {
    const asked = request(url, {
      method: 'GET',
      agent,
      headers: { ...spec.headers, ...(await authorized()), accept: 'text/event-stream' },
    })
    asked.on('response', listen)
    asked.on('error', ({ message }) => close(`cannot be reached: ${message}`))
    asked.end()
  }
  void ask()
  return opened.promise
}

/** Where messages go, unless that is another place: they carry credentials of the server alone. */
function endpointOf(data: string, url: URL): URL | undefined {
  if (data.length > LONGEST_ENDPOINT || !URL.canParse(data, url)) return undefined
  const named = new URL(data, url)
  const isOwn = named.origin === url.origin && named.username === '' && named.password === ''
  return isOwn ? named : undefined
}

function discard(response: IncomingMessage): void {
  let length = 0
  response.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    if (length > LONGEST_RECEIPT) response.destroy()
  })
  response.on('error', () => {})
}
