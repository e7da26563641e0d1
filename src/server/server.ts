import type { Hono } from 'hono'
import type { PolicyBundle } from '../api/agent.ts'
import { isCountersignError } from '../base/errors.ts'
import { lockCopy } from '../gate/admin/operator-state.ts'
import { watchReach } from '../gate/admin/satisfiable.ts'
import { createBackground } from '../gate/background/background.ts'
import { startSweeper } from '../gate/background/sweep.ts'
import type { Authorize } from '../gate/context.ts'
import { createGate, type Gate } from '../gate/gate.ts'
import { internals } from '../gate/internals.ts'
import type { Channel } from '../gate/notify/channel.ts'
import { startCheckpoints } from '../gate/proof/checkpoint.ts'
import type { Signer } from '../gate/proof/keys.ts'
import { jsonSchema } from '../gate/schema/json-schema.ts'
import type { Strategy } from '../gate/strategy.ts'
import type { Telemetry } from '../gate/telemetry/telemetry.ts'
import { createToolNotes } from '../gate/tools/tool-notes.ts'
import { observe } from '../policy/evaluate/mode.ts'
import type { Policy } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import { createApp, routesOf } from './app.ts'
import { createAuditCheck, type OpenAuditLog } from './audit-check.ts'
import { channelHost } from './channels/channel-host.ts'
import { createLinks } from './channels/links.ts'
import { signInProvider } from './channels/sign-in-provider.ts'
import { createDevices, type PushService } from './devices/devices.ts'
import { createEventHub } from './event-hub.ts'
import { createRefusedAttempts } from './evidence/refused-attempts.ts'
import { createVerdictCounts } from './evidence/verdict-counts.ts'
import type { DocsFiles } from './http/docs-files.ts'
import type { InboxFiles } from './http/inbox-files.ts'
import type { ClientAddress } from './http/origin.ts'
import { createRateLimit } from './http/rate-limit.ts'
import type { Route } from './http/route.ts'
import type { Credentials } from './identity/caller.ts'
import { signInSecret } from './identity/invite.ts'
import { createMembership } from './identity/membership.ts'
import { createOidc, type OidcOptions } from './identity/oidc.ts'
import { createPasskeys } from './identity/passkeys.ts'
import { createAccounts } from './identity/people.ts'
import { createSessions } from './identity/sessions.ts'
import { createSignInLinks, type SignInLinks } from './identity/sign-in.ts'
import { createTokens } from './identity/tokens.ts'
import { createLog, errorFields, type Log } from './log.ts'
import { createApprovalCounters } from './metrics/approval-counters.ts'
import { createGauges } from './metrics/gauges.ts'
import { measureServer } from './metrics/measure.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createSchedules } from './on-call/schedules.ts'
import {
  createActivePolicy,
  type EditPolicy,
  type HostedRules,
  type PolicyState,
} from './policy/active-policy.ts'
import { followPolicy } from './policy/policy-in-force.ts'
import type { Running } from './policy/status.ts'
import { createPresence } from './presence.ts'
import type { Services } from './services.ts'
import type { Upstreams } from './upstreams.ts'
import { createValidationMeter } from './validation-meter.ts'

