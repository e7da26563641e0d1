import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Chaos {
  readonly url: string
  /** Names of the tools whose calls arrived. */
  readonly calls: string[]
  /** Nobody listens there any more. */
  stop(): Promise<void>
}

const JSON_TYPE = { 'content-type': 'application/json' }
const STREAM = { 'content-type': 'text/event-stream' }

/** What becomes of a call to the tool of this name. */
const WAYS: Readonly<Record<string, (response: ServerResponse, id: unknown) => void>> = {
  reset: (response) => response.socket?.destroy(),
  early(response, id) {
    response.writeHead(200, STREAM)
    const progress = { progressToken: id, progress: 1 }
    const told = { jsonrpc: '2.0', method: 'notifications/progress', params: progress }
    response.end(`data: ${JSON.stringify(told)}\n\n`)
  },
  half(response) {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' }).write('{"jsonrpc":')
    setTimeout(() => response.socket?.destroy(), 50)
  },
  garbage: (response) => response.writeHead(200, JSON_TYPE).end('this is no JSON'),
  page: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
  stranger: (response) =>
    response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":"another","result":{}}'),
  broken: (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('oh'),
  gateway: (response) => response.writeHead(504).end(),
  huge(response) {
    response.writeHead(200, JSON_TYPE)
    response.end(`{"jsonrpc":"2.0","id":1,"result":{"x":"${'x'.repeat(50_000_000)}"}}`)
  },
  flood(response) {
    response.writeHead(200, STREAM)
    response.end(`data: ${'x'.repeat(50_000_000)}\n\n`)
  },
  refused: (response) => response.writeHead(401).end(),
  unfit: (response) =>
    response
      .writeHead(400, JSON_TYPE)
      .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'),
  moved: (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
  error: (response, id) =>
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'no money' } })),
}

export const WAYS_TO_FAIL = Object.keys(WAYS)

/** A server behind an address that keeps to the protocol until it is called. */
export async function chaosUpstream(): Promise<Chaos> {
  const calls: string[] = []
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(String(Buffer.concat(chunks)))
    if (id === undefined) return void response.writeHead(202).end()
    const result =
      method === 'initialize'
        ? {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'chaos', version: '1' },
          }
        : { tools: WAYS_TO_FAIL.map((name) => ({ name, inputSchema: { type: 'object' } })) }
    if (method !== 'tools/call') {
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      return
    }
    calls.push(params.name)
    WAYS[params.name]?.(response, id)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${port}/mcp`, calls, stop }
}
