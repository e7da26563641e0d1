/** Plain JavaScript, for whichever Node is on the PATH. An MCP server over stdio that offers whatever tools a file lists: `node mcp-server.mjs FILE`. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

const [, , file = ''] = process.argv

function resultOf({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: `${path.basename(file, '.json')}-mcp`, version: '2.1.0' },
      }
    case 'tools/list':
      return { tools: JSON.parse(readFileSync(file, 'utf8')) }
    case 'tools/call':
      return { content: [{ type: 'text', text: `${params?.name} did what it was told` }] }
    default:
      return undefined
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.id === undefined) continue
  const result = resultOf(message)
  const body = result ? { result } : { error: { code: -32601, message: 'unknown method' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`)
}
