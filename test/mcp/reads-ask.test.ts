import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, vi } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { answer, chosen, connect, place, question, shownIn } from './gateway.ts'
import { type Gateway, type GatewayOptions, gateway } from './http-gateway.ts'
import { signedIn } from './signed-in.ts'

const SHELF = path.resolve(import.meta.dirname, 'prompts-server.ts')
const URI = 'db://users'
const CONTENT = { contents: [{ uri: URI, text: 'all users' }] }
const EFFECTS = { annotations: { readOnlyHint: false } }

interface Served extends Gateway {
  /** What reached the servers, besides lists. */
  heard(): string[]
}

interface Shelf extends GatewayOptions {
  /** Keys of the server's entry. */
  readonly entry?: string
  /** Keys of the file. */
  readonly rest?: string
  /** What the server says of all it has. */
  readonly says?: object
  readonly aliases?: readonly string[]
}

async function shelf({
  entry = ', resources: confirm, prompts: confirm',
  rest = '',
  says = {},
  aliases = ['shelf'],
  ...options
}: Shelf = {}): Promise<Served> {
  const file = path.join(folder(), 'witness')
  const args = JSON.stringify([SHELF, file, JSON.stringify(says)])
  const lines = aliases.map(
    (alias) => `  - { alias: ${alias}, command: ${process.execPath}, args: ${args} ${entry} }\n`,
  )
  const at = await gateway(`version: 1\n${rest}mcp_servers:\n${lines.join('')}`, options)
  return { ...at, heard: () => linesOf(file) }
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

async function client({ url, agent }: Gateway, name = 'a'): Promise<Client> {
  const one = new Client({ name: 'c', version: '1' })
  const requestInit = { headers: await agent(name) }
  await one.connect(
    new StreamableHTTPClientTransport(url, { requestInit }) as Parameters<Client['connect']>[0],
  )
  onTestFinished(() => one.close())
  return one
}

function open({ store }: Gateway) {
  return vi.waitFor(async () => {
    const { approvals } = await store.list({ status: ['pending'] })
    if (approvals.length === 0) throw new Error('nothing is asked')
    return approvals
  })
}

/** Settled or not, it is not lost while the test looks elsewhere. */
function kept<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}

promise(
  ['CS-MCP-77', 'CS-MCP-3'],
  'a read that asks gives its content after a yes, unchanged, and the next one asks again',
  async () => {
    const at = await shelf()
    const one = await client(at)
    for (const times of [1, 2]) {
      const reading = kept(one.readResource({ uri: URI }))
      const [approval] = await open(at)
      expect(approval?.call).toMatchObject({ tool: 'resources/read', server: 'shelf' })
      expect(at.heard()).toHaveLength(times - 1)
      await at.answer('approve')
      expect(await reading).toEqual(CONTENT)
      expect(at.heard()).toHaveLength(times)
    }
    expect(at.heard()[0]).toBe(`resources/read ${JSON.stringify({ uri: URI })}`)
  },
)

promise(['CS-MCP-77'], 'a prompt that asks is shown with its arguments', async () => {
  const at = await shelf()
  const one = await client(at)
  const getting = kept(one.getPrompt({ name: 'shelf_hello', arguments: { whom: 'Ana' } }))
  const [approval] = await open(at)
  const vi = await signedIn(at, 'vi@example.com', ['viewer', 'approver'])
  const card = await vi.get<{ arguments: string }>(`/v1/approvals/${approval?.id}`)
  expect(card).toMatchObject({ tool: 'prompts/get', server: 'shelf' })
  expect(JSON.parse(card.arguments)).toEqual({ name: 'hello', arguments: { whom: 'Ana' } })
  await at.answer('approve')
  expect((await getting).messages).toHaveLength(1)
  expect(at.heard()).toEqual(['prompts/get {"arguments":{"whom":"Ana"},"name":"hello"}'])
})

