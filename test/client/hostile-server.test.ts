import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient, Unreachable } from '../../src/api/client.ts'
import { createGate } from '../../src/client/create-gate.ts'
import { HOST, type Running, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'

const PAY = { tool: 'pay', run: 'r1', key: 'k1', args: { amount: 500, to: 'Lena' } }
const NOTHING_RAN = { status: 'blocked', ran: false, code: 'server_unreachable' }

type Respond = (request: IncomingMessage, response: ServerResponse) => unknown

/** A real listener. What it answers is up to the test. */
async function listening(respond: Respond): Promise<string> {
  const server = createServer(respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Sent {
  readonly route: string
  readonly status: number
  readonly text: string
}
/** What becomes of an answer on its way; undefined leaves it as it is. */
type Twist = (sent: Sent) => Respond | undefined

/** A real server behind something that may change its answers. */
async function behind(own: Running, twist: () => Twist): Promise<string> {
  return listening(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '/', headers } = request
    const answer = await own.server.app.request(url, {
      method,
      headers: { ...(headers as Record<string, string>), host: HOST },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    const route = `${method} ${new URL(url, 'http://x').pathname}`
    const twisted = twist()({ route, status: answer.status, text })
    if (twisted) return twisted(request, response)
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
  })
}

async function world(name = 'bot') {
  const own = running()
  let twist: Twist = () => undefined
  const url = await behind(own, () => twist)
  const { authorization = '' } = await own.agent(name)
  const token = authorization.replace('Bearer ', '')
  const gate = createGate({ server: { url, token, retryFor: 0 } })
  const ana = await own.person('ana@example.com')
  return {
    own,
    gate,
    ana,
    url,
    twisted: (to: Twist) => {
      twist = to
    },
    async decide(verdict: string) {
      const list = await vi.waitFor(async () => {
        const found = await own.send('/v1/approvals?status=pending', { as: ana })
        expect(found.at('approvals.0.id')).toBeTypeOf('string')
        return found
      }, 10_000)
      const body = { verdict, digest: list.at('approvals.0.digest') }
      const path = `/v1/approvals/${list.at('approvals.0.id')}/decisions`
      expect((await own.send(path, { as: ana, body })).status).toBe(200)
    },
  }
}

const json =
  (status: number, body: unknown): Respond =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const html =
  (status: number): Respond =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Bad gateway</title>')

/** The connection ends in the middle of the answer. */
const cut =
  (text: string): Respond =>
  (_, response) => {
    response.writeHead(200, { 'content-length': String(text.length) })
    response.write(text.slice(0, text.length / 2))
    setTimeout(() => response.destroy(), 20)
  }

const half =
  (text: string): Respond =>
  (_, response) =>
    response.end(text.slice(0, text.length / 2))

const asked = '/v1/calls'
promise.each(
  ['CS-SERVE-21'],
  'no call runs by an answer that is not whole',
  [
    ['the error page of a proxy', () => html(502)],
    ['a page that says 200', () => html(200)],
    ['half of the JSON', ({ text }) => half(text)],
    ['a connection that ends half-way', ({ text }) => cut(text)],
    ['JSON of another program', () => json(200, { ok: true })],
    ['allowed, and no arguments', () => json(200, { status: 'allowed' })],
    ['approved, and no id', () => json(200, { status: 'approved', digest: 'd' })],
    ['a word of a newer server', () => json(200, { status: 'waved-through', args: {} })],
    ['nothing at all', () => (_, response) => response.end()],
    ['null', () => json(200, null)],
  ] satisfies [string, Twist][],
  async (_name, twist) => {
    const { gate, twisted } = await world()
    twisted((sent) => (sent.route.endsWith(asked) ? twist(sent) : undefined))
    const tool = vi.fn(() => 'paid')
    expect(await gate.run(PAY, tool)).toMatchObject(NOTHING_RAN)
    expect(tool).not.toHaveBeenCalled()
  },
)

promise.each(
  ['CS-SERVE-21'],
  'no call runs by half an answer to its claim',
  [
    ['no arguments', ({ args: _, ...rest }) => rest],
    ['arguments that are a list', (claim) => ({ ...claim, args: [] })],
    ['no time to start in', ({ startWithin: _, ...rest }) => rest],
    ['no claim', ({ claim: _, ...rest }) => rest],
  ] satisfies [string, (claim: Record<string, unknown>) => object][],
  async (_name, spoil) => {
    const { gate, twisted, decide } = await world()
    twisted(({ route, status, text }) =>
      route.endsWith('/claim') && status === 200
        ? json(200, spoil(JSON.parse(text) as Record<string, unknown>))
        : undefined,
    )
    const tool = vi.fn(() => 'paid')
    const running = gate.run(PAY, tool)
    await decide('approve')
    expect(await running).toMatchObject({ status: 'blocked', ran: false, code: 'not_started' })
    expect(tool).not.toHaveBeenCalled()
  },
)

test('what a newer server adds to its answers is no reason to refuse', async () => {
  const { gate, twisted, decide } = await world()
  twisted(({ status, text }) =>
    text.startsWith('{')
      ? json(status, { ...(JSON.parse(text) as object), addedLater: { deep: [1] } })
      : undefined,
  )
  const running = gate.run(PAY, () => 'paid')
  await decide('approve')
  expect(await running).toMatchObject({ status: 'succeeded', result: 'paid' })
})

test('a server that says JSON is a page is believed by its JSON alone', async () => {
  const { gate, twisted, decide } = await world()
  twisted(
    ({ status, text }) =>
      (_, response) =>
        response.writeHead(status, { 'content-type': 'text/plain' }).end(text),
  )
  const running = gate.run(PAY, () => 'paid')
  await decide('approve')
  expect(await running).toMatchObject({ status: 'succeeded' })
})

promise.each(
  ['CS-SERVE-21'],
  'a token goes to no other address',
  [['301'], ['302'], ['303'], ['307'], ['308']],
  async (status) => {
    const seen: (string | undefined)[] = []
    const other = await listening(({ headers }, response) => {
      seen.push(headers.authorization ?? 'no token')
      response.end('{"status":"allowed","args":{"amount":1}}')
    })
    const url = await listening(({ url: path }, response) =>
      response.writeHead(Number(status), { location: `${other}${path}` }).end(),
    )
    const gate = createGate({ server: { url, token: 'cs_secret' } })
    const tool = vi.fn(() => 'paid')
    expect(await gate.run(PAY, tool)).toMatchObject(NOTHING_RAN)
    expect(seen).toEqual([])
    expect(tool).not.toHaveBeenCalled()
  },
)

promise(['CS-SERVE-21'], 'a server that hangs is given up', async () => {
  const url = await listening((request, response) => {
    // The one sends nothing; the other begins an answer and never ends it.
    if (request.url === '/v1/locks') response.writeHead(200).write('{')
  })
  const client = createClient<'agent'>({ url, headers: () => ({}), timeout: 200 })
  await expect(client.call('GET /v1/policy')).rejects.toThrow(Unreachable)
  await expect(client.call('GET /v1/locks')).rejects.toThrow(Unreachable)
})

promise(['CS-SERVE-21'], 'a token that is revoked half-way runs nothing more', async () => {
  const { own, gate, decide } = await world()
  const tool = vi.fn(() => 'paid')
  const running = gate.run(PAY, tool)
  const admin = await own.person('root@example.com', ['admin'])
  const tokens = await own.send('/v1/tokens', { as: admin })
  await vi.waitFor(async () => {
    const { approvals } = await own.store.list({})
    expect(approvals).toHaveLength(1)
  }, 10_000)
  const prefix = tokens.at('tokens.0.prefix')
  expect((await own.send(`/v1/tokens/${prefix}`, { as: admin, method: 'DELETE' })).status).toBe(204)
  await decide('approve')
  expect(await running).toMatchObject({ status: 'blocked', ran: false, code: 'token_unknown' })
  expect(tool).not.toHaveBeenCalled()
})

test('two gates of one process each speak to their own server with their own token', async () => {
  const [one, two] = await Promise.all([world('one'), world('two')])
  const first = one.gate.run(PAY, () => 'by one')
  const second = two.gate.run(PAY, () => 'by two')
  await two.decide('deny')
  expect(await second).toMatchObject({ status: 'blocked', code: 'denied' })
  await one.decide('approve')
  expect(await first).toMatchObject({ status: 'succeeded', result: 'by one' })
  const agents = await Promise.all(
    [one, two].map(async ({ own }) => (await own.store.list({})).approvals[0]?.call.agent),
  )
  expect(agents).toEqual(['one', 'two'])
})

test('a server below a path of its host is asked there, and only there', async () => {
  const paths: (string | undefined)[] = []
  const url = await listening((request, response) => {
    paths.push(request.url)
    response.end('{"locks":[],"now":0,"asked":[]}')
  })
  for (const below of ['/approvals', '/approvals/', '/approvals///']) {
    const client = createClient<'agent'>({ url: `${url}${below}`, headers: () => ({}) })
    await client.call('GET /v1/locks')
  }
  expect(new Set(paths)).toEqual(new Set(['/approvals/v1/locks']))
})
