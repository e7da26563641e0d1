/**
 * The real server on a database of its own, filled through its public API. Development, browser
 * tests and pictures run against it; nothing of the API is imitated.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import type { ApprovalCard, DecisionBody } from '../../src/api/approval.ts'
import type { WireRole } from '../../src/api/people.ts'
import { composeCountersign } from '../../src/app/create-countersign.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import type { WorkflowContext } from '../../src/base/call.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { processShell } from '../../src/cli/shell.ts'
import { filesOf, loadServed } from '../../src/cli/state/served-policy.ts'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import type { Gate, GateIdentity } from '../../src/gate/gate.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import type { PreviewFunction } from '../../src/gate/preview/previewing.ts'
import type { ToolDefinition } from '../../src/gate/tool.ts'
import { readInbox } from '../../src/server/http/read-inbox.ts'
import { signInSecret } from '../../src/server/identity/invite.ts'
import { createLog } from '../../src/server/log.ts'
import type { Server } from '../../src/server/server.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openAuditLog } from '../../src/store/sqlite/audit-log.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { SEED_GOVERNANCE, seedPolicy } from './policy.ts'
import { type SeedClock, seedClock } from './seed-clock.ts'

export interface SeedOptions {
  /** The folder of the built page. */
  readonly page: string
  readonly port?: number
  /** In place of the policy of the seeds; by a function where it names files of the server's folder. */
  readonly policy?: string | ((folder: string) => string)
  /** Keeps everything in memory: quicker for many calls, and without a record to check. */
  readonly memory?: true
  /** Whether the demo agent is offered. */
  readonly demo?: boolean
  readonly observe?: boolean
  /** How long ago the server's clock starts, in milliseconds. `seed` brings it to the present. */
  readonly ago?: number
  /** Push services of this machine that messages may be sent to. No messages unless set. */
  readonly push?: readonly string[]
  /** Ways to tell people, besides push messages. */
  readonly channels?: readonly Channel[]
  /** Where the page is mounted, such as `/approvals`. */
  readonly base?: string
  /** Runs once before the page can be opened. */
  readonly seed?: (server: SeedServer) => Promise<void>
}

/** A call to seed. What is not given is what most calls have. */
export interface SeedCall extends Pick<GateIdentity, 'agent' | 'principal' | 'door' | 'run'> {
  readonly tool: string
  readonly server?: string
  readonly args: object
  readonly says?: string
  readonly links?: readonly string[]
  readonly definition?: ToolDefinition
  readonly form?: object
  readonly preview?: PreviewFunction
  readonly workflow?: WorkflowContext
}

/** One signed-in person, or one agent with a token, at the API. */
export interface ApiClient {
  send<T>(method: string, path: string, body?: unknown): Promise<T>
}

export interface SeedServer {
  readonly url: string
  readonly folder: string
  readonly clock: SeedClock
  /** Ids of seeded approvals by the names that the seeds give them. */
  readonly ids: Map<string, string>
  /** One of them; throws where no seed has this name. */
  id(name: string): string
  /** Every decision that a page sent, in order; those of seeds are not among them. */
  readonly sent: { readonly id: string; readonly body: DecisionBody }[]
  /** A link that signs this person in and opens the page at this path. */
  link(path?: string, email?: string): Promise<string>
  /** Signed in over HTTP; added first with these roles where they are unknown. */
  person(email: string, as?: NewPerson): Promise<ApiClient>
  agent(name: string, more?: { principal?: string; days?: number }): Promise<ApiClient>
  /** Asks at the gate of this process, and resolves to the id of the approval. */
  ask(call: SeedCall): Promise<string>
  /** The card as this person sees it. */
  card(id: string, email?: string): Promise<ApprovalCard>
  /** Decides about the card as it is now. */
  decide(email: string, id: string, body: Omit<DecisionBody, 'digest'>): Promise<void>
  /** Writes down what the clock has decided meanwhile: expiry, escalation, lost claims. */
  sweep(): Promise<void>
  /** Answers nothing at all any more, until it is set to false. */
  silent: boolean
  /** Takes requests and leaves them unanswered until it is set to false; open streams stay open. */
  hung: boolean
  /** The file of the database, for those who want to damage it. */
  readonly database: string
  stop(): Promise<void>
}

