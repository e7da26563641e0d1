import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { onTestFinished } from 'vitest'
import * as z from 'zod'

/** Every request that reached an address, as `METHOD path`, with its headers. */
export interface Seen {
  readonly line: string
  readonly headers: IncomingMessage['headers']
}

/** An HTTP server on this machine, closed after the test. */
export async function httpServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly origin: string; readonly seen: Seen[]; cut(): void }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => server.closeAllConnections()
  onTestFinished(() => {
    cut()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, seen, cut }
}

/** A server of the official SDK that speaks HTTP+SSE alone. */
export async function sseUpstream() {
  const said: string[] = []
  const open = new Map<string, SSEServerTransport>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (request.method === 'GET' && url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response)
      open.set(transport.sessionId, transport)
      const server = new McpServer({ name: 'older', version: '1' })
      server.registerTool('say', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
        said.push(text)
        if (text === 'ask') {
          const { content } = await server.server.elicitInput({
            message: 'Which one?',
            requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
          })
          return { content: [{ type: 'text', text: `asked ${content?.which}` }] }
        }
        if (text === 'hang')
          await new Promise((done) => extra.signal.addEventListener('abort', done))
        return { content: [{ type: 'text', text: `said ${text}` }] }
      })
      await server.connect(transport as Parameters<typeof server.connect>[0])
      return
    }
    const transport = open.get(url.searchParams.get('sessionId') ?? '')
    if (request.method === 'POST' && url.pathname === '/messages' && transport) {
      await transport.handlePostMessage(request, response)
      return
    }
    response.writeHead(url.pathname === '/sse' ? 405 : 404).end('no such page')
  }
  const at = await httpServer((request, response) => void answer(request, response))
  return { ...at, said, url: `${at.origin}/sse` }
}
