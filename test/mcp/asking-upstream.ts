import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { asking, modernAsking } from './asking-server.ts'

/** Behind an address; closed after the test. */
export async function askingUpstream(era: 'legacy' | 'modern'): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const modern = createMcpHandler(modernAsking, { legacy: 'reject' })
  const http = createServer(async (request, response) => {
    if (era === 'modern') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const answer = await modern.fetch(
        new Request(`http://${request.headers.host}/mcp`, {
          method: request.method ?? 'POST',
          headers: request.headers as Record<string, string>,
          ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
        }),
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body) for await (const part of answer.body) response.write(part)
      response.end()
      return
    }
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await asking().connect(transport as Parameters<McpServer['connect']>[0])
    return transport.handleRequest(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}
