import { expect, onTestFinished } from 'vitest'
import { authzenRoutes } from '../../src/app/authzen-routes.ts'
import { chatRoutes } from '../../src/app/chat-routes.ts'
import { demoRoutes, demoTools } from '../../src/app/demo-agent.ts'
import { mcpDoor } from '../../src/app/mcp-routes.ts'
import { toolStudio } from '../../src/app/studio.ts'
import type { Role } from '../../src/approval/people/person.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import type { Telemetry } from '../../src/gate/telemetry/telemetry.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner, policyError } from '../../src/policy/load/load.ts'
import type { OpenAuditLog } from '../../src/server/audit-check.ts'
import type { PushService } from '../../src/server/devices/devices.ts'
import { signInSecret } from '../../src/server/identity/invite.ts'
import type { OidcOptions } from '../../src/server/identity/oidc.ts'
import type { NewToken } from '../../src/server/identity/tokens.ts'
import { createLog } from '../../src/server/log.ts'
import type { ClientSources } from '../../src/server/oauth/client-document.ts'
import { oauthRoutes } from '../../src/server/oauth/routes.ts'
import type { PolicyState } from '../../src/server/policy/active-policy.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { breaches } from '../support/contract-check.ts'

export const POLICY = `version: 1
people: { groups: { finance: [fay@example.com, finn@example.com] } }
tools:
  read: { approval: false }
  note: { approval: true }
  pay:
    risk: L3
    secrets: [card]
    approval:
      message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?"
      condition: { args_match: { amount: { gt: 100 } } }
      approvers: ["*"]
      edit: [amount]
  wire:
    risk: L4
    approval: { quorum: [{ group: finance, n: 2 }] }
governance:
  - { id: no-wipes, match: { tool: "wipe*" }, deny: Nothing is wiped here. }
`

export const HOST = '127.0.0.1:4747'

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'

/** Who sends a request: headers, and nothing else. */
export type Sender = Readonly<Record<string, string>>

export interface Sending {
  readonly as?: Sender
  readonly method?: string
  readonly body?: unknown
  /** A form in place of JSON. */
  readonly form?: Readonly<Record<string, string>> | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
  /** Text somewhere inside the body: `at('error.code')`. */
  at(path: string): string
}

export interface Running {
  readonly server: Server
  readonly store: Store
  send(path: string, sending?: Sending): Promise<Answered>
  /** Signs somebody in and gives their cookie and csrf token. */
  person(email: string, roles?: readonly Role[]): Promise<Sender>
  agent(name: string, more?: Omit<NewToken, 'agent'>): Promise<Sender>
  /** Lines of the server's log, as JSON. */
  readonly logged: readonly string[]
}

export interface RunningOptions {
  readonly store?: Store
  readonly policy?: string
  readonly publicUrl?: URL
  readonly oidc?: OidcOptions
  readonly callsPerSecond?: number
  readonly metricsToken?: string
  readonly observe?: boolean
  readonly channels?: readonly Channel[]
  readonly push?: PushService
  readonly telemetry?: Telemetry
  /** With `/mcp`, and clients of these. */
  readonly oauth?: ClientSources
  /** Reads everything recorded, where the store is on disk. */
  readonly openAudit?: OpenAuditLog
  /** What the policy's file holds when it is read again. */
  readonly onDisk?: () => string
  /** The policy is in code: there are no files to read again. */
  readonly inCode?: true
  /** The owner's file, which can be written as well. */
  readonly file?: { text: string }
}

const NO_CLIENTS: ClientSources = { allowHosts: [], clients: [] }
const NO_SERVERS = { specs: () => [], inbox: () => undefined, log: () => {} }