export interface NewPerson {
  readonly name?: string
  readonly roles: readonly WireRole[]
}

interface Session {
  readonly as: NewPerson
  readonly since: number
  readonly client: Promise<ApiClient>
}

/** Sessions end by themselves, and the clock of the seeds goes through a whole day. */
const SESSION_MS = 1_800_000

export const ANA = 'ana@example.com'
const ADMIN: NewPerson = { roles: ['viewer', 'approver', 'admin'] }

export async function startSeedServer(options: SeedOptions): Promise<SeedServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-seeds-'))
  const clock = seedClock(options.ago ?? 0)
  const database = path.join(folder, 'approvals.db')
  const kept = { tenant: 'acme', clock: clock.now }
  const store = options.memory ? memoryStore(kept) : await openSqlite(database, kept)
  const { policy = seedPolicy() } = options
  const text = typeof policy === 'string' ? policy : policy(folder)
  writeFileSync(path.join(folder, 'countersign.yaml'), text)
  writeFileSync(path.join(folder, 'governance.yaml'), SEED_GOVERNANCE)
  const shell = { ...processShell(), cwd: folder, env: {} }
  const load = () => loadServed({ governance: ['governance.yaml'] }, shell)
  let at: string | undefined
  const { countersign, internals } = composeCountersign(
    {
      store,
      policy: filesOf(load, folder),
      log: createLog({ format: 'json', level: 'error', out: (line) => console.error(line) }),
      ...(options.memory ? {} : { audit: async (wanted) => openAuditLog(database, wanted) }),
      inbox: readInbox(options.page),
      observe: options.observe === true,
      demo: options.demo ?? true,
      mcp: mcpGateway({ env: {} }),
      ...(options.channels ? { channels: options.channels } : {}),
      ...(options.push ? { keys: memoryKeys(), push: { allowHosts: options.push } } : {}),
      ...(options.base === undefined ? {} : { basePath: options.base }),
    },
    { address: () => at },
  )
  await countersign.ready()
  const { server } = internals()
  const sent: SeedServer['sent'] = []
  const front = await listen(server, options.port ?? 0, (id, body) => sent.push({ id, body }))
  at = `${front.url}${options.base ?? ''}/`
  const people = new Map<string, Session>()
  const ids = new Map<string, string>()
  const sweeper = startSweeper({ store })

  async function signIn(email: string, as: NewPerson): Promise<ApiClient> {
    const token = await signInSecret(store, { email, ...as })
    const response = await server.app.request('/v1/session', jsonRequest('POST', { token }))
    const { csrf } = (await response.json()) as { csrf: string }
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
    return clientOf(server, { cookie, 'x-countersign-csrf': csrf })
  }

  const seeded: SeedServer = {
    url: front.url,
    folder,
    clock,
    sent,
    database,
    ids,
    id(name) {
      const found = ids.get(name)
      if (found === undefined) throw new Error(`no seed is called ${name}`)
      return found
    },
    async link(at = '/', email = ANA) {
      const known = await server.credentials.accounts.get({ issuer: 'local', subject: email })
      const { roles, name } = known ?? people.get(email)?.as ?? ADMIN
      const secret = await signInSecret(store, { email, roles, ...(name ? { name } : {}) })
      return `${front.url}${at}#signin=${encodeURIComponent(secret)}`
    },
    async person(email, as) {
      const old = people.get(email)
      if (old !== undefined && clock.now() - old.since < SESSION_MS) return old.client
      const who = as ?? old?.as ?? ADMIN
      const known = { as: who, since: clock.now(), client: signIn(email, who) }
      people.set(email, known)
      return known.client
    },
    async agent(name, more = {}) {
      const ana = await seeded.person(ANA)
      const { token } = await ana.send<{ token: string }>('POST', '/v1/tokens', {
        agent: name,
        ...more,
      })
      return clientOf(server, { authorization: `Bearer ${token}` })
    },
    ask: (call) => askAt(server.gate, call),
    async card(id, email = ANA) {
      return (await seeded.person(email)).send('GET', `/v1/approvals/${id}`)
    },
    async decide(email, id, body) {
      const { digest } = await seeded.card(id, email)
      const by = await seeded.person(email)
      await by.send('POST', `/v1/approvals/${id}/decisions`, { ...body, digest })
    },
    async sweep() {
      await sweeper.sweep()
    },
    get silent() {
      return front.silent
    },
    set silent(silent) {
      front.silent = silent
    },
    get hung() {
      return front.hung
    },
    set hung(hung) {
      front.hung = hung
    },
    async stop() {
      await sweeper.stop()
      countersign.drain()
      await front.close()
      await countersign.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await options.seed?.(seeded)
  } catch (error) {
    await seeded.stop()
    throw error
  }
  clock.goTo(0)
  return seeded
}

