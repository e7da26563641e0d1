import { createServer } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { checkedLookup } from '../../src/gateway/upstream/checked-lookup.ts'
import { connectHttp } from '../../src/gateway/upstream/http-transport.ts'
import { specOf } from '../../src/gateway/upstream/upstream-spec.ts'
import { promise } from '../support/promise.ts'
import { echoUpstream } from './echo-upstream.ts'
import { gateway } from './http-gateway.ts'

promise(
  ['CS-MCP-23'],
  'a name that leads into a network is not followed there, whatever it said before',
  async () => {
    let connections = 0
    const inner = createServer()
    inner.on('connection', () => connections++)
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void inner.close())
    const { port } = inner.address() as AddressInfo
    const url = new URL(`https://tools.example.com:${port}/mcp`)
    const reach = (allowHosts: readonly string[], addresses: readonly string[]) => {
      const resolve = async () => addresses.map((address) => ({ address, family: 4 }))
      const agent = new https.Agent({ lookup: checkedLookup({ url, allowHosts }, resolve) })
      return new Promise<string>((done) => {
        const sent = https.get(url, { agent })
        sent.on('error', ({ message }) => done(message))
      })
    }
    for (const addresses of [['127.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['169.254.169.254']]) {
      expect(await reach([], addresses)).toMatch(/not on the public internet.*--mcp-allow/)
    }
    expect(connections).toBe(0)
    // Allowed, it is reached; what it speaks is not TLS, and that is as far as it goes.
    expect(await reach(['tools.example.com'], ['127.0.0.1'])).not.toContain('public internet')
    expect(connections).toBe(1)
  },
)

promise(['CS-MCP-23'], 'this machine is reached as written, other networks when allowed', () => {
  const spec =
    (url: string, allow: readonly string[] = []) =>
    () =>
      specOf('a', { url }, {}, allow)
  for (const url of ['http://127.0.0.1:3000/mcp', 'http://localhost/', 'https://[::1]/']) {
    expect(spec(url)()).toMatchObject({ kind: 'http' })
  }
  for (const url of [
    'https://10.0.0.5/mcp',
    'https://169.254.169.254/latest',
    'https://0xa000001/',
    'https://[::ffff:10.0.0.1]/',
    'https://2852039166/',
  ]) {
    expect(spec(url), url).toThrow(/not on the public internet/)
  }
  expect(spec('https://10.0.0.5/mcp', ['10.0.0.5'])()).toMatchObject({ kind: 'http' })
  for (const url of ['http://10.0.0.5/', 'http://tools.example.com/', 'file:///etc/passwd']) {
    expect(spec(url, ['10.0.0.5', 'tools.example.com']), url).toThrow(/cannot be used/)
  }
})

promise(
  ['CS-MCP-23'],
  'a server that sends us on is not followed, and one inside a network is left out',
  async () => {
    const inner = await echoUpstream()
    const outer = createServer((_, response) => {
      response.writeHead(307, { location: inner.url }).end()
    })
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      outer.closeAllConnections()
      outer.close()
    })
    const { port } = outer.address() as AddressInfo
    const at = await gateway(`version: 1
mcp_servers:
  - { alias: moved, url: "http://127.0.0.1:${port}/mcp", approval: false }
  - { alias: inside, url: "https://10.1.2.3/mcp", approval: false }
`)
    const answer = await fetch(at.url, {
      method: 'POST',
      headers: { ...(await at.agent('a')), 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        },
      }),
    })
    expect(answer.status).toBe(200)
    const logged = at.logged.join('\n')
    expect(logged).toMatch(/moved did not start: .*status 307/)
    expect(logged).toMatch(/inside cannot be used.*not on the public internet/)
    expect(inner.calls).toEqual([])
  },
)

promise.each(
  ['CS-MCP-23'],
  'the request that ends a session goes only where every other request may go',
  [
    ['to the same place', true, 'DELETE with secret'],
    ['nowhere, once the name leads elsewhere', false, 'refused'],
  ] as [string, boolean, string][],
  async (_, isSame, expected) => {
    const ended = Promise.withResolvers<string>()
    const server = createServer((request, response) => {
      if (request.method === 'DELETE') ended.resolve(`DELETE with ${request.headers.authorization}`)
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      response.end('{"jsonrpc":"2.0","id":1,"result":{}}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const spec = specOf(
      'a',
      { url: `http://localhost:${port}/mcp`, headers: { authorization: 'secret' } },
      {},
      [],
    )
    if (spec?.kind !== 'http') throw new Error('no address')
    let lookups = 0
    const answered = Promise.withResolvers<void>()
    const transport = connectHttp(
      spec,
      { onMessage: () => answered.resolve(), onLost() {}, onClose() {}, onNoise() {} },
      checkedLookup(spec, async () => {
        if (++lookups === 1 || isSame) return [{ address: '127.0.0.1', family: 4 }]
        ended.resolve('refused')
        return [{ address: '10.0.0.5', family: 4 }]
      }),
    )
    transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    await answered.promise
    await transport.close()
    expect(await ended.promise).toBe(expected)
    expect(lookups).toBe(2)
  },
)
