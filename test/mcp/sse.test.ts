import type { ServerResponse } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, vi } from 'vitest'
import { checkedLookup } from '../../src/gateway/upstream/checked-lookup.ts'
import { openSse } from '../../src/gateway/upstream/sse-transport.ts'
import { connectUpstream } from '../../src/gateway/upstream/upstream.ts'
import { specOf } from '../../src/gateway/upstream/upstream-spec.ts'
import { promise } from '../support/promise.ts'
import { textOf } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { httpServer, sseUpstream } from './sse-upstream.ts'

const policy = (url: string, approval = true) => `version: 1
mcp_servers:
  - { alias: older, url: "${url}", approval: ${approval}, headers: { authorization: "Bearer of-the-server" } }
`

async function connected(at: Gateway, person?: string): Promise<Client> {
  const headers = await at.agent('bot', person)
  const client = new Client(
    { name: 'a-test', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, async () => ({
    action: 'accept',
    content: { which: 'the blue one' },
  }))
  const transport = new StreamableHTTPClientTransport(at.url, { requestInit: { headers } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  onTestFinished(() => client.close())
  return client
}

const say = (client: Client, text: string) =>
  client.callTool({ name: 'older_say', arguments: { text } })

promise(
  ['CS-MCP-58'],
  'a server of HTTP+SSE works by its url: asked about, called once, its own questions answered',
  async () => {
    const server = await sseUpstream()
    const at = await gateway(policy(server.url))
    const client = await connected(at)
    const calling = say(client, 'hello')
    await at.answer('approve')
    expect(textOf(await calling)).toBe('said hello')
    const refused = say(client, 'never')
    await at.answer('deny')
    await refused
    const asking = say(client, 'ask')
    await at.answer('approve')
    expect(textOf(await asking)).toBe('asked the blue one')
    expect(server.said).toEqual(['hello', 'ask'])
    // The credential of the file goes with every request, and the token of the client with none.
    expect(new Set(server.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer of-the-server']),
    )
  },
)

promise(
  ['CS-MCP-24', 'CS-MCP-58'],
  'a stream that ends under a call leaves it unknown, and the next call opens another',
  async () => {
    const server = await sseUpstream()
    const at = await gateway(policy(server.url, false))
    const client = await connected(at)
    await say(client, 'first')
    const hanging = say(client, 'hang')
    await vi.waitFor(() => expect(server.said).toContain('hang'))
    server.cut()
    expect(JSON.stringify(await hanging.catch(String))).toMatch(/ended its stream/)
    expect(textOf(await say(client, 'again'))).toBe('said again')
    expect(server.said).toEqual(['first', 'hang', 'again'])
  },
)

const stream = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)

const spec = (url: string) => {
  const made = specOf('older', { url, headers: { authorization: 'Bearer secret-of-it' } }, {})
  if (!made) throw new Error('no spec')
  return made
}

const client = { info: { name: 'a', version: '1' }, capabilities: {} }
const silent = {
  onRequest: () => Promise.reject(new Error('asked')),
  onNotification() {},
  onClose() {},
  onNoise() {},
}

promise.each(
  ['CS-MCP-23', 'CS-MCP-58'],
  'no message goes to an address that is not the server’s own',
  [
    ['another port', (other) => `${other}/messages`],
    ['another host without a scheme', (other) => other.replace('http:', '')],
    ['another name of this machine', (_, own) => own.replace('127.0.0.1', 'localhost')],
    ['another scheme', (_, own) => own.replace('http:', 'https:')],
    ['credentials in it', (_, own) => own.replace('//', '//user:word@')],
    ['a file', () => 'file:///etc/passwd'],
    ['no address', () => 'http://['],
    ['too long', () => `/${'a'.repeat(9_000)}`],
  ] as [string, (other: string, own: string) => string][],
  async (_, endpoint) => {
    const other = await httpServer((_, response) => response.end())
    const server = await httpServer((request, response) => {
      if (request.method === 'POST') response.writeHead(405).end()
      else stream(response, `event: endpoint\ndata: ${endpoint(other.origin, server.origin)}\n\n`)
    })
    const opening = connectUpstream(spec(`${server.origin}/sse`), client, silent)
    await expect(opening).rejects.toThrow(/names an address that is not its own/)
    expect(other.seen).toEqual([])
    // The first attempt, the stream, and the question whether it is a server of the newest era.
    expect(server.seen.map(({ line }) => line)).toEqual(['POST /sse', 'GET /sse', 'POST /sse'])
  },
)

promise(
  ['CS-MCP-23', 'CS-MCP-58'],
  'an address named later changes nothing, and redirects are not followed',
  async () => {
    const other = await httpServer((_, response) => response.end())
    let events: ServerResponse | undefined
    const server = await httpServer((request, response) => {
      if (request.method === 'GET') {
        events = response
        stream(response, 'event: endpoint\ndata: /take?id=1\n\n')
        stream2(`event: endpoint\ndata: ${other.origin}/x\n\nevent: endpoint\ndata: /elsewhere\n\n`)
      } else if (request.url !== '/take?id=1') response.writeHead(404).end()
      else {
        let body = ''
        request.on('data', (chunk) => {
          body += chunk
        })
        request.on('end', () => {
          const { id, method } = JSON.parse(body)
          if (method === 'tools/call') {
            return response.writeHead(307, { location: `${other.origin}/x` }).end()
          }
          response.writeHead(202).end('Accepted')
          const result = { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: {} }
          if (id !== undefined)
            stream2(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
        })
      }
    })
    const stream2 = (text: string) => events?.write(text)
    const noise: string[] = []
    const upstream = await connectUpstream(spec(`${server.origin}/sse`), client, {
      ...silent,
      onNoise: (what) => noise.push(what),
    })
    onTestFinished(() => upstream.close())
    await expect(upstream.request('tools/call', { name: 'x' })).rejects.toMatchObject({
      message: expect.stringContaining('status 307'),
      wasSent: false,
    })
    expect(noise).toEqual(Array(2).fill('named its address a second time'))
    expect(other.seen).toEqual([])
  },
)

promise(
  ['CS-MCP-23', 'CS-MCP-58'],
  'its stream and its messages go only where the name may lead, each time anew',
  async () => {
    const server = await httpServer((_, response) => {
      stream(response, 'event: endpoint\ndata: /take\n\n')
    })
    const made = spec(server.origin.replace('127.0.0.1', 'localhost'))
    if (made.kind !== 'http') throw new Error('no address')
    let leads = ['127.0.0.1', '10.0.0.5']
    const lookup = checkedLookup(made, async () => [{ address: leads.shift() ?? '', family: 4 }])
    const lost = Promise.withResolvers<Error>()
    const events = { onMessage() {}, onLost: (_: unknown, why: Error) => lost.resolve(why) }
    const heard = { ...events, onClose() {}, onNoise() {} }
    const transport = await openSse(made, heard, { ms: 10_000 }, lookup)
    onTestFinished(() => transport.close())
    transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(await lost.promise).toMatchObject({
      message: expect.stringContaining('of this machine is reached'),
      wasSent: false,
    })
    leads = ['10.0.0.5']
    await expect(openSse(made, heard, { ms: 10_000 }, lookup)).rejects.toThrow(
      'of this machine is reached',
    )
    expect(server.seen.map(({ line }) => line)).toEqual(['GET /'])
  },
)

promise.each(
  ['CS-MCP-58'],
  'only a server that refuses to be posted to is asked for a stream of events',
  [
    ['a wrong credential', 401, false],
    ['not allowed', 403, false],
    ['too often', 429, false],
    ['a server error', 500, false],
    ['moved', 307, false],
    ['no such page', 404, true],
    ['no such method', 405, true],
    ['a bad request', 400, true],
  ] as [string, number, boolean][],
  async (_, status, isAsked) => {
    const server = await httpServer((_, response) => response.writeHead(status).end())
    await expect(connectUpstream(spec(server.origin), client, silent)).rejects.toThrow(
      `status ${status}`,
    )
    expect(server.seen.some(({ line }) => line.startsWith('GET'))).toBe(isAsked)
  },
)

promise.each(
  ['CS-MCP-58'],
  'a stream that is none is given up',
  [
    ['a page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'no stream'],
    [
      'a message first',
      (r) => stream(r, 'data: {"jsonrpc":"2.0","method":"x"}\n\n'),
      'before it names',
    ],
    [
      'an end',
      (r) => void r.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      'ended',
    ],
    ['no end of one event', flood, 'bytes at once'],
  ] as [string, (response: ServerResponse) => void, string][],
  async (_, answer, why) => {
    const server = await httpServer((request, response) => {
      if (request.method === 'POST') response.writeHead(405).end()
      else answer(response)
    })
    await expect(connectUpstream(spec(server.origin), client, silent)).rejects.toThrow(why)
  },
)

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const more = () => {
    while (!response.destroyed && response.write(`data: ${'x'.repeat(1_000_000)}\n`));
  }
  response.on('drain', more)
  more()
}
