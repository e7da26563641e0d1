import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { entryOf } from '../../inbox/src/features/servers/server-wish.ts'
import { entryText } from '../../src/api/mcp/server-entry.ts'
import type { PolicyDraft } from '../../src/api/policy.ts'
import type { TestedServer } from '../../src/api/servers.ts'
import { composeCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { policyFiles } from '../../src/app/node.ts'
import { lookAt } from '../../src/gateway/upstream/probe-upstream.ts'
import { specOf } from '../../src/gateway/upstream/upstream-spec.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { signedIn } from '../mcp/signed-in.ts'
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
    Object.assign(at.env, { COUNTERSIGN_MCP_ALLOW: at.url.host })
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
    const others = ['http://127.0.0.1:1/mcp', 'http://localhost:1/', 'https://[::1]/']
    for (const url of ['https://169.254.169.254/mcp', ...others]) {
      const inside = await admin.send('POST', '/v1/servers/test', { ...test('MCP_TOKEN'), url })
      expect([url, inside.status]).toEqual([url, 400])
      expect(JSON.stringify(inside.body)).toContain('--mcp-allow')
    }
    // Nothing came into force, and no other role may try.
    expect(await admin.get<object>('/v1/servers')).not.toMatchObject({
      servers: [{ alias: 'other' }],
    })
    expect((await at.author.send('POST', '/v1/servers/test', test('MCP_TOKEN'))).status).toBe(403)
    const command = { alias: 'x', command: 'id', runs: '["id"]' }
    const unallowed = await admin.send('POST', '/v1/servers/test', command)
    expect(unallowed.status).toBe(400)
    expect(JSON.stringify(unallowed.body)).toContain('--mcp-commands')
    // A policy in code is not written to.
    const add = { alias: 'other', url: 'https://mcp.example.com/mcp' }
    expect(await admin.get<object>('/v1/servers')).toMatchObject({
      can: expect.not.arrayContaining(['add']),
    })
    const inCode = await admin.send('POST', '/v1/policy/draft/servers', add)
    expect(inCode.status).toBe(400)
    expect(JSON.stringify(inCode.body)).toContain('in no file it can write')
  },
)

const TOOLS = [
  { tool: 'pay', approval: true },
  { tool: 'look', approval: false },
]

promise(
  ['CS-ADD-1', 'CS-ADD-2'],
  'a server is written into the file as a draft, and is in force when an admin applied it',
  async () => {
    const at = await filesWorld('version: 1\n# ours\n')
    const entry = { alias: 'bank', ...BANK, env: { WITNESS: at.witness }, tools: TOOLS }
    const before = readFileSync(at.file, 'utf8')
    // Words that were not confirmed start nothing, and neither does another role.
    const runs = JSON.stringify([BANK.command, ...BANK.args])
    const { tools: _, ...tried } = entry
    for (const wrong of [{}, { runs: '["id"]' }]) {
      const refused = await at.admin.send('POST', '/v1/servers/test', { ...tried, ...wrong })
      expect(refused.status).toBe(400)
    }
    expect((await at.viewer.send('POST', '/v1/servers/test', { ...tried, runs })).status).toBe(403)
    expect((await at.viewer.send('POST', '/v1/policy/draft/servers', entry)).status).toBe(403)
    expect(await at.eventTypes()).not.toContain('server.tried')

    const found = await at.admin.send('POST', '/v1/servers/test', { ...tried, runs })
    expect((found.body as TestedServer).tools.map(({ tool }) => tool)).toContain('pay')
    expect(await at.eventTypes()).toContain('server.tried')

    const drafted = await at.admin.send('POST', '/v1/policy/draft/servers', entry)
    expect(drafted).toMatchObject({ status: 200, body: { changed: true } })
    const { name, added } = drafted.body as PolicyDraft
    expect(JSON.stringify(added)).toContain('pay')
    expect(readFileSync(at.file, 'utf8').startsWith(before)).toBe(true)
    // In the file, on record, and not in force.
    expect(await at.eventTypes()).toContain('policy.drafted')
    expect(await at.aliases()).toEqual([])
    expect((await at.admin.send('POST', '/v1/policy/draft/servers', entry)).status).not.toBe(200)

    expect((await at.admin.send('POST', '/v1/policy/apply', { name })).status).toBe(200)
    expect(await at.aliases()).toEqual(['bank'])
    const taken = await at.admin.send('POST', '/v1/policy/draft/servers', entry)
    expect(JSON.stringify(taken.body)).toContain('already')
  },
)

