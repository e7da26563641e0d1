/** The servers of `npm run bench:http`, in a process of their own. */
import { once } from 'node:events'
import { createServer as createRaw, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve as honoServer } from '@hono/node-server'
import { Hono } from 'hono'
import { serve } from '../../src/server/serve.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { benchServer } from '../lib/bench-server.ts'

export interface Served {
  readonly own: string
  readonly bare: string
  readonly raw: string
  readonly token: string
  readonly cookie: string
}

const POLICY = `version: 1
limits: { pending_per_agent: 10000 }
tools:
  pay: { approval: true }
  refund:
    approval:
      condition:
        - args_match: { amount: { gt: 10000 }, currency: USD }
        - args_match: { recipient_type: external }
`

const here = { host: '127.0.0.1', port: 0 }
const server = benchServer(memoryStore(), POLICY)
const own = await serve(server.app, here)

const hono = new Hono()
hono.post('/v1/calls', async (c) => {
  const { args } = await c.req.json<{ args: unknown }>()
  return c.json({ status: 'allow', args })
})
const bare = honoServer({ fetch: hono.fetch, hostname: here.host, port: here.port })
await once(bare, 'listening')

const HEAD = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }
const HINT = Buffer.from(
  `id: 0a1b2c3d.42\nevent: hint\ndata: ${JSON.stringify({ id: '0mwilojyhgno5gjrtsl1qd986hkjbunokhd', revision: 1, status: 'pending' })}\n\n`,
)
const streams = new Set<ServerResponse>()
const writer = createRaw((request, response) => {
  if (request.method === 'POST') {
    for (const stream of streams) stream.write(HINT)
    response.end('{}')
    return
  }
  response.writeHead(200, HEAD)
  response.write('retry: 2000\n\n')
  streams.add(response)
})
await new Promise<void>((resolve) => writer.listen(0, '127.0.0.1', resolve))

const { token } = await server.credentials.tokens.create({ agent: 'bench' })
const secret = await server.inviteOperator()
const signedIn = await fetch(new URL('/v1/session', own.url), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ token: secret }),
})
const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
const originOf = (listening: { address(): unknown }) =>
  `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
const message: Served = {
  own: new URL(own.url).origin,
  bare: originOf(bare),
  raw: originOf(writer),
  token,
  cookie,
}
process.send?.(message)
// Asked for between rounds: what this process used of the processor until now, in microseconds.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
// The benchmark is gone: so is this.
process.on('disconnect', () => process.exit(0))
