import { CountersignError } from '../base/errors.ts'
import type { Gate } from '../gate/gate.ts'
import { ensureKey, openSigner } from '../gate/proof/keys.ts'
import type { ClientAddress } from '../server/http/origin.ts'
import type { Route } from '../server/http/route.ts'
import { type Invited, signInSecret } from '../server/identity/invite.ts'
import { errorFields, type Log } from '../server/log.ts'
import { policyInForce } from '../server/policy/policy-in-force.ts'
import { createServer, type Server, standardLog } from '../server/server.ts'
import type { Services } from '../server/services.ts'
import { authzenRoutes } from './authzen-routes.ts'
import { chatRoutes } from './chat-routes.ts'
import {
  type CountersignServerOptions,
  type ReadOptions,
  readOptions,
} from './countersign-options.ts'
import { demoRoutes } from './demo-agent.ts'
import { openPush } from './push.ts'
import { servedPolicy } from './served-policy.ts'
import type { OpenStudio } from './studio.ts'

export type { Role } from '../approval/people/person.ts'
export type { OpenAuditLog } from '../server/audit-check.ts'
export type { DocsFiles } from '../server/http/docs-files.ts'
export type { InboxFiles } from '../server/http/inbox-files.ts'
export type { ClientAddress } from '../server/http/origin.ts'
export type { Invited } from '../server/identity/invite.ts'
export type { Log, LogLevel } from '../server/log.ts'
export type { KeyFolder } from '../store/vault.ts'
export type { CountersignOidcOptions, CountersignServerOptions } from './countersign-options.ts'
export type { McpGateway } from './mcp-gateway.ts'
export type { PushOptions } from './push.ts'
export type { PolicyFiles } from './served-policy.ts'
export type { ToolStudio } from './studio.ts'

/** A gate, its people and its pages, as one handler of web requests. */
export interface Countersign {
  /**
   * Answers a request below the base path. Mount it so that the path of the request keeps that
   * prefix. `env` is what the host hands on: `{ incoming }` of Node, bindings of a Worker.
   */
  readonly fetch: (request: Request, env?: unknown, context?: unknown) => Promise<Response>
  /** For calls of this process. There once `ready()` has resolved. */
  readonly gate: Gate
  /** Starts, if that did not happen yet. Rejects with what keeps it from starting. */
  ready(): Promise<void>
  /** A link that signs this person in once, within ten minutes; without one, the operator. */
  signInLink(person?: Invited): Promise<string>
  /** Ends streams, waits and MCP sessions; requests that are under way finish. */
  drain(): void
  /** Writes down what is left to write. The store stays open. */
  close(): Promise<void>
}

/** What only the command line of this package uses. Not part of the public API. */
export interface InternalOptions {
  /**
   * `recorded`: what was last applied on the store is in force, unless `applyPolicy`. `followed`: what
   * is given holds here until another one is applied. `fixed`: what is given holds here.
   */
  readonly policy?: 'recorded' | 'followed' | 'fixed'
  /** Further routes. */
  readonly routes?: (services: Services) => readonly Route[]
  /** Where the inbox is, once that is known, for a server without a public URL. */
  readonly address?: () => string | undefined
  readonly gatewayLog?: (line: string) => void
  /** Told when the policy that was given is not in force; a warning in the log unless set. */
  readonly onUnapplied?: () => void
}

export interface CountersignInternals {
  readonly server: Server
  /** Whether the policy that was given is the one in force at the start. */
  readonly isGiven: boolean
}

export interface Composed {
  readonly countersign: Countersign
  /** There once `countersign.ready()` has resolved. */
  internals(): CountersignInternals
}

/**
 * Mounts in Hono, Express, Next, a Worker or any host that speaks `Request` and `Response`. Nothing
 * is opened or started before the first request, or `ready()`.
 */
export function createCountersign(options: CountersignServerOptions): Countersign {
  return composeCountersign(options).countersign
}

