import { expect } from 'vitest'
import { serverYaml } from '../../inbox/src/features/servers/server-yaml.ts'
import type { TestedServer } from '../../src/api/servers.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { promise } from '../support/promise.ts'
import { SPEC, world } from './world.ts'

promise(
  ['CS-ADD-1', 'SP-24', 'SP-60'],
  'an admin tests an address, and only variables for servers are filled in',
  async () => {
    const at = await world()
    await at.publish('add', await at.save('add', SPEC))
    const { token } = await at.server.credentials.tokens.create({ agent: 'other' })
    Object.assign(at.env, { MCP_TOKEN: token, DATABASE_PASSWORD: 'not-for-servers' })
    const admin = await at.signedIn('root@example.com', ['admin'])
    const test = (name: string) => ({
      alias: 'other',
      url: at.url.href,
      headers: { authorization: `Bearer \${${name}}` },
    })
    const found = await admin.send('POST', '/v1/servers/test', test('MCP_TOKEN'))
    const { tools } = found.body as TestedServer
    expect(tools.map(({ tool }) => tool)).toContain('studio_add')
    const refused = await admin.send('POST', '/v1/servers/test', test('DATABASE_PASSWORD'))
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).toContain('needs the variable DATABASE_PASSWORD')
    const inside = { ...test('MCP_TOKEN'), url: 'https://169.254.169.254/mcp' }
    expect((await admin.send('POST', '/v1/servers/test', inside)).status).toBe(400)
    // Nothing came into force, and no other role may try.
    expect(await admin.get<object>('/v1/servers')).not.toMatchObject({
      servers: [{ alias: 'other' }],
    })
    expect((await at.author.send('POST', '/v1/servers/test', test('MCP_TOKEN'))).status).toBe(403)
    const command = { alias: 'x', command: 'id', headers: {} }
    expect((await admin.send('POST', '/v1/servers/test', command)).status).toBe(400)
  },
)

promise(['CS-ADD-1'], 'the lines for the file say what was chosen, whatever the names hold', () => {
  const wish = {
    alias: 'files',
    kind: 'url' as const,
    url: 'https://mcp.example.com/mcp?a="b"#c',
    command: '',
    header: '',
    variable: 'MCP_TOKEN',
  }
  const tools = [
    { tool: 'read', isOffered: true, isAsked: false },
    { tool: 'write', isOffered: true, isAsked: true },
    { tool: 'drop', isOffered: false, isAsked: true },
  ]
  const read = (text: string) => {
    const loaded = loadOwner({ file: 'p.yaml', text: `version: 1\n${text}` })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.mistakes))
    return loaded.document.servers.get('files')
  }
  const entry = read(serverYaml(wish, tools))
  expect(entry?.connection).toMatchObject({
    url: wish.url,
    headers: { authorization: `Bearer \${MCP_TOKEN}` },
  })
  expect([...(entry?.allowed ?? [])].map(([name, one]) => [name, one.approval?.asks])).toEqual([
    ['read', 'never'],
    ['write', 'when'],
  ])
  const local = read(
    serverYaml({ ...wish, kind: 'command', command: `npx -y "a b" --x='y: z'` }, []),
  )
  expect(local).toMatchObject({
    connection: { command: 'npx', args: ['-y', 'a b', "--x='y:", "z'"] },
    approval: { asks: 'when' },
  })
})
