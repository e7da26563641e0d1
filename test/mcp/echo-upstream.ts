import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as ModernServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import * as z from 'zod'

export interface Echo {
  readonly url: string
  /** Every call that arrived, and the headers it came with. */
  readonly calls: { readonly args: unknown; readonly headers: Record<string, unknown> }[]
}

/** A server behind an address that says back what it is told. Of the older era, or the newer alone. */
export async function echoUpstream(era: 'legacy' | 'modern' = 'legacy'): Promise<Echo> {
  const calls: Echo['calls'] = []
  const about = { description: 'Says it back.', inputSchema: z.object({ say: z.string() }) }
  const said = (say: string) => ({ content: [{ type: 'text' as const, text: say }] })
  const modern = createMcpHandler(
    () => {
      const server = new ModernServer({ name: 'echo', version: '1' })
      server.registerTool('echo', about, ({ say }) => {
        calls.push({ args: { say }, headers: {} })
        return said(say)
      })
      return server
    },
    { legacy: 'reject' },
  )
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (era === 'modern') {
      const answer = await modern.fetch(
        new Request(`http://${request.headers.host}/mcp`, {
          method: request.method ?? 'POST',
          headers: request.headers as Record<string, string>,
          ...(request.method === 'POST' ? { body } : {}),
        }),
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body) for await (const part of answer.body) response.write(part)
      response.end()
      return
    }
    const server = new McpServer({ name: 'echo', version: '1' })
    server.registerTool('echo', { ...about, inputSchema: { say: z.string() } }, ({ say }) => {
      calls.push({ args: { say }, headers: request.headers })
      return said(say)
    })
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(
      request,
      response,
      body.length > 0 ? JSON.parse(String(body)) : undefined,
    )
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, calls }
}