export function composeCountersign(
  said: CountersignServerOptions,
  internal: InternalOptions = {},
): Composed {
  const options = readOptions(said)
  const { publicUrl, log = standardLog() } = options
  const served = servedPolicy(options.policy, options.demo === true)
  const given = served.read()
  const inbox = () => publicUrl?.href ?? internal.address?.()
  const gateway = options.mcp?.open({
    inbox,
    store: options.store,
    keys: options.keys,
    hosted: (policy) => studio?.specs(policy) ?? [],
    log: internal.gatewayLog ?? ((says) => log.write('warn', 'mcp', { says })),
  })
  const { onUnapplied: unapplied = () => log.write('warn', 'policy', { says: NOT_IN_FORCE }) } =
    internal
  let started: CountersignInternals | undefined
  let starting: Promise<CountersignInternals> | undefined
  let studio: OpenStudio | undefined
  let isClosed = false
  let ended: Promise<void> | undefined
  let left: Promise<void> | undefined

  async function chosen() {
    if ((internal.policy ?? 'recorded') !== 'recorded') return { state: given, isFile: true }
    const apply = options.applyPolicy === true
    return policyInForce({ store: options.store, files: given, parse: served.parse, apply })
  }

  async function open(): Promise<CountersignInternals> {
    const { state, isFile: isGiven } = await chosen()
    if (!isGiven) unapplied()
    const keys = options.signingKey ?? options.keys
    const signer = keys && (await openSigner({ store: options.store, keys }))
    if (options.signingKey) await signer?.sign('countersign-report+jwt', TRIAL)
    // Secrets are sealed with a key of this machine, also where another one signs.
    if (options.signingKey && options.keys) await ensureKey(options.keys)
    const push = await opened(options, inbox, log)
    studio ??= options.studio?.open({ store: options.store, keys: options.keys })
    await studio?.rules.current()
    if (isClosed) throw closed()
    const server = createServer({
      ...serverOptions(options),
      ...state,
      ...(internal.policy === 'fixed' ? {} : { parse: served.parse }),
      reload: served.reload,
      edit: served.edit,
      log,
      signer,
      push,
      channels: [...(options.channels ?? []), ...(push ? [push.channel] : [])],
      hosted: studio?.rules,
      address: inbox,
      clientAddress: addressesOf(options.clientAddress),
      doors: (services) => [
        ...authzenRoutes(services),
        ...(gateway?.routes(services) ?? []),
        ...(studio?.routes(services) ?? []),
        ...(options.demo ? demoRoutes(services) : []),
        ...(options.chat === false
          ? []
          : chatRoutes(services, gateway?.chatTools(services), options.keys)),
        ...(internal.routes?.(services) ?? []),
      ],
      upstreams: gateway && ((policy) => gateway.upstreams(options.store, policy)),
    })
    return { server, isGiven }
  }

  /** Once; again after it failed, for the database may be back. */
  function start(): Promise<CountersignInternals> {
    if (isClosed) return Promise.reject(closed())
    starting ??= open().then(
      (opened) => {
        started = opened
        return opened
      },
      (error: unknown) => {
        starting = undefined
        throw error
      },
    )
    return starting
  }

  function now(): CountersignInternals {
    if (started) return started
    throw new CountersignError('usage', 'Countersign has not started yet', {
      hint: 'Await countersign.ready() first.',
    })
  }

  async function fetch(request: Request, env?: unknown, context?: unknown): Promise<Response> {
    let opened: CountersignInternals
    try {
      opened = started ?? (await start())
    } catch (error) {
      log.write('error', 'not started', errorFields(error))
      return notStarted()
    }
    return opened.server.app.fetch(request, env as object, context as never)
  }

  function drain(): void {
    started?.server.drain()
    left ??= gateway?.close() ?? Promise.resolve()
  }

  async function end(): Promise<void> {
    const opened = await starting?.catch(() => undefined)
    opened?.server.drain()
    drain()
    studio?.close()
    await left
    await opened?.server.close()
    started = undefined
  }

  const countersign: Countersign = {
    fetch,
    get gate() {
      return now().server.gate
    },
    async ready() {
      await start()
    },
    async signInLink(person) {
      if (!publicUrl) {
        throw new CountersignError('usage', 'a sign-in link needs the address of the inbox', {
          hint: 'Set publicUrl; http://localhost:3000/approvals will do on this machine.',
        })
      }
      return `${publicUrl.href}#signin=${await signInSecret(options.store, person)}`
    },
    drain,
    close() {
      isClosed = true
      ended ??= end()
      return ended
    },
  }
  return { countersign, internals: now }
}

const NOT_IN_FORCE =
  'The policy that was given is NOT in force: another one was applied on this store. Apply it in the inbox, with `countersign policy apply`, or with applyPolicy: true.'

function serverOptions(options: ReadOptions) {
  const { store, publicUrl, base, inbox, docs, oidc, authorize, telemetry, strategy } = options
  const { observe = false, demo = false, callsPerSecond, metricsToken, audit } = options
  return {
    ...{ store, publicUrl, base, inbox, docs, oidc, authorize, telemetry, strategy },
    ...{ observe, demo, callsPerSecond, metricsToken, openAudit: audit },
  }
}

function opened({ store, keys, push }: ReadOptions, home: () => string | undefined, log: Log) {
  if (!keys || push === false) return undefined
  const report = (says: string) => log.write('warn', 'push', { says })
  return openPush({ store, keys, options: push ?? {}, home, report })
}

/**
 * Without a socket no address is known: such requests share one limit, are never taken for requests
 * of this machine, and what they say in X-Forwarded-For counts for nothing.
 */
function addressesOf(clientAddress: ClientAddress | undefined): ClientAddress {
  return (request, env) => clientAddress?.(request, env) ?? (hasSocket(env) ? undefined : 'unknown')
}

function hasSocket(env: unknown): boolean {
  const { incoming } = (env ?? {}) as { incoming?: { socket?: { remoteAddress?: unknown } } }
  return typeof incoming?.socket?.remoteAddress === 'string'
}

/** Why is for the log: the caller is not signed in. */
function notStarted(): Response {
  const error = {
    code: 'store_unavailable',
    message: 'the server could not start',
    hint: 'Its log says why. Send it again in a moment.',
  }
  const headers = { 'retry-after': '1', 'cache-control': 'no-store' }
  return Response.json({ error }, { status: 503, headers })
}

function closed(): CountersignError {
  return new CountersignError('store_unavailable', 'this server is closed')
}

/** Signed at the start: a program that does not sign is noticed then. No reader takes it for a report. */
const TRIAL = { v: 'countersign.trial.v1' }
