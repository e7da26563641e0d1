import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { CountersignError } from '../../base/errors.ts'
import { modernVersion } from '../protocol/envelope.ts'
import { createEventReader } from '../protocol/event-stream.ts'
import { headerValue } from '../protocol/header-value.ts'
import {
  isRequest,
  type Message,
  NoAnswer,
  type Notification,
  parseWritten,
  type RequestId,
  readMessage,
  textIn,
} from '../protocol/message.ts'
import { LONGEST_MESSAGE, type Transport, type TransportEvents } from '../protocol/transport.ts'
import { checkedLookup } from './checked-lookup.ts'
import { createSignedMessages, type Judged, type Outgoing } from './signed-messages.ts'
import type { HttpSpec } from './upstream-spec.ts'

// A stream that was cut is asked for again, each time a little later.
const RETURN_MS = 1_000
const LONGEST_WAIT = 30_000
const MOST_RETURNS = 10

/** A server behind an address, by streamable HTTP. Redirects are not followed. */
export function connectHttp(
  spec: HttpSpec,
  events: TransportEvents,
  lookup = checkedLookup(spec),
): Transport {
  const { alias, url, credentials } = spec
  const isSecure = url.protocol === 'https:'
  const { request, Agent } = isSecure ? https : http
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 256,
    lookup,
  })
  const where = urlToHttpOptions(url)
  const stopping = new AbortController()
  const open = new Map<RequestId, { destroy(): unknown }>()
  let session: string | undefined
  let version: string | undefined
  /** The server takes messages without a sign-in, and there is none: nothing is looked up for them. */
  let needsNone = false
  const unfollow = credentials?.onChange(() => {
    needsNone = false
  })
  const signed =
    credentials &&
    createSignedMessages(credentials, {
      post,
      isWanted,
      hold: (id) => open.set(id, { destroy() {} }),
      lost: (id, why, status) => lost(id, why, false, status),
      needsNone(is) {
        needsNone = is
      },
    })

  function stop(): void {
    stopping.abort()
    unfollow?.()
    agent.destroy()
  }

  function close(why: string): void {
    if (stopping.signal.aborted) return
    stop()
    events.onClose(new CountersignError('server_unreachable', `server ${alias} ${why}`))
  }

  /** Whether this was the answer to `id`. */
  function receive(text: string, id: RequestId | undefined): boolean {
    try {
      const message = readMessage(parseWritten(text))
      events.onMessage(message, id)
      return id !== undefined && !('method' in message) && message.id === id
    } catch {
      events.onNoise('answered with something that is no message')
      return false
    }
  }

  /** The caller that waits for this request must hear that nothing will come. */
  function lost(id: RequestId, why: string, wasSent: boolean, status?: number): void {
    if (open.delete(id)) events.onLost(id, new NoAnswer(`server ${alias} ${why}`, wasSent, status))
  }

  function read(response: IncomingMessage, id: RequestId | undefined, attempt: number): void {
    const onText = (text: string) => {
      if (receive(text, id) && id !== undefined) open.delete(id)
    }
    readAnswer(response, onText, (ended) => {
      const { status, lastEvent, isTooLong } = ended
      if (!isWanted(id)) return
      const forgot = status === 404 && session !== undefined
      if (isTooLong && id !== undefined) {
        lost(id, `sent more than ${LONGEST_MESSAGE} bytes at once`, true)
      } else if (id === undefined) {
        if (ended.isStream && status === 200) comeBack(undefined, ended, attempt)
      } else if (lastEvent !== undefined && attempt < MOST_RETURNS) comeBack(id, ended, attempt)
      else if (forgot) lost(id, 'has forgotten the session', false)
      else if (status >= 300) {
        lost(id, `answered with status ${status}`, mayHaveRun(status), status)
      } else lost(id, 'ended its answer early', true)
      if (forgot) close('has forgotten the session')
    })
  }

  /** A server may end a stream before it is done, to be asked for the rest of it later. */
  function comeBack(id: RequestId | undefined, { lastEvent, retry }: Ended, attempt: number): void {
    const wait = Math.min(retry ?? RETURN_MS * 2 ** Math.min(attempt, 5), LONGEST_WAIT)
    const timer = setTimeout(() => {
      if (isWanted(id)) void listen(id, lastEvent, attempt + 1)
    }, wait)
    timer.unref()
  }

  function headersFor(
    message: Message | undefined,
    repeated: Readonly<Record<string, string>> = {},
    authorization?: string | undefined,
  ): Record<string, string> {
    const modern = message && isRequest(message) ? modernVersion(message.params) : undefined
    const name = textIn(
      'method' in (message ?? {}) ? (message as { params?: never }).params : undefined,
      'name',
    )
    const uri = textIn(
      'method' in (message ?? {}) ? (message as { params?: never }).params : undefined,
      'uri',
    )
    const named = name ?? uri
    return {
      ...spec.headers,
      ...(authorization === undefined ? {} : { authorization }),
      accept: message ? 'application/json, text/event-stream' : 'text/event-stream',
      ...(message ? { 'content-type': 'application/json' } : {}),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(modern === undefined || !message || !('method' in message)
        ? {}
        : {
            'mcp-protocol-version': modern,
            'mcp-method': message.method,
            ...(named === undefined ? {} : { 'mcp-name': headerValue(named) }),
            ...repeated,
          }),
    }
  }

  function send(
    message: Message,
    text?: string,
    repeated?: Readonly<Record<string, string>>,
  ): boolean {
    if (isCancelling(message)) {
      const id = message.params?.requestId as RequestId
      const sent = open.get(id)
      open.delete(id)
      // In the newer era, and only there, hanging up cancels.
      if (version === undefined) {
        sent?.destroy()
        return true
      }
    }
    // As text it leaves in one piece with the headers.
    const body = text ?? JSON.stringify(message)
    const outgoing = { message, body, repeated, id: isRequest(message) ? message.id : undefined }
    if (!signed) post(outgoing)
    else if (!needsNone) void signed.send(outgoing)
    else post(outgoing, undefined, { onRefused: (refusal) => signed.refused(outgoing, refusal) })
    return true
  }

  function isWanted(id: RequestId | undefined): boolean {
    return !stopping.signal.aborted && (id === undefined || open.has(id))
  }

  function post(
    { message, body, repeated, id }: Outgoing,
    authorization?: string | undefined,
    judged?: Judged,
  ): void {
    const headers = headersFor(message, repeated, authorization)
    // The agent is destroyed when we stop, and with it whatever is on its way.
    const sent = request({
      ...where,
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    let isConnected = false
    sent.on('socket', (socket) => {
      if (!socket.connecting) isConnected = true
      else {
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isConnected = true
        })
      }
    })
    sent.on('response', (response) => {
      const { statusCode: status = 0 } = response
      if (judged && (status === 401 || status === 403)) {
        response.on('error', () => {})
        response.destroy()
        void judged.onRefused({ status, challenge: response.headers['www-authenticate'] })
        return
      }
      if (status < 300) judged?.onTaken?.()
      const given = response.headers['mcp-session-id']
      if (typeof given === 'string') session ??= given
      read(response, id, 0)
    })
    sent.on('error', ({ message: why }) => {
      if (stopping.signal.aborted) return
      if (id === undefined) events.onNoise(`cannot be reached: ${why}`)
      else lost(id, `cannot be reached: ${why}`, isConnected)
    })
    if (id !== undefined) open.set(id, sent)
    sent.end(body)
  }

  async function signature(): Promise<string | undefined> {
    return needsNone ? undefined : credentials?.header().catch(() => undefined)
  }

  /**
   * What the server says of its own accord, or the rest of what it was asked. Servers that have
   * nothing to say refuse this; that is fine.
   */
  async function listen(id?: RequestId, after?: string, attempt = 0): Promise<void> {
    const authorization = await signature()
    if (stopping.signal.aborted) return
    const sent = request(url, {
      method: 'GET',
      agent,
      signal: stopping.signal,
      headers: {
        ...headersFor(undefined, undefined, authorization),
        ...(after === undefined ? {} : { 'last-event-id': after }),
      },
    })
    sent.on('response', (response) => {
      if (response.statusCode === 200) return read(response, id, after === undefined ? 0 : attempt)
      response.resume()
      if (id !== undefined) lost(id, 'ended its answer early', true)
    })
    sent.on('error', () => {
      if (id !== undefined) lost(id, 'ended its answer early', true)
    })
    sent.end()
  }

  return {
    send,
    agreed(agreed) {
      version = agreed
      if (session !== undefined) setImmediate(() => void listen())
    },
    close() {
      if (session !== undefined && !stopping.signal.aborted) void leave()
      stop()
      return Promise.resolve()
    },
  }

  /** Tells the server that the session is over; that it hears of it does not matter. */
  async function leave(): Promise<void> {
    const authorization = await signature()
    // Outlives the other agent; the address is checked as for every request.
    const last = new Agent({ lookup, timeout: 2_000 })
    const sent = request(url, {
      method: 'DELETE',
      agent: last,
      headers: headersFor(undefined, undefined, authorization),
      timeout: 2_000,
    })
    sent.on('response', (response) => response.resume())
    sent.on('error', () => {})
    sent.on('timeout', () => sent.destroy())
    sent.on('close', () => last.destroy())
    sent.end()
  }
}