export interface ServerOptions {
  readonly store: Store
  readonly running: Running
  readonly sources?: PolicyBundle['files']
  /** Reads texts that were put into force elsewhere; without it, other servers are not followed. */
  readonly parse?: ((files: PolicyBundle['files']) => PolicyState) | undefined
  /** Reads the policy's files again, for `policy apply`; throws when they are broken. */
  readonly reload?: (() => PolicyState) | undefined
  /** Writes another text for the owner's file; what it says is not in force before it is applied. */
  readonly edit?: EditPolicy | undefined
  /** Holds single calls back, as a lock does. */
  readonly authorize?: Authorize | undefined
  /** What people open: with the base path, and a slash at its end. */
  readonly publicUrl?: URL | undefined
  /** Where this is mounted: empty at the root of its host, else such as `/approvals`. */
  readonly base?: string
  /** Where a request comes from, for rate limits; undefined: as its socket says. */
  readonly clientAddress?: ClientAddress | undefined
  readonly inbox?: InboxFiles | undefined
  readonly docs?: DocsFiles | undefined
  /** Where people hear of what waits for them, besides the inbox. */
  readonly channels?: readonly Channel[]
  /** Sends to browsers; its channel is among `channels`. Without it, no browser can be turned on. */
  readonly push?: PushService | undefined
  /** Whether the owner's rules are only observed; governance is enforced all the same. */
  readonly observe?: boolean
  /** Where the inbox is, once that is known: for links in notices. */
  readonly address?: () => string | undefined
  /** Lays what this program hosts itself over the files' policy. */
  readonly hosted?: HostedRules | undefined
  /** Signs countersignatures and checkpoints; without it there are none. */
  readonly signer?: Signer | undefined
  /** Spans and metrics of what the server does with approvals. None unless set. */
  readonly telemetry?: Telemetry | undefined
  /** Reads everything recorded, to verify and to export it. */
  readonly openAudit?: OpenAuditLog | undefined
  /** Warnings and errors on standard error unless set. */
  readonly log?: Log
  /** Whether the demo agent is offered. Its routes are among the doors. */
  readonly demo?: boolean
  /** The servers behind the gate, where there is a gateway. */
  readonly upstreams?: ((policy: () => Promise<Policy>) => Upstreams) | undefined
  /** Further addresses, made by the program that composes this server with other doors. */
  readonly doors?: ((services: Services) => readonly Route[]) | undefined
  /** How much one agent's token may ask, over ten seconds: 100 a second unless set. */
  readonly callsPerSecond?: number | undefined
  /** For tests: answers in place of people. Refused in production. */
  readonly strategy?: Strategy | undefined
  /** With it `/metrics` is read from anywhere; without it, from this machine alone. */
  readonly metricsToken?: string | undefined
  /** An OpenID Connect provider that people sign in with. */
  readonly oidc?: OidcOptions | undefined
}

export interface Server {
  readonly app: Hono
  /** Everything of the API, as served. */
  readonly routes: readonly Route[]
  readonly gate: Gate
  /** In force now, with what operators switched. */
  policyNow(): Promise<Policy>
  /** What is in force, as its files had it. */
  policyState(): PolicyState
  readonly credentials: Credentials
  readonly links: SignInLinks
  /** The secret of a link that signs in the operator, who runs this on their machine. */
  inviteOperator(): Promise<string>
  /** Counts and logs an unhandled promise rejection. */
  rejected(reason: unknown): void
  /** Logs why the process is about to end. */
  ending(error: unknown): void
  /** Ends streams, waits and the demo agent; requests that are under way finish. */
  drain(): void
  /** Writes down what is left to write. The store stays open. */
  close(): Promise<void>
}