promise(
  ['CS-ADD-2'],
  'what an admin may not name is not written: other variables, inner addresses, the studio',
  async () => {
    const at = await filesWorld('version: 1\n')
    for (const entry of [
      { alias: 'a', url: 'https://mcp.example.com', headers: { x: `\${HOME}` } },
      { alias: 'a', command: 'sh', args: ['-c', `echo \${PATH}`] },
      { alias: 'a', url: 'https://169.254.169.254/mcp' },
      { alias: 'a', url: 'http://localhost:9200/' },
      { alias: 'studio', url: 'https://mcp.example.com/mcp' },
      { alias: 'a' },
      { alias: 'a', url: 'https://mcp.example.com/mcp', command: 'id' },
    ]) {
      const refused = await at.admin.send('POST', '/v1/policy/draft/servers', entry)
      expect([entry, refused.status]).toEqual([entry, 400])
    }
    writeFileSync(at.file, 'version: 1\nmcp_servers: [\n')
    const broken = { alias: 'a', url: 'https://mcp.example.com/mcp' }
    const { status } = await at.admin.send('POST', '/v1/policy/draft/servers', broken)
    expect(status).not.toBe(200)
    expect(readFileSync(at.file, 'utf8')).toBe('version: 1\nmcp_servers: [\n')
    expect(await at.eventTypes()).not.toContain('policy.applied')
  },
)

promise(
  ['CS-ADD-2'],
  'a command that never answers is ended with all it started, when the page goes away',
  async () => {
    const at = await filesWorld('version: 1\n')
    const script = 'sleep 600 & echo $! > "$0"; wait'
    const body = { alias: 'a', command: 'sh', args: ['-c', script, at.witness] }
    const runs = JSON.stringify([body.command, ...body.args])
    const leave = new AbortController()
    const asked = fetch(new URL('/v1/servers/test', at.url), {
      method: 'POST',
      headers: { ...at.admin.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, runs }),
      signal: leave.signal,
    }).catch(() => {})
    const pid = await vi.waitFor(
      () => {
        const written = readFileSync(at.witness, 'utf8')
        if (!written.endsWith('\n')) throw new Error('it has not started yet')
        return Number(written)
      },
      { timeout: 10_000 },
    )
    process.kill(pid, 0)
    leave.abort()
    await asked
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 10_000 })
  },
)

promise(['CS-ADD-2'], 'a page that is gone before it starts anything starts nothing', async () => {
  const at = await filesWorld('version: 1\n')
  const args = ['-c', 'echo started > "$0"; sleep 5', at.witness]
  const spec = specOf('a', { command: 'sh', args }, process.env)
  if (!spec) throw new Error('there is no spec')
  const pins = { admit: async () => [], list: async () => [], accept: async () => false }
  const looked = await lookAt(spec, pins, '1', AbortSignal.abort())
  expect(looked.problem).toContain('took too long')
  expect(readFileSync(at.witness, 'utf8')).toBe('')
})

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
  const read = (...wanted: Parameters<typeof entryOf>) => {
    const text = `version: 1\n${entryText(entryOf(...wanted))}`
    const loaded = loadOwner({ file: 'p.yaml', text })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.mistakes))
    return loaded.document.servers.get('files')
  }
  const entry = read(wish, tools)
  expect(entry?.connection).toMatchObject({
    url: wish.url,
    headers: { authorization: `Bearer \${MCP_TOKEN}` },
  })
  expect([...(entry?.allowed ?? [])].map(([name, one]) => [name, one.approval?.asks])).toEqual([
    ['read', 'never'],
    ['write', 'when'],
  ])
  const local = read({ ...wish, kind: 'command', command: `npx -y "a b" --x='y: z'` })
  expect(local).toMatchObject({
    connection: { command: 'npx', args: ['-y', 'a b', "--x='y:", "z'"] },
    approval: { asks: 'when' },
  })
  const named = read({ ...wish, header: 'X-Api-Key' }, [])
  expect(named?.connection).toMatchObject({ headers: { 'x-api-key': `\${MCP_TOKEN}` } })
})

const BANK = {
  command: process.execPath,
  args: [path.join(import.meta.dirname, '../mcp/bank-server.ts')],
}

/** A server whose policy is a file, with commands allowed. */
async function filesWorld(text: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-add-'))
  const file = path.join(folder, 'countersign.yaml')
  const witness = path.join(folder, 'witness.txt')
  writeFileSync(file, text)
  writeFileSync(witness, '')
  const store = memoryStore()
  const { countersign } = composeCountersign({
    store,
    policy: policyFiles(file),
    mcp: mcpGateway({ commands: true }),
    publicUrl: 'http://127.0.0.1:1/',
  })
  await countersign.ready()
  const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await countersign.close()
    await serving.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const url = new URL('mcp', serving.url)
  const at = { url, store } as never
  const admin = await signedIn(at, 'root@example.com', ['admin'])
  const viewer = await signedIn(at, 'vera@example.com', ['approver'])
  return {
    file,
    witness,
    url,
    admin,
    viewer,
    async aliases() {
      const { servers } = await admin.get<{ servers: { alias: string }[] }>('/v1/servers')
      return servers.map(({ alias }) => alias)
    },
    async eventTypes() {
      const { entries } = await admin.get<AuditPage>('/v1/audit?order=newest&limit=100')
      return entries.map(({ event }) => event.type)
    },
  }
}

interface AuditPage {
  readonly entries: readonly { readonly event: { readonly type: string } }[]
}