promise(['CS-MCP-77'], 'a denied read is an error, and nothing reaches the server', async () => {
  const at = await shelf()
  const one = await client(at)
  for (const ask of [
    () => one.readResource({ uri: URI }),
    () => one.subscribeResource({ uri: URI }),
    () => one.getPrompt({ name: 'shelf_hello' }),
  ]) {
    const asking = kept(ask())
    await at.answer('deny')
    await expect(asking).rejects.toMatchObject({
      code: -32_003,
      data: { 'countersign/code': 'denied' },
    })
  }
  expect(at.heard()).toEqual([])
})

promise(
  ['CS-MCP-77'],
  'a read that no person answers in time is pending, and the same read uses the yes',
  async () => {
    const at = await shelf({ hold: 300 })
    const one = await client(at)
    await expect(one.readResource({ uri: URI })).rejects.toMatchObject({
      code: -32_003,
      data: { 'countersign/status': 'pending' },
    })
    const [approval] = await open(at)
    expect(at.heard()).toEqual([])
    // Another agent asks anew: the yes is not its own.
    await at.answer('approve')
    const other = await client(at, 'b')
    await expect(other.readResource({ uri: URI })).rejects.toThrow('pending')
    expect(at.heard()).toEqual([])
    expect(await one.readResource({ uri: URI })).toEqual(CONTENT)
    const { approvals } = await at.store.list({})
    expect(approvals).toHaveLength(2)
    expect((await at.store.get(approval?.id ?? ''))?.execution?.state).toBe('succeeded')
  },
)

promise(['CS-MCP-77'], 'an expired question reads nothing', async () => {
  const at = await shelf({ rest: 'defaults: { decide_by: 1s }\n' })
  const one = await client(at)
  await expect(one.readResource({ uri: URI })).rejects.toMatchObject({
    code: -32_003,
    data: { 'countersign/code': 'expired' },
  })
  expect(at.heard()).toEqual([])
})

promise(['CS-MCP-77'], 'a client that cancels or leaves withdraws its read', async () => {
  const at = await shelf()
  const one = await client(at)
  const stop = new AbortController()
  const reading = kept(one.readResource({ uri: URI }, { signal: stop.signal }))
  const [first] = await open(at)
  stop.abort('the user pressed stop')
  await expect(reading).rejects.toThrow()
  const status = async (id = '') => (await at.store.get(id))?.status
  await expect.poll(() => status(first?.id)).toBe('withdrawn')
  // One that ends its session wants nothing any more.
  const leaving = await client(at, 'b')
  void kept(leaving.readResource({ uri: URI }))
  const [second] = await open(at)
  await (leaving.transport as unknown as StreamableHTTPClientTransport).terminateSession()
  await expect.poll(() => status(second?.id)).toBe('withdrawn')
  expect(at.heard()).toEqual([])
})

promise(
  ['CS-MCP-77', 'CS-LOCK-1'],
  'a lock that is set while a read waits keeps it from being read',
  async () => {
    const at = await shelf()
    const one = await client(at)
    void kept(one.readResource({ uri: URI }))
    await open(at)
    const ana = { issuer: 'local', subject: 'ana', roles: ['approver', 'admin'] as const }
    const by = at.server.credentials.accounts.person(ana, 'signed-in')
    await at.server.gate.admin.locks.set(by, { target: { server: 'shelf' }, reason: 'looking' })
    await at.answer('approve').catch(() => {})
    await expect(one.readResource({ uri: 'db://more' })).rejects.toThrow('server shelf is locked')
    expect(at.heard()).toEqual([])
  },
)

