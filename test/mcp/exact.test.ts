import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { answer, place } from './gateway.ts'
import { gateway } from './http-gateway.ts'
import { wireSession } from './http-wire.ts'
import { HELLO, rawClient } from './raw-client.ts'

const RAW = path.resolve(import.meta.dirname, 'raw-server.ts')
// What servers in Python and Go write, and a number that JavaScript has no value for.
const WRITTEN =
  '{"content":[{"type":"text","text":"saw 1.0 and \\\\ \\" ü"}],"structuredContent":{"id":12345678901234567890,"huge":1e400,"tiny":-1E-400,"float":1.0,"list":[0.10,-0,9007199254740993],"__proto__":{"n":1.50}}}'
const command = [process.execPath, RAW, WRITTEN]
const policy = (approval: boolean) =>
  `version: 1\nmcp_servers:\n  - { alias: raw, approval: ${approval} }\n`
const READ = { name: 'read', arguments: {} }

promise.each(
  ['CS-MCP-2'],
  'a result keeps its numbers as they are written',
  [
    ['of a call that needs nobody', READ],
    ['of a call with _meta', { ...READ, _meta: { 'example.com/a': 1 } }],
  ],
  async (_, params) => {
    const client = rawClient(place(policy(false)), { command, args: ['--name', 'raw'] })
    await client.ask(1, 'initialize', HELLO)
    await client.ask(2, 'tools/list')
    expect(await client.ask(3, 'tools/call', params)).toContain(`"result":${WRITTEN}`)
    const read = await client.ask(4, 'resources/read', { uri: 'a:b' })
    expect(read).toContain(`"result":${WRITTEN}`)
  },
)

promise(['CS-MCP-2'], 'a result that people approved keeps its numbers as written', async () => {
  const at = place(policy(true))
  const client = rawClient(at, { command, args: ['--name', 'raw'] })
  await client.ask(1, 'initialize', HELLO)
  const reading = client.ask(3, 'tools/call', READ)
  await answer(at, 'approve')
  expect(await reading).toContain(`"result":${WRITTEN}`)
})

promise(['CS-MCP-2'], 'a result keeps its numbers at /mcp, beside a masked secret', async () => {
  const written = '{"content":[],"structuredContent":{"a":"my-own-secret","n":1.0,"b":1e400}}'
  const at = await gateway(
    `version: 1\nmcp_servers:\n  - { alias: raw, command: ${process.execPath}, args: [${RAW}, '${written}'], env: { RAW_TOKEN: my-own-secret }, approval: false }\n`,
  )
  const headers = {
    ...(await at.agent('a')),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-method': 'tools/call',
    'mcp-name': 'raw_read',
    'mcp-protocol-version': '2026-07-28',
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': HELLO.clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'raw_read', arguments: {}, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const said = await (await fetch(at.url, { method: 'POST', headers, body })).text()
  expect(said).toContain('"structuredContent":{"a":"[secret]","n":1.0,"b":1e400}')
})

promise(
  ['CS-MCP-2', 'CS-MCP-42'],
  'what merely stands in the environment is no secret; a token there is',
  async () => {
    const env = {
      GIT_AUTHOR_NAME: 'Lena Lindgren',
      SSH_AUTH_SOCK: '/run/user/1000/agent',
      KEYCLOAK_URL: 'https://sso.example.com',
      TOKENIZER_PATH: '/opt/tokenizers',
      GITHUB_TOKEN: 'ghp-very-secret-token',
      STRIPE_KEY: 'stripe-secret-value',
    }
    const client = rawClient(place(policy(false)), {
      command: [process.execPath, RAW, '{"content":[{"type":"text","text":"$ENV"}]}'],
      args: ['--name', 'raw'],
      env,
    })
    await client.ask(1, 'initialize', HELLO)
    const { result } = JSON.parse(await client.ask(3, 'tools/call', READ))
    const seen = JSON.parse(result.content[0].text)
    const { GITHUB_TOKEN: _, STRIPE_KEY: __, ...harmless } = env
    expect(seen).toMatchObject({ ...harmless, GITHUB_TOKEN: '[secret]', STRIPE_KEY: '[secret]' })
  },
)

promise(
  ['CS-MCP-42'],
  'a secret is hidden as the name of a member and as a number, too',
  async () => {
    const written =
      '{"content":[],"structuredContent":{"my-own-secret":{"n":1.0},"x my-own-secret":2,"pin":4111222233334444,"long":41112222333344445555,"other":4111222233334445}}'
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: raw, command: ${process.execPath}, args: [${RAW}, '${written}'], env: { RAW_TOKEN: my-own-secret, PIN_PASSWORD: "4111222233334444", LONG_SECRET: "41112222333344445555" }, approval: false }\n`,
    )
    const session = await wireSession(at, await at.agent('a'))
    const said = await (await session.post('tools/call', { name: 'raw_read' })).text()
    expect(said).toContain(
      '"structuredContent":{"[secret]":{"n":1.0},"x [secret]":2,"pin":"[secret]","long":"[secret]","other":4111222233334445}',
    )
  },
)
