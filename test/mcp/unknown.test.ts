import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { chaosUpstream, WAYS_TO_FAIL } from './chaos-upstream.ts'
import { answer, BANK, connect, place, textOf } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'

async function connected({ url, agent }: Gateway, name = 'a'): Promise<Client> {
  const client = new Client({ name, version: '1' })
  const requestInit = { headers: await agent(name) }
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit }) as Parameters<Client['connect']>[0],
  )
  onTestFinished(() => client.close())
  return client
}

/** How the record says this call went. */
async function ended({ store }: Gateway, id: string) {
  const read = async () => (await store.get(id))?.execution
  await expect
    .poll(async () => (await read())?.state ?? 'none', { timeout: 10_000 })
    .not.toMatch(/running|none/)
  const execution = await read()
  const content = await store.content(id)
  const result = content.find(({ key }) => key === execution?.result)?.value
  return { state: execution?.state, result }
}

const bank = (file: string) =>
  `  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${file} }, approval: true }\n`

promise(
  ['CS-MCP-24'],
  'a server process that goes down with a call leaves it unknown, and it is sent once',
  async () => {
    const file = path.join(folder(), 'witness')
    const witnessed = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const at = await gateway(`version: 1\nmcp_servers:\n${bank(file)}`)
    const client = await connected(at)
    for (const [tool, why] of [
      ['crash', /server bank (?:ended|closed its output)/],
      ['huge', /server bank sent more than/],
    ] as const) {
      const calling = client.callTool({ name: `bank_${tool}`, arguments: {} })
      const id = await at.answer('approve')
      const result = await calling
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/nobody knows whether it took effect/)
      expect(textOf(result)).toMatch(why)
      expect(await ended(at, id)).toMatchObject({ state: 'unknown' })
    }
    expect(witnessed()).toBe('crash\n')
  },
)

promise(
  ['CS-MCP-24'],
  'a call that its client cancels or leaves after it was sent is unknown',
  async () => {
    const file = path.join(folder(), 'witness')
    const witnessed = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const at = await gateway(`version: 1\nmcp_servers:\n${bank(file)}`)
    const client = await connected(at)
    const stop = new AbortController()
    const calling = client
      .callTool({ name: 'bank_hang', arguments: {} }, undefined, { signal: stop.signal })
      .catch(() => 'left')
    const id = await at.answer('approve')
    await expect.poll(witnessed).toBe('hang\n')
    stop.abort('enough')
    expect(await calling).toBe('left')
    expect(await ended(at, id)).toMatchObject({ state: 'unknown' })
  },
)

const EXPECTED: Readonly<Record<string, string>> = {
  refused: 'not_started',
  unfit: 'not_started',
  moved: 'not_started',
  error: 'failed',
}

promise.each(
  ['CS-MCP-24'],
  'what an address answers instead of an answer',
  WAYS_TO_FAIL.map((way): [string] => [way]),
  async (way) => {
    const chaos = await chaosUpstream()
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: chaos, url: "${chaos.url}", approval: true }\n`,
    )
    const client = await connected(at)
    const calling = client
      .callTool({ name: `chaos_${way}`, arguments: {} })
      .catch((error: Error) => ({ content: [{ text: error.message }] }))
    const id = await at.answer('approve')
    const text = textOf(await calling)
    const { state, result } = await ended(at, id)
    expect(chaos.calls).toEqual([way])
    switch (EXPECTED[way] ?? 'unknown') {
      case 'not_started':
        expect(text).toContain('could not be started and did not run')
        expect([state, result]).toMatchObject(['failed', { code: 'not_started' }])
        break
      case 'failed':
        expect(text).toContain('no money')
        expect(state).toBe('failed')
        break
      default:
        expect(text).toContain('nobody knows whether it took effect')
        expect(state).toBe('unknown')
    }
  },
)

promise(['CS-MCP-24'], 'a call to an address where nobody listens has not started', async () => {
  const chaos = await chaosUpstream()
  const at = await gateway(
    `version: 1\nmcp_servers:\n  - { alias: chaos, url: "${chaos.url}", approval: true }\n`,
  )
  const client = await connected(at)
  await client.listTools()
  const calling = client.callTool({ name: 'chaos_error', arguments: {} })
  await expect.poll(async () => (await at.store.list({})).approvals.length).toBe(1)
  await chaos.stop()
  const id = await at.answer('approve')
  expect(textOf(await calling)).toContain('could not be started and did not run')
  const { state, result } = await ended(at, id)
  expect([state, result]).toMatchObject(['failed', { code: 'not_started' }])
})

promise(
  ['CS-MCP-25'],
  'a client that hangs up does not stop its call, and others notice nothing',
  async () => {
    const file = path.join(folder(), 'witness')
    const at = await gateway(`version: 1\nmcp_servers:\n${bank(file)}`)
    const other = await connected(at, 'b')
    const headers = {
      ...(await at.agent('a')),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const post = (body: object, more: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(at.url, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        ...(signal ? { signal } : {}),
      })
    const clientInfo = { name: 'x', version: '1' }
    const hello = await post({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    const mine = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' }
    const gone = new AbortController()
    const params = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }
    const calling = post({ id: 2, method: 'tools/call', params }, mine, gone.signal)
    await expect.poll(async () => (await at.store.list({})).approvals.length).toBe(1)
    gone.abort()
    await expect(calling).rejects.toThrow()
    const id = await at.answer('approve')
    expect(await ended(at, id)).toMatchObject({
      state: 'succeeded',
      result: { content: [{ type: 'text', text: 'paid 5 to Lena' }] },
    })
    const looking = other.callTool({ name: 'bank_look', arguments: { what: 'x' } })
    await at.answer('approve')
    expect(textOf(await looking)).toContain('saw x')
  },
)

promise(
  ['CS-MCP-24', 'CS-MCP-25'],
  'a client on a pipe that dies in the middle of a call leaves it unknown',
  async () => {
    const at = place()
    const { client } = await connect(at)
    const calling = client.callTool({ name: 'hang', arguments: {} }).catch(() => 'gone')
    const id = await answer(at, 'approve')
    await expect.poll(() => at.witnessed(), { timeout: 10_000 }).toEqual(['hang'])
    await client.close()
    expect(await calling).toBe('gone')
    const store = await at.store()
    await expect
      .poll(async () => (await store.get(id))?.execution?.state, { timeout: 10_000 })
      .toBe('unknown')
  },
)