promise(
  ['CS-MCP-78'],
  'what asks is not completed, and a yes to one server is none for another',
  async () => {
    const at = await shelf({ hold: 300 })
    const one = await client(at)
    const argument = { name: 'x', value: 'y' }
    for (const ref of [
      { type: 'ref/prompt' as const, name: 'shelf_hello' },
      { type: 'ref/resource' as const, uri: 'db://{table}' },
    ]) {
      await expect(one.complete({ ref, argument })).rejects.toMatchObject({
        code: -32_003,
        data: { 'countersign/code': 'approval_required' },
      })
    }
    await expect(one.unsubscribeResource({ uri: URI })).rejects.toThrow('approval_required')
    expect(at.heard()).toEqual([])
    const two = await shelf({ hold: 300, aliases: ['left', 'right'] })
    const both = await client(two)
    const left = kept(both.getPrompt({ name: 'left_hello' }))
    await expect(left).rejects.toThrow('pending')
    await two.answer('approve')
    await expect(both.getPrompt({ name: 'right_hello' })).rejects.toThrow('pending')
    expect(two.heard()).toEqual([])
    await both.getPrompt({ name: 'left_hello' })
    expect(two.heard()).toHaveLength(1)
    await expect(both.readResource({ uri: URI })).rejects.toThrow('both serve')
  },
)

promise(
  ['CS-MCP-77'],
  'whatever a server answers after a yes is its answer, and an error of it is its error',
  async () => {
    const at = await shelf({ hold: 5_000 })
    const one = await client(at)
    const hostile = 'db://<script>"\u202e'
    const reading = kept(one.readResource({ uri: hostile }))
    await at.answer('approve')
    expect((await reading).contents).toEqual([{ uri: hostile, text: 'all users' }])
    const failing = kept(one.readResource({ uri: 'db://broken' }))
    await at.answer('approve')
    await expect(failing).rejects.toMatchObject({ code: -32_099 })
  },
)

promise.each(
  ['CS-MCP-79'],
  'a server that declares effects makes reading ask, and can only tighten',
  [
    ['readOnlyHint: false', '', '', EFFECTS, 'pending'],
    ['in _meta', '', '', { _meta: { destructiveHint: true } }, 'pending'],
    ['a value that is no boolean', '', '', { annotations: { readOnlyHint: 'no' } }, 'pending'],
    ['the file says allow', ', resources: allow, prompts: allow', '', EFFECTS, 'read'],
    ['gateway: allow', '', 'defaults: { gateway: allow }\n', EFFECTS, 'read'],
    ['gateway: deny', '', 'defaults: { gateway: deny }\n', EFFECTS, 'denied_by_policy'],
    [
      'a declaration does not lower',
      ', resources: confirm, prompts: confirm',
      '',
      { annotations: { readOnlyHint: true } },
      'pending',
    ],
    ['nothing declared', '', '', {}, 'read'],
    [
      'governance that asks about the method',
      ', resources: allow, prompts: allow',
      'governance: [{ id: a, match: { tool: resources/read }, approval: true }, { id: b, match: { tool: "prompts/*" }, approval: true }]\n',
      {},
      'pending',
    ],
    [
      'governance that asks about everything',
      '',
      'governance: [{ id: all, match: { server: "*" }, approval: { approvers: [ana@example.com] } }]\n',
      {},
      'pending',
    ],
    [
      'governance that asks about risk',
      '',
      'governance: [{ id: some, match: { risk: { gte: L1 } }, approval: true }]\n',
      {},
      'read',
    ],
    [
      'governance that denies what has effects',
      ', resources: allow, prompts: allow',
      'governance: [{ id: some, match: { risk: { gte: L2 } }, deny: Not these }]\n',
      EFFECTS,
      'denied_by_policy',
    ],
  ] as const,
  async (_, entry, rest, says, ends) => {
    const at = await shelf({ entry, rest, says, hold: 300 })
    const one = await client(at)
    for (const ask of [
      () => one.readResource({ uri: URI }),
      () => one.readResource({ uri: 'db://orders' }),
      () => one.getPrompt({ name: 'shelf_hello' }),
    ]) {
      if (ends === 'read') await ask()
      else await expect(ask()).rejects.toThrow(ends)
    }
    expect(at.heard()).toHaveLength(ends === 'read' ? 3 : 0)
  },
)

