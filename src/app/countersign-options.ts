import { CountersignError } from '../base/errors.ts'
import { givenOptions } from '../base/options.ts'
import type { Authorize } from '../gate/context.ts'
import type { Channel } from '../gate/notify/channel.ts'
import type { ExternalKey } from '../gate/proof/keys.ts'
import type { Strategy } from '../gate/strategy.ts'
import type { Telemetry } from '../gate/telemetry/telemetry.ts'
import { nearest } from '../policy/grammar/nearest.ts'
import type { Policy } from '../policy/policy.ts'
import type { OpenAuditLog } from '../server/audit-check.ts'
import type { DocsFiles } from '../server/http/docs-files.ts'
import type { InboxFiles } from '../server/http/inbox-files.ts'
import { type ClientAddress, isLoopback } from '../server/http/origin.ts'
import type { OidcOptions } from '../server/identity/oidc.ts'
import type { Log } from '../server/log.ts'
import type { Store } from '../store/store.ts'
import type { KeyFolder } from '../store/vault.ts'
import type { McpGateway } from './mcp-gateway.ts'
import { assertPush, type PushOptions } from './push.ts'
import type { PolicyFiles } from './served-policy.ts'
import type { ToolStudio } from './studio.ts'

export interface CountersignServerOptions {
  /** What `loadPolicy`, `parsePolicy` or `definePolicy` returned, or files that can be read again. */
  readonly policy: Policy | PolicyFiles
  readonly store: Store
  /** Puts the policy into force where another one was last applied on this store; on record. */
  readonly applyPolicy?: boolean
  /** That of the store unless set. */
  readonly tenant?: string
  /** What people open, base path included: `https://example.com/approvals`. */
  readonly publicUrl?: string | URL
  /** Where `fetch` is mounted, such as `/approvals`: the path of `publicUrl` unless set. */
  readonly basePath?: string
  /** The web inbox: `inboxFiles()` of `countersign/server/node`. Without it there is the API alone. */
  readonly inbox?: InboxFiles | undefined
  /** The documentation at `/docs`: `docsFiles(folder)` of `countersign/server/node`. Without a base path only. */
  readonly docs?: DocsFiles | undefined
  /** People sign in with this OpenID Connect provider, besides links. */
  readonly oidc?: CountersignOidcOptions | undefined
  /** Where people hear of what waits for them, besides the inbox: `webhook(…)`. */
  readonly channels?: readonly Channel[]
  /** Push messages to phones and browsers: sent wherever there are `keys`. `false`: none. */
  readonly push?: PushOptions | false | undefined
  /** Serves the `mcp_servers` of the policy: `mcpGateway()` of `countersign/server/node`. */
  readonly mcp?: McpGateway
  /** Tools that people write in the inbox: `toolStudio()` of `countersign/server/node`. */
  readonly studio?: ToolStudio
  /** Private keys that sign countersignatures and checkpoints: `keyFolder(path)`. */
  readonly keys?: KeyFolder
  /** A key that lives elsewhere and signs in place of `keys`: `signCommand(program, jwk)`. */
  readonly signingKey?: ExternalKey
  /** Reads everything recorded, to verify and export it: `sqliteAudit(path)`, `postgresAudit(url)`. */
  readonly audit?: OpenAuditLog
  /** Holds single calls back, as a lock does. */
  readonly authorize?: Authorize
  /** Records what the owner's rules would ask and lets calls pass; governance is enforced. */
  readonly observe?: boolean
  /** What one agent token may ask, per second over ten seconds: 100 unless set. */
  readonly callsPerSecond?: number
  /** With it `/metrics` is read from anywhere, as a bearer token; without it, from this machine alone. */
  readonly metricsToken?: string | undefined
  /** Where a request comes from, for rate limits. Needed where there is no socket. */
  readonly clientAddress?: ClientAddress
  /** Offers the demo agent in the inbox. */
  readonly demo?: boolean
  /** `false`: no chat in the inbox. */
  readonly chat?: boolean
  /** What the server says about itself: warnings and errors as JSON on standard error unless set. */
  readonly log?: Log
  /** Spans of what the server does with approvals. */
  readonly telemetry?: Telemetry | undefined
  /** For tests: answers in place of people, such as `autoApprove()`. Refused in production. */
  readonly strategy?: Strategy
}

export interface CountersignOidcOptions extends Omit<OidcOptions, 'issuer'> {
  /** As its `/.well-known/openid-configuration` names it. */
  readonly issuer: string | URL
}

const NAMES: Readonly<Record<keyof CountersignServerOptions, true>> = {
  policy: true,
  store: true,
  applyPolicy: true,
  tenant: true,
  publicUrl: true,
  basePath: true,
  inbox: true,
  docs: true,
  oidc: true,
  channels: true,
  push: true,
  mcp: true,
  studio: true,
  keys: true,
  signingKey: true,
  audit: true,
  authorize: true,
  observe: true,
  callsPerSecond: true,
  metricsToken: true,
  clientAddress: true,
  demo: true,
  chat: true,
  log: true,
  telemetry: true,
  strategy: true,
}

export interface ReadOptions
  extends Omit<CountersignServerOptions, 'publicUrl' | 'basePath' | 'oidc' | 'tenant'> {
  readonly publicUrl: URL | undefined
  readonly base: string
  readonly oidc: OidcOptions | undefined
}

