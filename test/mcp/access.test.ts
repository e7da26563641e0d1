import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished } from 'vitest'
import type { LockTarget } from '../../src/approval/locks/lock.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { connect, place } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { signedIn } from './signed-in.ts'

const SHELF = path.resolve(import.meta.dirname, 'prompts-server.ts')

interface Served extends Gateway {
  /** What reached the server, besides lists. */
  heard(): string[]
}

async function shelf(more = '', rest = ''): Promise<Served> {
  const witness = path.join(folder(), 'witness')
  const one = (alias: string) =>
    `  - { alias: ${alias}, command: ${process.execPath}, args: [${SHELF}, ${witness}] ${more} }\n`
  const at = await gateway(`version: 1\n${rest}mcp_servers:\n${one('shelf')}`)
  return { ...at, heard: () => linesOf(witness) }
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

type Asks = readonly [
  name: string,
  kind: 'resources' | 'prompts',
  ask: (one: Client) => Promise<unknown>,
]

const argument = { name: 'x', value: 'y' }
const prompt = (name: string) => ({ ref: { type: 'ref/prompt' as const, name }, argument })
const ways = (hello: string): readonly Asks[] => [
  ['resources/read', 'resources', (one) => one.readResource({ uri: 'db://users' })],
  [
    'resources/read of a template',
    'resources',
    (one) => one.readResource({ uri: 'db://drop/all' }),
  ],
  ['resources/subscribe', 'resources', (one) => one.subscribeResource({ uri: 'db://users' })],
  ['resources/unsubscribe', 'resources', (one) => one.unsubscribeResource({ uri: 'db://secret' })],
  ['prompts/get', 'prompts', (one) => one.getPrompt({ name: hello })],
  ['completion of a prompt', 'prompts', (one) => one.complete(prompt(hello))],
  [
    'completion of a resource',
    'resources',
    (one) => one.complete({ ref: { type: 'ref/resource', uri: 'db://{table}' }, argument }),
  ],
]
const WAYS = ways('shelf_hello')

promise.each(
  ['CS-MCP-37', 'CS-LOCK-1'],
  'the kill switch closes the doors beside the tools',
  [
    ['everything', { everything: true }, 'everything is locked'],
    ['the server', { server: 'shelf' }, 'server shelf is locked'],
    ['the agent', { agent: 'a' }, 'agent a is locked'],
  ] as const,
  async (_, target: LockTarget, words) => {
    const at = await shelf()
    const one = await client(at)
    for (const [, , ask] of WAYS) await ask(one)
    await one.setLoggingLevel('info')
    const before = at.heard()
    expect(before).toHaveLength(WAYS.length + 1)
    const {
      admin: { locks },
    } = at.server.gate
    const ana = at.server.credentials.accounts.person(
      { issuer: 'local', subject: 'ana', roles: ['approver', 'admin'] },
      'signed-in',
    )
    const lock = await locks.set(ana, { target, reason: 'we are looking' })
    for (const [name, , ask] of WAYS) {
      await expect(ask(one), name).rejects.toThrow(`${words}: we are looking`)
    }
    await expect(one.setLoggingLevel('debug')).rejects.toThrow(words)
    expect(at.heard()).toEqual(before)
    // Nobody else is stopped by a lock on one agent.
    if ('agent' in target) await (await client(at, 'b')).readResource({ uri: 'db://users' })
    await locks.lift(ana, lock.id)
    await one.readResource({ uri: 'db://users' })
    expect(at.heard()).toHaveLength(before.length + ('agent' in target ? 2 : 1))
  },
)

promise(
  ['CS-MCP-37'],
  'a lock holds for a client of the newer era, on a pipe, and for whoever tries a server',
  async () => {
    const at = await shelf()
    const modern = new ModernClient(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const headers = await at.agent('a')
    await modern.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => modern.close())
    await modern.readResource({ uri: 'db://users' })
    const bo = await signedIn(at, 'bo@example.com', ['approver', 'admin'])
    const trying = new Client({ name: 'inbox', version: '1' })
    const url = new URL('/v1/servers/shelf/try', at.url)
    await trying.connect(
      new StreamableHTTPClientTransport(url, {
        requestInit: { headers: bo.headers },
      }) as Parameters<Client['connect']>[0],
    )
    onTestFinished(() => trying.close())
    const locked = { target: { everything: true }, reason: 'we are looking' }
    expect((await bo.send('POST', '/v1/locks', locked)).status).toBe(201)
    for (const one of [modern, trying]) {
      await expect(one.readResource({ uri: 'db://users' })).rejects.toThrow('everything is locked')
      await expect(one.getPrompt({ name: 'shelf_hello' })).rejects.toThrow('everything is locked')
    }
    expect(at.heard()).toHaveLength(1)

    const alone = place()
    const witness = path.join(alone.cwd, 'heard')
    const command = [process.execPath, SHELF, witness]
    const piped = await connect(alone, { command, args: ['--name', 'shelf'] })
    await piped.client.readResource({ uri: 'db://users' })
    const store = await alone.store()
    const by = { issuer: 'local', subject: 'ana' }
    const lock = { id: 'one', target: { server: 'shelf' }, by, reason: 'we are looking', at: 0 }
    await store.amend({
      commandId: crypto.randomUUID(),
      event: { type: 'lock.set', by: { person: by }, facts: { lock: 'one' } },
      changes: [{ kind: 'lock', id: 'one', value: lock, expect: 'absent' }],
    })
    await expect
      .poll(() => piped.client.readResource({ uri: 'db://users' }).then(() => '', String), {
        timeout: 10_000,
      })
      .toContain('server shelf is locked: we are looking')
    const before = linesOf(witness).length
    for (const [name, , ask] of ways('hello')) {
      await expect(ask(piped.client), name).rejects.toThrow('server shelf is locked')
    }
    expect(linesOf(witness)).toHaveLength(before)
    await expect.poll(piped.stderr).toMatch(/shelf resources\/read "db:\/\/users" allowed/)
    await expect.poll(piped.stderr).toMatch(/shelf resources\/read "db:\/\/users" locked/)
  },
)

promise.each(
  ['CS-MCP-38'],
  'a policy denies what is no tool',
  [
    ['resources: deny', ', resources: deny', '', ['prompts']],
    ['prompts: deny', ', prompts: deny', '', ['resources']],
    ['defaults.gateway: deny', '', 'defaults: { gateway: deny }\n', []],
    [
      'an entry says otherwise',
      ', resources: allow',
      'defaults: { gateway: deny }\n',
      ['resources'],
    ],
    [
      'governance over a server',
      ', resources: allow, prompts: allow',
      'governance: [{ id: none, match: { server: "sh*" }, deny: Nobody uses it }]\n',
      [],
    ],
    [
      'governance about tools of a name, or about risk',
      '',
      'governance: [{ id: a, match: { tool: "delete_*" }, deny: No }, { id: b, match: { risk: { gte: L3 } }, deny: No }]\n',
      ['resources', 'prompts'],
    ],
    ['nothing', '', '', ['resources', 'prompts']],
  ] as const,
  async (_, more, rest, passing: readonly string[]) => {
    const at = await shelf(more, rest)
    const one = await client(at)
    for (const [name, kind, ask] of WAYS) {
      if (passing.includes(kind)) await ask(one)
      else await expect(ask(one), name).rejects.toThrow('denied_by_policy')
    }
    const allowed = WAYS.filter(([, kind]) => passing.includes(kind))
    expect(at.heard()).toHaveLength(allowed.length)
    // Each is a line of the log and counted, whether it passed or not.
    const lines = at.logged.filter((line) =>
      /^shelf \S+ ".*" (allowed|denied_by_policy)$/.test(line),
    )
    expect(lines).toHaveLength(WAYS.length)
    const metrics = await fetch(new URL('/metrics', at.url), {
      headers: (await signedIn(at, 'vi@example.com', ['viewer', 'admin'])).headers,
    })
    const counted = [
      ...(await metrics.text()).matchAll(
        /^countersign_mcp_accesses_total\{server="shelf",.*outcome="(\w+)"\} (\d+)$/gm,
      ),
    ]
    const sum = (outcome: string) =>
      counted.reduce((all, [, is, n]) => all + (is === outcome ? Number(n) : 0), 0)
    expect(sum('allowed')).toBe(allowed.length)
    expect(sum('denied_by_policy')).toBe(WAYS.length - allowed.length)
  },
)

promise(
  ['CS-MCP-37', 'CS-MCP-3'],
  'nothing but prompts and resources is completed, and a level is a level',
  async () => {
    const at = await shelf()
    const one = await client(at)
    for (const ref of [
      { type: 'ref/tool', name: 'pay', uri: 'db://users' },
      { type: 'ref/tool', name: 'shelf_hello' },
      { type: 'ref/prompt', name: 'none' },
      { name: 'shelf_hello' },
    ]) {
      const params = { ref, argument }
      const sent = one.request(
        { method: 'completion/complete', params } as never,
        EmptyResultSchema,
      )
      await expect(sent, JSON.stringify(ref)).rejects.toThrow(/nothing to complete|no such prompt/)
    }
    const params = { level: 'a secret, told in a level' }
    const level = one.request({ method: 'logging/setLevel', params } as never, EmptyResultSchema)
    await expect(level).rejects.toThrow('no such level')
    expect(at.heard()).toEqual([])
  },
)
