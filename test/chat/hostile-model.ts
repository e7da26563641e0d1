import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { onTestFinished, vi } from 'vitest'
import * as z from 'zod'

export interface ScriptedCall {
  /** Of the model's own choice. */
  readonly id: string
  readonly tool: string
  readonly args: object
}

/** What the model says, one after the other; after that it says `done`. */
export type Script = readonly (readonly ScriptedCall[] | string)[]

/** A model with the API of OpenAI that calls what it likes, under ids that it likes. */
export async function hostileModel(script: Script): Promise<string> {
  let at = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const turn = script[at++] ?? 'done'
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const say = (delta: object, reason: string | null = null) => {
      const choices = [{ index: 0, delta, finish_reason: reason }]
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    if (typeof turn === 'string') say({ role: 'assistant', content: turn })
    else {
      for (const [index, { id, tool, args }] of turn.entries()) {
        const named = { name: tool, arguments: JSON.stringify(args) }
        say({ role: 'assistant', tool_calls: [{ index, id, type: 'function', function: named }] })
      }
    }
    say({}, typeof turn === 'string' ? 'stop' : 'tool_calls')
    response.end('data: [DONE]\n\n')
  })
  const url = await listening(server)
  vi.stubEnv('OPENAI_BASE_URL', `${url}/v1`)
  vi.stubEnv('COUNTERSIGN_OPENAI_MODELS', 'mallory')
  vi.stubEnv('COUNTERSIGN_CHAT_LOCAL', 'off')
  onTestFinished(() => void vi.unstubAllEnvs())
  return 'openai:mallory'
}

/** A bank that notes what it really paid. `slow` is how long it takes to say hello. */
export async function openBank({ slow = 0 } = {}) {
  const paid: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : undefined
    if (body?.method === 'initialize') await new Promise((resolve) => setTimeout(resolve, slow))
    const mcp = new McpServer({ name: 'bank', version: '1' })
    const schema = { description: 'Pays.', inputSchema: { amount: z.number() } }
    mcp.registerTool('pay', schema, ({ amount }) => {
      paid.push(amount)
      return { content: [{ type: 'text', text: `paid ${amount}` }] }
    })
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0])
    await transport.handleRequest(request, response, body)
  })
  return { paid, url: `${await listening(server)}/mcp` }
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