interface Front {
  readonly url: string
  silent: boolean
  hung: boolean
  close(): Promise<void>
}

/** What a browser reaches. Seeds talk to the server itself and are not seen here. */
async function listen(
  { app }: Server,
  port: number,
  onDecision: (id: string, body: DecisionBody) => void,
): Promise<Front> {
  const sockets = new Set<Socket>()
  let isSilent = false
  let hang: PromiseWithResolvers<void> | undefined
  const fetch = async (request: Request, env: object) => {
    const id = /\/v1\/approvals\/([^/]+)\/decisions$/.exec(new URL(request.url).pathname)?.[1]
    const body = id === undefined ? '' : await request.clone().text()
    await hang?.promise
    const response = await app.fetch(request, env)
    // What was refused was not decided.
    if (id !== undefined && response.ok) onDecision(decodeURIComponent(id), JSON.parse(body))
    return response
  }
  const http = createAdaptorServer({ fetch }) as HttpServer
  http.on('connection', (socket: Socket) => {
    if (isSilent) socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    get silent() {
      return isSilent
    },
    set silent(silent) {
      isSilent = silent
      if (silent) endAll()
    },
    get hung() {
      return hang !== undefined
    },
    set hung(hung) {
      hang?.resolve()
      hang = hung ? Promise.withResolvers() : undefined
    },
    async close() {
      hang?.resolve()
      endAll()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function jsonRequest(
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): RequestInit {
  const all = new Headers({ host: '127.0.0.1', ...headers })
  if (body === undefined) return { method, headers: all }
  all.set('content-type', 'application/json')
  return { method, headers: all, body: JSON.stringify(body) }
}

function clientOf({ app }: Server, headers: Record<string, string>): ApiClient {
  return {
    async send<T>(method: string, at: string, body?: unknown) {
      const response = await app.request(at, jsonRequest(method, body, headers))
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${at}: ${text}`)
      return (text === '' ? undefined : JSON.parse(text)) as T
    },
  }
}

async function askAt(gate: Gate, call: SeedCall): Promise<string> {
  const { tool, server, args, says, links, definition, form, preview, ...rest } = call
  const { workflow, ...identity } = rest
  const own = gate.with({ agent: 'Support agent', principal: 'hana@example.com', ...identity })
  const context = {
    ...(says ? { says } : {}),
    ...(links ? { links } : {}),
    ...(workflow ? { workflow } : {}),
  }
  const checked = await own.check(
    {
      tool,
      args: args as Record<string, never>,
      ...(server === undefined ? {} : { server }),
      ...(Object.keys(context).length > 0 ? { context } : {}),
    },
    { definition, form: form as JsonObject | undefined, preview },
  )
  // Approved at once: by a grant.
  if (checked.status === 'pending' || checked.status === 'approved') return checked.approval.id
  throw new Error(`${tool} is ${JSON.stringify(checked)}`)
}