/** A whole server without a socket. Closed after the test. */
export function running(options: RunningOptions = {}): Running {
  const { store = memoryStore(), file, policy = file?.text ?? POLICY, publicUrl, oidc } = options
  const logged: string[] = []
  const studio = toolStudio().open({ store, keys: undefined })
  const mcp = options.oauth && mcpDoor({ ...NO_SERVERS, oauth: options.oauth })
  const server = createServer({
    store,
    log: createLog({ format: 'json', level: 'info', out: (line) => void logged.push(line) }),
    ...stateOf(policy),
    reload: options.inCode ? undefined : () => stateOf(options.onDisk?.() ?? file?.text ?? policy),
    parse: (files) => stateOf(files.find(({ role }) => role === 'owner')?.text ?? ''),
    ...(file
      ? {
          edit(change) {
            const owner = { role: 'owner', file: 'countersign.yaml', text: file.text } as const
            file.text = change(owner)
          },
        }
      : {}),
    publicUrl,
    demo: true,
    doors: (services) => [
      ...authzenRoutes(services),
      ...demoRoutes(services),
      ...chatRoutes(services, undefined, undefined),
      ...studio.routes(services),
      ...(mcp ? mcp.routes(services) : oauthRoutes(services, NO_CLIENTS)),
    ],
    oidc,
    callsPerSecond: options.callsPerSecond,
    metricsToken: options.metricsToken,
    observe: options.observe === true,
    openAudit: options.openAudit,
    ...(options.channels ? { channels: options.channels } : {}),
    push: options.push,
    telemetry: options.telemetry,
  })
  onTestFinished(async () => {
    studio.close()
    await mcp?.close()
    await server.close()
    await store.close()
  })

  async function send(path: string, sending: Sending = {}) {
    const { as = {}, method, body, form, headers = {} } = sending
    const json = body === undefined ? undefined : JSON.stringify(body)
    const written = form === undefined ? json : `${new URLSearchParams(form)}`
    const sent = {
      host: HOST,
      ...as,
      ...(written === undefined ? {} : { 'content-type': form === undefined ? JSON_TYPE : FORM }),
      ...headers,
    }
    const response = await server.app.request(path, {
      method: method ?? (written === undefined ? 'GET' : 'POST'),
      headers: sent,
      ...(written === undefined ? {} : { body: written }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const isJson = /^application\/(?:problem\+)?json/.test(type)
    const read: unknown = isJson && text !== '' ? JSON.parse(text) : text
    // Every answer that any test gets from a server is held to its contract.
    const exchange = {
      method: method ?? (written === undefined ? 'GET' : 'POST'),
      path,
      caller: 'authorization' in sent ? 'agent' : 'person',
      status: response.status,
      type,
      body: read,
    } as const
    expect(breaches(exchange), `${exchange.method} ${path}`).toEqual([])
    return {
      status: response.status,
      body: read,
      headers: response.headers,
      at: (place: string) => textAt(read, place),
    }
  }

  return {
    server,
    store,
    send,
    logged,
    async person(email, roles = ['viewer', 'approver']) {
      const token = await signInSecret(store, { email, roles })
      return signIn(send, token)
    },
    async agent(name, more = {}) {
      const { token } = await server.credentials.tokens.create({ agent: name, ...more })
      return { authorization: `Bearer ${token}` }
    },
  }
}

export async function signIn(send: Running['send'], token: string): Promise<Sender> {
  const answer = await send('/v1/session', { body: { token } })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { cookie, 'x-countersign-csrf': answer.at('csrf') }
}

function textAt(value: unknown, place: string): string {
  const found = place
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
  if (typeof found === 'string') return found
  throw new Error(`no text at ${place} of ${JSON.stringify(value)}`)
}

export function stateOf(policy: string): PolicyState {
  const owner = loaded('countersign.yaml', policy)
  return {
    running: {
      version: '1.2.3',
      loadedAt: new Date(0),
      policy: combinePolicy({ owner, code: demoTools() }),
      documents: [owner],
      warnings: [],
      files: () => [{ file: 'countersign.yaml', role: 'owner', state: 'active' }],
    },
    sources: [{ role: 'owner', file: 'countersign.yaml', text: policy }],
  }
}

function loaded(file: string, text: string) {
  const result = loadOwner({ file, text })
  if (!result.ok) throw policyError(result.mistakes)
  return result.document
}