/** A gate, its people and its pages, on one store. */
export function createServer(options: ServerOptions): Server {
  const { store, running, sources = [], publicUrl, base = '', inbox, signer } = options
  const { version } = running
  const { reload, edit, parse, hosted } = options
  const parts = { reload, edit, parse, hosted, locks: lockCopy(store) }
  const active = createActivePolicy({ running, sources }, parts)
  const unfollow = parse ? followPolicy(store, active, parse) : () => {}
  const policy = active.now
  const { records, tenant } = store
  const log = options.log ?? standardLog()
  const now = () => store.now()
  const schedules = createSchedules({
    policy,
    report: (says) => log.write('warn', 'on call', { says }),
  })
  const accounts = createAccounts({ records, policy, schedules })
  const { people } = accounts
  const { channels = [], address } = options
  const meter = createValidationMeter()
  const link = (id: string) => approvalLink(publicUrl?.href ?? address?.(), id)
  const report = (says: string) => log.write('warn', 'notices', { says })
  const gate = createGate({
    policy: active.unswitched,
    store,
    people,
    door: 'http',
    countersign: { signer },
    ...(options.observe ? { mode: observe() } : {}),
    validate: meter.over(jsonSchema()),
    ...(options.authorize ? { authorize: options.authorize } : {}),
    channels,
    // Callers of a server wait elsewhere, and are told there.
    announce: false,
    link,
    report,
    telemetry: options.telemetry,
    ...(options.strategy ? { strategy: options.strategy } : {}),
  })
  const metrics = createMetrics(version)
  gate.on('accessed', ({ access: { server, method }, refused, asks }) => {
    const passed = asks ? 'asked' : 'allowed'
    const outcome = isCountersignError(refused) ? refused.code : refused ? 'internal' : passed
    metrics.access(server, method, outcome)
  })
  const verdicts = createVerdictCounts(store)
  gate.on('judged', (judged) => {
    verdicts.count(judged)
    metrics.judged(judged.verdict)
  })
  const attempts = createRefusedAttempts(store, { onRefused: metrics.refused })
  const background = createBackground()
  const sessions = createSessions(store)
  const tokens = createTokens(store)
  const credentials: Credentials = {
    accounts,
    sessions,
    tokens,
    isSecure: publicUrl?.protocol === 'https:',
    base,
  }
  const links = createSignInLinks(records, now)
  const channelLinks = createLinks(store)
  const hub = createEventHub(gate, store, sessions.live)
  const presence = createPresence(hub.reading)
  const known = () => ({
    observing: options.observe === true,
    streams: hub.size,
    tools: gate.admin.tools.length,
  })
  const gauges = createGauges(known)
  const measured = measureServer(options.telemetry?.meter, metrics.source, createGauges(known))
  const sweeper = startSweeper({ store, retain: () => policy().owner.retain, index: true })
  const reach = watchReach({ store, people })
  const checkpoints =
    signer &&
    startCheckpoints({
      ...{ store, signer },
      onError: (error) => log.write('error', 'no checkpoint was signed', errorFields(error)),
    })
  const stopping = new AbortController()
  const policyNow = active.current
  const services: Services = {
    observing: options.observe === true,
    hasStudio: hosted !== undefined,
    version,
    store,
    gate,
    policy,
    policyNow,
    inForce: active.inForce,
    active,
    credentials,
    links,
    membership: createMembership(store),
    channels,
    channelLinks,
    devices: createDevices(store, sessions, options.push),
    passkeys: createPasskeys(store),
    oidc: options.oidc && createOidc(options.oidc, records, now),
    audit: options.openAudit && createAuditCheck({ open: options.openAudit, tenant, now }),
    hub,
    presence,
    metrics,
    gauges,
    approvalCounters: createApprovalCounters(store),
    metricsToken: options.metricsToken,
    attempts,
    meter,
    notes: createToolNotes(store, policy, background),
    log,
    publicUrl,
    clientAddress: options.clientAddress,
    base,
    limits: {
      // One limit per way to sign in: a caller over one of them does not block the others.
      guesses: createRateLimit({ most: 20, windowMs: 60_000, what: 'sign-ins' }),
      terminals: createRateLimit({ most: 20, windowMs: 60_000, what: 'sign-ins' }),
      providers: createRateLimit({ most: 300, windowMs: 60_000, what: 'sign-ins' }),
      calls: createRateLimit({
        most: (options.callsPerSecond ?? 100) * 10,
        windowMs: 10_000,
        what: 'requests with this token',
      }),
    },
    stopping: stopping.signal,
    inbox,
    docs: options.docs,
    upstreams: options.upstreams?.(policyNow),
    demo: options.demo === true,
  }
  const routes = routesOf(services, options.doors?.(services))
  const { oidc, membership } = services
  const answering = { store, gate, accounts, attempts }
  const provider = oidc && signInProvider(oidc, { ...answering, membership, policy })
  const host = { ...answering, links: channelLinks, provider, link, report }
  const connected = channels.map((one) => one.connect?.(channelHost(one.name, host)))
  let isClosed = false
  function drain(): void {
    if (stopping.signal.aborted) return
    stopping.abort()
    presence.close()
    hub.close()
  }

  return {
    app: createApp(services, routes),
    routes,
    gate,
    policyNow,
    policyState: active.state,
    credentials,
    links,
    inviteOperator: () => signInSecret(store, undefined),
    rejected(reason) {
      services.metrics.rejected()
      log.write('error', 'unhandled rejection', errorFields(reason))
    },
    ending: (error) => log.write('error', 'uncaught exception', errorFields(error)),
    drain,
    async close() {
      drain()
      if (isClosed) return
      isClosed = true
      unfollow()
      gauges.close()
      measured.close()
      // Answers first: one that is under way is written before the gate closes.
      await Promise.all(connected.map((stop) => stop?.()))
      await Promise.all([sweeper.stop(), reach.stop(), sessions.close(), tokens.close()])
      await gate.close()
      await Promise.all([verdicts.close(), attempts.close()])
      await background.idle()
      await gate[internals].idle()
      // Last: it covers what the others wrote. The next start signs what this one could not.
      await checkpoints?.stop().catch(() => {})
    },
  }
}

export function standardLog(): Log {
  // Standard error in Node; Workers and browsers have a console as well.
  const out = (line: string) => console.error(line)
  return createLog({ format: 'json', level: 'warn', out })
}

/** Opens the card. A person who follows it still has to sign in, and has decided nothing. */
function approvalLink(inbox: string | undefined, id: string): string | undefined {
  return inbox === undefined
    ? undefined
    : new URL(`approvals/${encodeURIComponent(id)}`, inbox).href
}
