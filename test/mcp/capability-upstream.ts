import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'

/** A tool that needs a client with a model. Its alias at `/mcp` is `test_missing`. */
const TOOL = {
  name: 'capability',
  description: 'Samples.',
  inputSchema: { type: 'object' as const },
}

const server = new Server({ name: 'capability', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [TOOL] }))
server.setRequestHandler(CallToolRequestSchema, () => {
  if (server.getClientCapabilities()?.sampling) return { content: [] }
  const requiredCapabilities = { sampling: {} }
  throw new McpError(-32_021, 'this tool samples', { requiredCapabilities })
})
await server.connect(new StdioServerTransport())