promise.each(
  ['CS-MCP-79'],
  'a list that fails hides no effects, and one that a server does not have declares none',
  [
    ['resources/list', -32_603, 'pending'],
    ['resources/templates/list', -32_000, 'pending'],
    ['resources/list', -32_601, 'read'],
    ['resources/templates/list', -32_601, 'read'],
  ] as const,
  async (list, code, ends) => {
    const at = await shelf({ entry: '', says: { broken: { [list]: code } }, hold: 300 })
    const one = await client(at)
    if (ends === 'pending') {
      await expect(one.readResource({ uri: URI })).rejects.toThrow(ends)
      expect(at.heard()).toEqual([])
      // The list still fails: that is no other definition than the one that was approved.
      await at.answer('approve')
    }
    expect(await one.readResource({ uri: URI })).toEqual(CONTENT)
  },
)

promise(
  ['CS-MCP-79', 'CS-LOCK-1'],
  'a lock that is set while a server is asked for its lists holds for the read',
  async () => {
    const at = await shelf({ entry: '', says: { slow: 1_000 } })
    const one = await client(at)
    const reading = kept(one.readResource({ uri: URI }))
    await new Promise((done) => setTimeout(done, 500))
    const ana = { issuer: 'local', subject: 'ana', roles: ['approver', 'admin'] as const }
    const by = at.server.credentials.accounts.person(ana, 'signed-in')
    await at.server.gate.admin.locks.set(by, { target: { server: 'shelf' }, reason: 'looking' })
    await expect(reading).rejects.toThrow('server shelf is locked')
    expect(at.heard()).toEqual([])
  },
)

promise.each(
  ['CS-MCP-79'],
  'another spelling of an address with effects asks as well',
  [
    ['DB://users'],
    [' db://users'],
    ['db:\n//users'],
    ['db://%75sers'],
    ['db://users/'],
    ['db://users#x'],
    ['other://users'],
  ] as const,
  async (uri) => {
    const at = await shelf({ entry: '', says: { ...EFFECTS, templates: {} }, hold: 300 })
    const one = await client(at)
    await one.readResource({ uri: 'db://orders' })
    expect(at.heard()).toHaveLength(1)
    await expect(one.readResource({ uri })).rejects.toThrow('pending')
    expect(at.heard()).toHaveLength(1)
  },
)

promise(
  ['CS-MCP-77'],
  'a client of the newer era waits by its own way, and gets what was read',
  async () => {
    const at = await shelf()
    const modern = new ModernClient(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const headers = await at.agent('a')
    await modern.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => modern.close())
    const reading = kept(modern.readResource({ uri: URI }))
    await at.answer('approve')
    expect(await reading).toMatchObject(CONTENT)
    const denied = kept(modern.getPrompt({ name: 'shelf_hello' }))
    await at.answer('deny')
    await expect(denied).rejects.toMatchObject({ code: -32_003 })
    expect(at.heard()).toEqual([`resources/read ${JSON.stringify({ uri: URI })}`])
  },
)

promise(
  ['CS-MCP-77', 'CS-MCP-79'],
  'on a pipe the client shows the address, and another process answers',
  async () => {
    const at = place('version: 1\n')
    const witness = path.join(at.cwd, 'heard')
    const command = [process.execPath, SHELF, witness, JSON.stringify(EFFECTS)]
    const shown: string[] = []
    const piped = await connect(at, {
      command,
      args: ['--name', 'shelf'],
      onElicit: ({ message }) => {
        shown.push(message)
        return chosen('approve')
      },
    })
    expect(await piped.client.readResource({ uri: URI })).toEqual(CONTENT)
    expect(shownIn(shown[0] ?? '', 'uri')).toBe(JSON.stringify(URI))
    expect(shown[0]).toContain('Tool: resources/read of server shelf')
    const plain = await connect(at, { command, args: ['--name', 'shelf'] })
    const reading = kept(plain.client.readResource({ uri: 'db://orders' }))
    expect((await question(at)).call.tool).toBe('resources/read')
    await answer(at, 'deny')
    await expect(reading).rejects.toMatchObject({ code: -32_003 })
    expect(linesOf(witness)).toHaveLength(1)
  },
)
