/*
 * What standing in front of an MCP server costs a call that needs no approval. `npm run bench:mcp` (add
 * `-- --json FILE`).
 *
 * Each path has processes of its own and one client, of the SDK or bare. All paths take turns in short
 * rounds, and every ratio is taken inside one round, so that a slow machine is slow for all. The
 * relays do nothing but read each message as JSON and write it again, between two pipes or over
 * HTTP: nothing that runs on Node as a process of its own can cost much less.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { processorTime } from './lib/processor-time.ts'
import { legacyClient, modernClient, type Say } from './mcp/bare-client.ts'

const ROUNDS = 21
const CALLS = 60
// Rounds until all code is compiled; over HTTP fewer, because those take their time.
const WARM = { stdio: 120, http: 5 }
// A token makes no more than a hundred requests in a second, so rounds over HTTP begin that far apart.
const HTTP_ROUND_MS = (CALLS / 100) * 1_000 + 50

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const root = path.resolve(import.meta.dirname, '..')
const ECHO = path.join(root, 'bench/mcp/echo-server.ts')
const RELAY = path.join(root, 'bench/mcp/relay.ts')
const HTTP_RELAY = path.join(root, 'bench/mcp/http-relay.ts')
const BIN = path.join(root, 'bin/countersign.js')
const NODE = process.execPath
const place = mkdtempSync(path.join(tmpdir(), 'countersign-bench-'))
const env = { ...(process.env as Record<string, string>), HOME: place }
const children: ChildProcess[] = []

function start(args: readonly string[], quiet: 'ignore' | 'inherit' = 'ignore'): ChildProcess {
  const child = spawn(NODE, [...args], { cwd: place, env, stdio: ['ignore', 'pipe', quiet] })
  children.push(child)
  return child
}

function firstText(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const found = pattern.exec(text)
      if (found) resolve(found[1] ?? found[0])
    })
    child.on('exit', (code) => reject(new Error(`ended with ${code}`)))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function connected(transport: unknown): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

async function overHttp(url: string, headers: Record<string, string> = {}): Promise<Client> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connected(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
      )
    } catch (error) {
      if (attempt >= 100) throw error
      await pause(100)
    }
  }
}

async function overStdio(args: readonly string[]): Promise<{ client: Client; pid: number }> {
  const command = { command: NODE, args: [...args], cwd: place, env, stderr: 'ignore' as const }
  const transport = new StdioClientTransport(command)
  const client = await connected(transport)
  return { client, pid: transport.pid ?? 0 }
}

interface Way {
  readonly name: string
  /** The process between client and server. */
  readonly between?: number | undefined
  /** What ratios of this way are taken to. */
  readonly base: string
  say(text: string): Promise<string | undefined>
  close?(): Promise<void>
}

/** A way through a client of the SDK. */
function sdkWay(
  name: string,
  client: Client,
  tool: string,
  { between, meta }: { between?: number | undefined; meta?: Record<string, unknown> } = {},
): Way {
  return {
    name,
    between,
    base: overPipes(name) ? 'direct stdio' : 'direct HTTP',
    async say(say) {
      const params = { name: tool, arguments: { say }, ...(meta ? { _meta: meta } : {}) }
      const { content } = await client.callTool(params)
      const [said] = content as { readonly text?: string }[]
      return said?.text
    },
    close: () => client.close(),
  }
}

/** A way through a client that only writes and reads. */
function bareWay(name: string, client: Say, tool: string, between?: number): Way {
  return { name, between, base: BARE, say: (say) => client(say, tool) }
}

const BARE = 'direct HTTP, bare client'
const RELAYED = 'bare relay HTTP→HTTP'
const BARE_RELAYED = 'bare relay HTTP→HTTP, bare client'
const META = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }

async function ways(): Promise<Way[]> {
  const port = await firstText(start([ECHO, 'http']), /^(\d+)\n/)
  const direct = `http://127.0.0.1:${port}/mcp`
  writeFileSync(
    path.join(place, 'countersign.yaml'),
    `version: 1
mcp_servers:
  - { alias: web, url: "${direct}", approval: { condition: { args_match: { say: forbidden } } } }
  - { alias: pipe, command: ${NODE}, args: [${ECHO}, stdio], approval: { condition: { args_match: { say: forbidden } } } }
`,
  )
  const server = start([BIN, 'start', '--port', '0', '--json'])
  const gateway = await firstText(server, /"url": "([^"]+)"/)
  // One each: requests of one token are limited.
  const agent = async (name: string) => {
    const made = start([BIN, 'token', 'create', '--agent', name])
    return { authorization: `Bearer ${await firstText(made, /(cs_[0-9a-f]+_[\w-]+)/)}` }
  }
  const supergateway = await freePort()
  const stdio = `${NODE} ${ECHO} stdio`
  const peers = path.join(root, 'node_modules')
  const superArgs = ['--stdio', stdio, '--outputTransport', 'streamableHttp', '--stateful']
  const superBin = path.join(peers, 'supergateway/dist/index.js')
  const superServer = start([superBin, ...superArgs, '--port', String(supergateway)])
  const mcpProxy = await freePort()
  const proxyBin = path.join(peers, 'mcp-proxy/dist/bin/mcp-proxy.mjs')
  const proxyArgs = ['--port', String(mcpProxy), '--server', 'stream', '--', NODE, ECHO, 'stdio']
  const proxyServer = start([proxyBin, ...proxyArgs])
  const url = `${gateway}mcp`
  const web = await overHttp(url, await agent('web'))
  const marked = await overHttp(url, await agent('marked'))
  const pipe = await overHttp(url, await agent('pipe'))
  const overSuper = await overHttp(`http://127.0.0.1:${supergateway}/mcp`)
  const overProxy = await overHttp(`http://127.0.0.1:${mcpProxy}/mcp`)
  const relayServer = start([HTTP_RELAY, direct])
  const relay = await firstText(relayServer, /^(\d+)\n/)
  const overRelay = `http://127.0.0.1:${relay}/mcp`
  const relayed = await overStdio([RELAY, NODE, ECHO, 'stdio'])
  const guarded = await overStdio([BIN, 'mcp', '--name', 'pipe', '--', NODE, ECHO, 'stdio'])
  const own = { between: server.pid }
  const ownMeta = { ...own, meta: META }
  const bare = await legacyClient(url, await agent('bare'))
  const modern = modernClient(url, await agent('modern'))
  const byPipe = { between: guarded.pid }
  return [
    sdkWay('direct HTTP', await overHttp(direct), 'echo'),
    sdkWay(RELAYED, await overHttp(overRelay), 'echo', { between: relayServer.pid }),
    sdkWay('countersign HTTP→HTTP', web, 'web_echo', own),
    sdkWay('countersign HTTP→HTTP, _meta', marked, 'web_echo', ownMeta),
    sdkWay('countersign HTTP→stdio', pipe, 'pipe_echo', own),
    sdkWay('supergateway HTTP→stdio', overSuper, 'echo', { between: superServer.pid }),
    sdkWay('mcp-proxy HTTP→stdio', overProxy, 'echo', { between: proxyServer.pid }),
    bareWay(BARE, await legacyClient(direct), 'echo'),
    bareWay(BARE_RELAYED, await legacyClient(overRelay), 'echo', relayServer.pid),
    bareWay('countersign, bare client', bare, 'web_echo', server.pid),
    bareWay('countersign, 2026-07-28', modern, 'web_echo', server.pid),
    sdkWay('direct stdio', (await overStdio([ECHO, 'stdio'])).client, 'echo'),
    sdkWay('bare relay stdio→stdio', relayed.client, 'echo', { between: relayed.pid }),
    sdkWay('countersign stdio→stdio', guarded.client, 'echo', byPipe),
    sdkWay('countersign stdio→stdio, _meta', guarded.client, 'echo', { ...byPipe, meta: META }),
  ]
}

function overPipes(name: string): boolean {
  return name.includes('stdio→stdio') || name === 'direct stdio'
}

interface Round {
  readonly ms: number
  /** Of the process between, for one call. */
  readonly cpuUs: number
}

async function round({ name, say, between }: Way): Promise<Round> {
  const times: number[] = []
  const used = () => (between === undefined ? undefined : processorTime(between)) ?? Number.NaN
  const before = used()
  const ends = overPipes(name) ? undefined : pause(HTTP_ROUND_MS)
  for (let call = 0; call < CALLS; call++) {
    const text = `message ${call}`
    const from = performance.now()
    const said = await say(text)
    times.push(performance.now() - from)
    if (said !== text) throw new Error(`${name} answered ${said}`)
  }
  const cpuUs = ((used() - before) / CALLS) * 1_000
  await ends
  return { ms: median(times), cpuUs }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

try {
  const all = await ways()
  const rounds = new Map<string, Round[]>(all.map(({ name }) => [name, []]))
  const first = new Map<string, number>()
  for (const way of all) {
    first.set(way.name, (await round(way)).ms)
    const more = overPipes(way.name) ? WARM.stdio : WARM.http
    for (let turn = 0; turn < more; turn++) await round(way)
  }
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const way of all) rounds.get(way.name)?.push(await round(way))
  }
  const of = (name: string, figure: keyof Round) =>
    (rounds.get(name) ?? []).map((one) => one[figure])
  const ratio = (name: string, base: string, figure: keyof Round = 'ms') => {
    const bases = of(base, figure)
    return median(of(name, figure).map((one, turn) => one / (bases[turn] ?? 0)))
  }
  const rows = all.map(({ name, base }) => {
    return {
      path: name,
      'p50 ms': median(of(name, 'ms')).toFixed(3),
      '× direct': ratio(name, base).toFixed(2),
      'first calls ms': first.get(name)?.toFixed(3),
      'processor µs': median(of(name, 'cpuUs')).toFixed(0),
    }
  })
  console.table(rows)
  const atMost = (limit: number, name: string, base: string) => {
    const found = ratio(name, base)
    return [`${name} at most ${limit} × ${base}: ${found.toFixed(2)}`, found <= limit] as const
  }
  const goals = Object.fromEntries([
    atMost(1.5, 'countersign HTTP→HTTP', 'direct HTTP'),
    atMost(1.5, 'countersign HTTP→HTTP, _meta', 'direct HTTP'),
    atMost(1.5, 'countersign, 2026-07-28', BARE),
    atMost(1.1, 'countersign HTTP→HTTP', RELAYED),
    atMost(1.1, 'countersign, 2026-07-28', BARE_RELAYED),
    atMost(1.3, 'countersign HTTP→stdio', 'direct HTTP'),
    atMost(1, 'countersign HTTP→stdio', 'supergateway HTTP→stdio'),
    atMost(1.1, 'countersign stdio→stdio', 'bare relay stdio→stdio'),
    atMost(1.1, 'countersign stdio→stdio, _meta', 'bare relay stdio→stdio'),
  ])
  for (const [goal, isReached] of Object.entries(goals))
    console.log(`${isReached ? 'reached' : 'MISSED '}  ${goal}`)
  if (values.json !== undefined)
    writeFileSync(values.json, JSON.stringify({ rows, goals }, undefined, 2))
  await Promise.all(all.map(({ close }) => close?.().catch(() => {})))
} finally {
  for (const child of children) child.kill()
  rmSync(place, { recursive: true, force: true })
}
