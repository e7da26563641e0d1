import { onTestFinished } from 'vitest'
import type { Gateway } from './http-gateway.ts'

/** One session at `/mcp`, request by request: an SDK would open streams and retry of its own. */
export interface WireSession {
  readonly id: string
  post(method: string, params?: object): Promise<Response>
  /** The text of the result, or the message of the error. */
  call(name: string, args?: object): Promise<string>
  /** A stream of what is said without being asked. */
  listen(): Promise<Response>
}

type Headers = Readonly<Record<string, string>>

export async function wireSession(
  { url }: Pick<Gateway, 'url'>,
  headers: Headers,
): Promise<WireSession> {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  let last = 0
  const send = (more: Headers, method: string, params: object = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...json, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params }),
      signal: gone.signal,
    })
  const hello = await send({}, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'wire', version: '1' },
  })
  const said = await hello.text()
  const id = hello.headers.get('mcp-session-id')
  if (id === null) throw new Error(`${hello.status} ${said}`)
  const named = { 'mcp-session-id': id }
  const post: WireSession['post'] = (method, params) => send(named, method, params)
  return {
    id,
    post,
    async call(name, args = {}) {
      const response = await post('tools/call', { name, arguments: args })
      return textIn(await response.text())
    },
    listen: () =>
      fetch(url, {
        headers: { ...headers, ...named, accept: 'text/event-stream' },
        signal: gone.signal,
      }),
  }
}

/** Of an answer, be it plain or the last event of a stream. */
export function textIn(body: string): string {
  const data = body.startsWith('{')
    ? body
    : (/^data: (\{.*"(?:result|error)".*)$/m.exec(body)?.[1] ?? '{}')
  const { result, error } = JSON.parse(data)
  return error?.message ?? result?.content?.[0]?.text ?? body
}