function isCancelling(message: Message): message is Notification {
  return 'method' in message && message.method === 'notifications/cancelled'
}

/** A refusal was made before anything ran. Whatever else is no answer may stand for anything. */
export function mayHaveRun(status: number): boolean {
  return status < 300 || status >= 500 || status === 408
}

/** How one HTTP answer ended, once it has. */
interface Ended {
  readonly status: number
  readonly isStream: boolean
  readonly isTooLong: boolean
  /** The last event that had a name: from there the server can go on. */
  readonly lastEvent: string | undefined
  /** Milliseconds the server wants us to wait before we come back. */
  readonly retry: number | undefined
}

/** Hands on every message of an answer, be it plain JSON or a stream of events. */
function readAnswer(
  response: IncomingMessage,
  onText: (text: string) => void,
  onEnd: (ended: Ended) => void,
): void {
  const { statusCode: status = 0, headers } = response
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  const isJson = headers['content-type']?.startsWith('application/json') === true
  let isTooLong = false
  let lastEvent: string | undefined
  let retry: number | undefined
  const reader = createEventReader(LONGEST_MESSAGE, {
    onEvent: ({ id, data }) => {
      lastEvent = id ?? lastEvent
      if (data !== '') onText(data)
    },
    onRetry: (ms) => {
      retry = ms
    },
  })
  const chunks: Uint8Array[] = []
  let length = 0
  response.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    isTooLong = isStream ? !reader.push(chunk) : length > LONGEST_MESSAGE
    if (isTooLong) response.destroy()
    else if (isJson) chunks.push(chunk)
  })
  response.on('error', () => {})
  response.on('close', () => {
    if (isJson && response.complete && !isTooLong) onText(Buffer.concat(chunks).toString())
    onEnd({ status, isStream, isTooLong, lastEvent, retry })
  })
}
