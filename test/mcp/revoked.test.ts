import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, vi } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { signedIn } from './signed-in.ts'

const PAY = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }

async function bank(store = memoryStore()) {
  const witness = path.join(folder(), 'witness')
  const policy = `version: 1
tools: { pay: { approval: true } }
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} }, approval: true }
`
  const at = await gateway(policy, { store })
  const ran = () => (existsSync(witness) ? readFileSync(witness, 'utf8') : '')
  return { ...at, ran }
}

async function older(url: URL, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'older', version: '1' })
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

async function newer(url: URL, headers: Record<string, string>): Promise<ModernClient> {
  const client = new ModernClient(
    { name: 'newer', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(new ModernTransport(url, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

const prefixOf = ({ authorization = '' }: Record<string, string>) =>
  authorization.split('_')[1] ?? ''

async function asked({ store }: Gateway) {
  return vi.waitFor(
    async () => {
      const [one] = (await store.list({ status: ['pending'] })).approvals
      if (!one) throw new Error('nothing is asked')
      return one
    },
    { timeout: 20_000, interval: 20 },
  )
}

promise.each(
  ['CS-MCP-40'],
  'a call of a token that is revoked while it waits is withdrawn, and its streams end',
  [
    ['a client of the older era', older],
    ['a client of the newer era', newer],
  ] as const,
  async (_, connect) => {
    const at = await bank()
    const headers = await at.agent('a')
    const other = await at.agent('a')
    const client = await connect(at.url, headers)
    const staying = await connect(at.url, other)
    const paying = client.callTool(PAY).then(
      () => 'answered',
      () => 'ended',
    )
    const { id } = await asked(at)
    expect(await at.server.credentials.tokens.revoke(prefixOf(headers))).toBe(true)
    await expect.poll(async () => (await at.store.get(id))?.status).toBe('withdrawn')
    await expect(client.callTool(PAY)).rejects.toThrow()
    expect(at.ran()).toBe('')
    // Another token of the same agent goes on.
    const still = staying.callTool(PAY)
    await at.answer('approve')
    await still
    expect(at.ran()).toBe('pay 5 Lena\n')
    await client.close()
    await paying
  },
)

promise(['CS-MCP-40'], 'the stream of a session ends with its token', async () => {
  const at = await bank()
  const headers = await at.agent('a')
  const json = {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const hello = await fetch(at.url, {
    method: 'POST',
    headers: json,
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
  })
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' }
  await hello.text()
  const stream = await fetch(at.url, { headers: { ...json, ...session } })
  expect(stream.status).toBe(200)
  const reading = stream.text()
  await at.server.credentials.tokens.revoke(prefixOf(headers))
  // Ends, and does not merely fall silent.
  expect(await reading).toContain(': open')
})

promise(
  ['CS-MCP-40'],
  'a yes that comes before anybody here heard of the revocation is not spent',
  async () => {
    const store = memoryStore()
    // Nothing tells this process: as between a write elsewhere and the moment it is noticed.
    const deaf = { ...store, onAmended: () => () => {} }
    const at = await bank(deaf)
    const headers = await at.agent('a')
    const client = await older(at.url, headers)
    const paying = client.callTool(PAY)
    const { id } = await asked(at)
    await at.server.credentials.tokens.revoke(prefixOf(headers))
    await at.answer('approve')
    const result = await paying
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('revoked')
    expect((await store.get(id))?.execution).toBeUndefined()
    expect(at.ran()).toBe('')
  },
)

promise(
  ['CS-MCP-40'],
  'over HTTP a revoked token neither hears the answer it waited for nor claims it',
  async () => {
    const at = await bank()
    const headers = { ...(await at.agent('a')), 'content-type': 'application/json' }
    const send = (path: string, init: RequestInit = {}) =>
      fetch(new URL(path, at.url), { ...init, headers })
    const body = JSON.stringify({ tool: 'pay', args: { amount: 5 } })
    expect((await send('/v1/calls', { method: 'POST', body })).status).toBe(200)
    const { id, digest } = await asked(at)
    const waiting = send(`/v1/approvals/${id}?wait=20s`)
    // It is being waited for once the server has answered something that came later.
    await send(`/v1/approvals/${id}`)
    await at.server.credentials.tokens.revoke(prefixOf(headers))
    await at.answer('approve')
    expect((await waiting).status).toBe(401)
    const claim = { method: 'POST', body: JSON.stringify({ digest }) }
    expect((await send(`/v1/approvals/${id}/claim`, claim)).status).toBe(401)
    expect((await at.store.get(id))?.execution).toBeUndefined()
  },
)

promise(
  ['CS-MCP-40', 'CS-TRY-1'],
  'somebody who is removed while their try waits runs nothing',
  async () => {
    const at = await bank()
    const ana = await signedIn(at, 'bo@example.com', ['approver'])
    const root = await signedIn(at, 'root@example.com', ['admin', 'approver'])
    const client = await older(new URL('/v1/servers/bank/try', at.url), { ...ana.headers })
    const paying = client.callTool(PAY).then(
      () => 'answered',
      () => 'ended',
    )
    const { id } = await asked(at)
    const person = { issuer: 'local', subject: 'bo@example.com' }
    const lock = { target: { person }, reason: 'left' }
    expect((await root.send('POST', '/v1/locks', lock)).status).toBe(201)
    await expect.poll(async () => (await at.store.get(id))?.status).toBe('withdrawn')
    expect(at.ran()).toBe('')
    await client.close()
    await paying
  },
)
