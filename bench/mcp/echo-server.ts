import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import * as z from 'zod'

/** The server every path of the benchmark ends at: `stdio`, or `http` on a port it prints. */
function echo(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1' })
  const about = { description: 'Says it back.', inputSchema: { say: z.string() } }
  server.registerTool('echo', about, ({ say }) => ({ content: [{ type: 'text', text: say }] }))
  return server
}

type Server = Parameters<McpServer['connect']>[0]

if (process.argv[2] === 'stdio') {
  await echo().connect(new StdioServerTransport())
} else {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await echo().connect(transport as Server)
    return transport.handleRequest(request, response)
  })
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(http.address() as AddressInfo).port}\n`)
  })
}
