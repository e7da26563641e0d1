import { pathToFileURL } from 'node:url'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  inputRequired,
  inputResponse,
  McpServer as ModernServer,
} from '@modelcontextprotocol/server'
import * as z from 'zod'

/*
 * A foreign server whose one tool asks its user something before it is done. With `count`, it waits
 * until so many calls are open, so that all of them ask at once. As a process, or behind an address.
 */
const ABOUT = { description: 'Orders.', inputSchema: { what: z.string(), count: z.number() } }
const question = (what: string) => ({
  message: `Which size of ${what}?`,
  requestedSchema: { type: 'object' as const, properties: { size: { type: 'string' as const } } },
})
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const ordered = (what: string, { action, content }: { action: string; content?: unknown }) =>
  said(`${what}: ${action} ${JSON.stringify(content ?? {})}`)

let open = 0
let all = Promise.withResolvers<void>()
async function together(count: number): Promise<void> {
  if (++open >= count) {
    open = 0
    all.resolve()
    all = Promise.withResolvers()
  } else await all.promise
}

export function asking(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1' })
  server.registerTool('order', ABOUT, async ({ what, count }, { requestId }) => {
    await together(count)
    try {
      const related = { relatedRequestId: requestId }
      return ordered(what, await server.server.elicitInput(question(what), related))
    } catch (error) {
      return said(`${what}: ${error instanceof Error ? error.message : ''}`)
    }
  })
  return server
}

export function modernAsking(): ModernServer {
  const server = new ModernServer({ name: 'asking', version: '1' })
  const inputSchema = z.object(ABOUT.inputSchema)
  server.registerTool('order', { ...ABOUT, inputSchema }, async ({ what }, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'size')
    if (answer.kind !== 'missing') return ordered(what, answer as unknown as { action: string })
    return inputRequired({ inputRequests: { size: inputRequired.elicit(question(what)) } })
  })
  return server
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await asking().connect(new StdioServerTransport())
}