/** The options, checked. Throws `usage` for whatever could make a server other than was meant. */
export function readOptions(said: CountersignServerOptions): ReadOptions {
  if (typeof said !== 'object' || said === null) {
    throw wrong('createCountersign needs options', 'Pass createCountersign({ policy, store }).')
  }
  const given = givenOptions(said)
  assertNames(said)
  assertParts(given)
  assertPush(given.push ?? {})
  const { tenant: _, basePath, ...options } = given
  const publicUrl = readPublicUrl(given.publicUrl)
  const base = readBase(basePath, publicUrl)
  if (options.docs && base !== '') {
    throw wrong(
      `the documentation is served at /docs, and this server is mounted at ${base}`,
      'Leave docs out, and serve the folder from your web server.',
    )
  }
  const oidc = given.oidc && readOidc(givenOptions(given.oidc))
  // Again: an object made here would have what a careless merge put into Object.prototype.
  return givenOptions({ ...options, publicUrl, base, oidc })
}

function assertNames(said: object): void {
  const known = Object.keys(NAMES)
  const unknown = Object.keys(said).find((name) => !Object.hasOwn(NAMES, name))
  if (unknown === undefined) return
  const meant = nearest(unknown, known)
  throw wrong(
    `createCountersign knows no option ${JSON.stringify(unknown)}`,
    meant === undefined ? `Use ${known.join(', ')}.` : `Did you mean ${meant}?`,
  )
}

/** What a header can carry, and long enough not to be guessed. */
const METRICS_TOKEN = /^[\x21-\x7e]{32,512}$/

const BOOLEANS = ['applyPolicy', 'observe', 'demo'] as const

type Parts = Pick<
  CountersignServerOptions,
  | 'policy'
  | 'store'
  | 'tenant'
  | 'callsPerSecond'
  | 'metricsToken'
  | 'clientAddress'
  | (typeof BOOLEANS)[number]
>

function assertParts(options: Parts): void {
  const { policy, store, tenant, callsPerSecond, metricsToken, clientAddress } = options
  const isPolicy = typeof policy === 'object' && policy !== null
  if (!isPolicy || !('read' in policy || typeof policy.level === 'function')) {
    throw new CountersignError('policy_invalid', 'createCountersign needs a policy', {
      hint: "Pass policy: await loadPolicy('countersign.yaml'), or definePolicy({ … }).",
    })
  }
  if (typeof store?.apply !== 'function') {
    throw new CountersignError('store_unavailable', 'createCountersign needs a store', {
      hint: "Pass store: sqliteStore('approvals.db') of countersign/sqlite, or postgresStore(url).",
    })
  }
  if (tenant !== undefined && tenant !== store.tenant) {
    throw wrong(
      `the store belongs to tenant ${store.tenant}`,
      'Open the store with the tenant of the server.',
    )
  }
  for (const name of BOOLEANS) {
    const value: unknown = options[name]
    if (value !== undefined && typeof value !== 'boolean') {
      throw wrong(`${name} is neither true nor false`, `Pass ${name}: true, or leave it out.`)
    }
  }
  const isRate = callsPerSecond === undefined || (callsPerSecond > 0 && callsPerSecond < 1_000_000)
  if (!isRate) {
    throw wrong('callsPerSecond is not a rate', 'Use a number from 1 to 999999.')
  }
  if (metricsToken !== undefined && !METRICS_TOKEN.test(metricsToken)) {
    throw wrong(
      'metricsToken is not a token',
      'Use 32 characters or more, such as those of `openssl rand -hex 32`.',
    )
  }
  if (clientAddress !== undefined && typeof clientAddress !== 'function') {
    throw wrong('clientAddress is not a function', 'Pass (request, env) => the address.')
  }
}

/** Without TLS a session could be read in transit; loopback traffic stays on this machine. */
function readPublicUrl(given: string | URL | undefined): URL | undefined {
  if (given === undefined) return undefined
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined
  const isSafe = url && (url.protocol === 'https:' || isPlainLoopback(url))
  if (!url || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw wrong(
      'publicUrl is not an https address',
      'Use what people open, such as https://example.com/approvals; http is for localhost alone.',
    )
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

function isPlainLoopback(url: URL): boolean {
  return url.protocol === 'http:' && isLoopback(url.host)
}

// What needs no escaping in HTML, in a pattern of routes and in the name of a cookie.
const BASE = /^(?:\/[A-Za-z0-9_-]+)+$/

function readBase(given: string | undefined, publicUrl: URL | undefined): string {
  const ofUrl = publicUrl?.pathname.replace(/\/$/, '')
  const base = given?.replace(/\/$/, '') ?? ofUrl ?? ''
  if (base !== '' && !BASE.test(base)) {
    throw wrong(
      `basePath ${JSON.stringify(base)} is not a path of letters, digits, _ and -`,
      'Use such as /approvals, or leave it out at the root of a host.',
    )
  }
  if (ofUrl === undefined || ofUrl === base) return base
  throw wrong(
    `basePath ${JSON.stringify(base)} is not the path of publicUrl, ${JSON.stringify(ofUrl)}`,
    'Give publicUrl with the path, and leave basePath out.',
  )
}

function readOidc({ issuer, ...oidc }: CountersignOidcOptions): OidcOptions {
  const url = URL.canParse(String(issuer)) ? new URL(String(issuer)) : undefined
  const isSafe = url && (url.protocol === 'https:' || isPlainLoopback(url))
  if (!url || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw wrong(
      'oidc.issuer is not an https address',
      'Use the issuer as its /.well-known/openid-configuration names it.',
    )
  }
  if (typeof oidc.clientId !== 'string' || oidc.clientId === '') {
    throw wrong('oidc.clientId is missing', 'Use the name of this server at the provider.')
  }
  return givenOptions({ ...oidc, issuer: url })
}

function wrong(message: string, hint: string): CountersignError {
  return new CountersignError('usage', message, { hint })
}
