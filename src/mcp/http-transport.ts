import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { CountersignError } from '../base/errors.ts'
import { checkedLookup } from './checked-lookup.ts'
import { modernVersion } from './envelope.ts'
import { createEventReader } from './event-stream.ts'
import { isRequest, type Message, type RequestId, readMessage, textIn } from './message.ts'
import { LONGEST_MESSAGE, type Transport, type TransportEvents } from './transport.ts'
import type { HttpSpec } from './upstream-spec.ts'

/** A server behind an address, by streamable HTTP. Redirects are not followed. */
export function connectHttp(spec: HttpSpec, events: TransportEvents): Transport {
  const { alias, url } = spec
  const { request, Agent } = url.protocol === 'https:' ? https : http
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 256,
    lookup: checkedLookup(spec),
  })
  const where = urlToHttpOptions(url)
  const stopping = new AbortController()
  let session: string | undefined
  let version: string | undefined

  function close(why: string): void {
    if (stopping.signal.aborted) return
    stopping.abort()
    agent.destroy()
    events.onClose(new CountersignError('server_unreachable', `server ${alias} ${why}`))
  }

  function receive(text: string): void {
    try {
      events.onMessage(readMessage(JSON.parse(text)))
    } catch {
      events.onNoise('answered with something that is no message')
    }
  }

  /** Whoever waits for this request must hear that nothing will come. */
  function lost(id: RequestId | undefined, why: string): void {
    if (stopping.signal.aborted) return
    if (id === undefined) events.onNoise(why)
    else
      events.onMessage({
        jsonrpc: '2.0',
        id,
        error: { code: -32_000, message: `server ${alias} ${why}` },
      })
  }

  function read(response: IncomingMessage, id: RequestId | undefined): void {
    const { statusCode = 0, headers } = response
    const type = headers['content-type'] ?? ''
    let answered = false
    const onData = (text: string) => {
      receive(text)
      answered = true
    }
    if (type.startsWith('text/event-stream')) {
      const reader = createEventReader(LONGEST_MESSAGE, onData)
      response.on('data', (chunk: Uint8Array) => {
        if (reader.push(chunk)) return
        response.destroy()
        lost(id, `sent more than ${LONGEST_MESSAGE} bytes at once`)
      })
      response.on('close', () => lost(answered ? undefined : id, 'ended its answer early'))
      response.on('error', () => {})
      return
    }
    const chunks: Uint8Array[] = []
    let length = 0
    response.on('data', (chunk: Uint8Array) => {
      length += chunk.length
      if (length <= LONGEST_MESSAGE) chunks.push(chunk)
      else response.destroy()
    })
    response.on('error', () => {})
    response.on('close', () => {
      if (length > LONGEST_MESSAGE) lost(id, `sent more than ${LONGEST_MESSAGE} bytes at once`)
      else if (!response.complete) lost(id, 'ended its answer early')
      else if (type.startsWith('application/json')) onData(Buffer.concat(chunks).toString())
      else if (statusCode === 404 && session !== undefined) close('has forgotten the session')
      else if (id !== undefined) lost(id, `answered with status ${statusCode}`)
    })
  }

  function headersFor(message: Message | undefined): Record<string, string> {
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
      accept: message ? 'application/json, text/event-stream' : 'text/event-stream',
      ...(message ? { 'content-type': 'application/json' } : {}),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(modern === undefined || !message || !('method' in message)
        ? {}
        : {
            'mcp-protocol-version': modern,
            'mcp-method': message.method,
            ...(named === undefined ? {} : { 'mcp-name': headerText(named) }),
          }),
    }
  }

  function send(message: Message): void {
    const id = isRequest(message) ? message.id : undefined
    const body = Buffer.from(JSON.stringify(message))
    // The agent is destroyed when we stop, and with it whatever is on its way.
    const sent = request({
      ...where,
      method: 'POST',
      agent,
      headers: { ...headersFor(message), 'content-length': body.length },
    })
    sent.on('response', (response) => {
      const given = response.headers['mcp-session-id']
      if (typeof given === 'string') session ??= given
      read(response, id)
    })
    sent.on('error', ({ message: why }) => lost(id, `cannot be reached: ${why}`))
    sent.end(body)
  }

  /** What the server says of its own accord. Servers that say nothing refuse this; that is fine. */
  function listen(): void {
    const sent = request(url, {
      method: 'GET',
      agent,
      signal: stopping.signal,
      headers: headersFor(undefined),
    })
    sent.on('response', (response) => {
      if (response.statusCode === 200) read(response, undefined)
      else response.resume()
    })
    sent.on('error', () => {})
    sent.end()
  }

  return {
    send,
    agreed(agreed) {
      version = agreed
      if (session !== undefined) setImmediate(listen)
    },
    close() {
      if (session !== undefined && !stopping.signal.aborted) {
        const sent = request(url, {
          method: 'DELETE',
          agent: false,
          headers: headersFor(undefined),
          timeout: 2_000,
        })
        sent.on('response', (response) => response.resume())
        sent.on('error', () => {})
        sent.end()
      }
      stopping.abort()
      agent.destroy()
      return Promise.resolve()
    },
  }
}

/** Names that do not fit into a header travel as base64, marked as such. */
function headerText(text: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
