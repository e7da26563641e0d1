import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { connect, place, textOf } from './gateway.ts'
import { gateway } from './http-gateway.ts'
import { wireSession } from './http-wire.ts'

const ODD = path.resolve(import.meta.dirname, 'odd-server.ts')
const policy = (more = '') =>
  `version: 1\nmcp_servers:\n  - { alias: odd, approval: false${more} }\n`

promise.each(
  ['CS-MCP-47'],
  'an answer that is none ends its call',
  [
    ['an unknown member', '{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"Result":{}}'],
    ['a result that is no object', '{"jsonrpc":"2.0","id":$ID,"result":7}'],
    ['neither result nor error', '{"jsonrpc":"2.0","id":$ID}'],
    ['another protocol', '{"id":$ID,"result":{"content":[]}}'],
  ],
  async (_, written) => {
    const command = [process.execPath, ODD, written]
    const { client } = await connect(place(policy()), { command, args: ['--name', 'odd'] })
    const result = await client.callTool({ name: 'open', arguments: {} })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/open.*(unknown|nobody knows|may have run)/s)
  },
)

const DEEP = `${'['.repeat(6_000)}12345678901234567890${']'.repeat(6_000)}`

promise.each(
  ['CS-MCP-47'],
  'a result nested too deeply to pass on ends its call',
  [
    ['that needs nobody', {}],
    ['with _meta', { _meta: { 'example.com/a': 1 } }],
  ],
  async (_, more) => {
    const written = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"_meta":{"a":${DEEP}}}}`
    const command = [process.execPath, ODD, written]
    const { client } = await connect(place(policy()), { command, args: ['--name', 'odd'] })
    await client.listTools()
    const result = await client.callTool({ name: 'open', arguments: {}, ...more })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/open.*(unknown|nobody knows|may have run)/s)
  },
)

promise(['CS-MCP-47'], 'a result nested too deeply ends its call at /mcp', async () => {
  const written = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"_meta":{"a":${DEEP}}}}`
  const at = await gateway(
    `version: 1\nmcp_servers:\n  - { alias: odd, command: ${process.execPath}, args: [${ODD}, '${written}'], approval: false }\n`,
  )
  const session = await wireSession(at, await at.agent('a'))
  await session.post('tools/list')
  expect(await session.call('odd_open')).toMatch(/open.*(unknown|nobody knows|may have run)/s)
})

promise(['CS-MCP-47'], 'an error beside a result that is null is an error', async () => {
  const written = '{"jsonrpc":"2.0","id":$ID,"result":null,"error":{"code":-32099,"message":"no"}}'
  const command = [process.execPath, ODD, written]
  const { client } = await connect(place(policy()), { command, args: ['--name', 'odd'] })
  await expect(client.callTool({ name: 'open', arguments: {} })).rejects.toMatchObject({
    code: -32_099,
  })
})

promise(['CS-MCP-48'], 'a tool that allowed_tools leaves out is not listed', async () => {
  const at = place(policy(', allowed_tools: [open]'))
  const { client } = await connect(at, {
    command: [process.execPath, ODD, ''],
    args: ['--name', 'odd'],
  })
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toContain('open')
  expect(names).not.toContain('shut')
  const result = await client.callTool({ name: 'shut', arguments: {} })
  expect(result.isError).toBe(true)
})

promise(['CS-MCP-49'], 'whoever brings no token to /mcp is told that it takes one', async () => {
  const at = await gateway('version: 1\n')
  const post = (headers: Record<string, string>) =>
    fetch(at.url, { method: 'POST', headers, body: '{}' })
  const none = await post({ 'content-type': 'application/json' })
  expect([none.status, none.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="countersign"',
  ])
  const wrong = await post({
    'content-type': 'application/json',
    authorization: 'Bearer cs_nobody_knows_this_one',
  })
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="countersign", error="invalid_token"',
  ])
})
