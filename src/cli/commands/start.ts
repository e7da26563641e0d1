import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import path from 'node:path'
import type { Command } from 'commander'
import { packageVersion } from '../../app/version.ts'
import type { Telemetry } from '../../gate/telemetry/telemetry.ts'
import { isLoopback } from '../../server/http/origin.ts'
import type { PolicyState } from '../../server/policy/active-policy.ts'
import type { Serving } from '../../server/serve.ts'
import { servedName } from '../../store/served-name.ts'
import type { Store } from '../../store/store.ts'
import { batchedLog } from '../batched-log.ts'
import { type ChannelOptions, readChannels } from '../channels.ts'
import { usage } from '../failure.ts'
import { POLICY_FILE } from '../files.ts'
import { watchMishaps } from '../mishaps.ts'
import { type OAuthFlags, readOAuth, takesOAuth } from '../options/oauth-options.ts'
import { type OidcFlags, readOidc, takesOidc } from '../options/oidc-options.ts'
import { type PushFlags, readPush, takesPush } from '../options/push-options.ts'
import { printable } from '../print/printable.ts'
import { count } from '../print/show-mistakes.ts'
import type { Run, Shell } from '../shell.ts'
import { openLog } from '../state/audit-source.ts'
import { databasePlace, leftBehind, placeWords } from '../state/database.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../state/open-store.ts'
import { filesOf, loadServed } from '../state/served-policy.ts'
import { type HookServer, removeServerFile, writeServerFile } from '../state/server-file.ts'

interface Options extends DatabaseOptions, OidcFlags, OAuthFlags, ChannelOptions, PushFlags {
  readonly port: string
  readonly host: string
  readonly callsPerSecond: string
  readonly policy?: string
  readonly governance?: readonly string[]
  readonly applyPolicy?: boolean
  /** `--no-migrate` makes it false. */
  readonly migrate: boolean
  readonly log?: string
  readonly logLevel: string
  readonly observe?: boolean
  readonly demo?: boolean
  readonly docs?: string
  readonly json?: boolean
  readonly mcpAllow?: readonly string[]
  readonly mcpCommands?: boolean
  readonly mcpProcesses: string
}

export function addStart(program: Command, run: Run): void {
  takesStart(program.command('start'))
    .description('Start the server and print a link to its inbox.')
    .option('--json', 'print one JSON object with the address')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign start --policy countersign.yaml --governance company.yaml',
    )
    .action((options: Options) => run((shell) => start(options, shell)))
}

/** All that a server can be started with. */
export function takesStart(command: Command): Command {
  return takesPush(takesOAuth(takesOidc(takesDatabase(command))))
    .option('--port <number>', 'port to listen on; 0 takes a free one', '4747')
    .option(
      '--host <name>',
      'where to listen; beyond this machine only with --oidc-issuer',
      '127.0.0.1',
    )
    .option('--policy <file>', `the policy file; else the nearest ${POLICY_FILE} here or above`)
    .option('--apply-policy', 'put what the files say into force, if they changed since; on record')
    .option('--governance <files...>', 'governance files; COUNTERSIGN_GOVERNANCE adds more')
    .option('--no-migrate', 'leave the Postgres schema to `countersign db migrate`')
    .option('--log <format>', 'json or text; text on a terminal, json elsewhere')
    .option('--log-level <level>', 'debug, info, warn or error', 'warn')
    .option('--calls-per-second <number>', 'what one agent token may ask, over ten seconds', '100')
    .option('--observe', 'record what the policy would ask and let it pass; governance is enforced')
    .option('--demo', 'offer an agent in the inbox that makes three harmless calls')
    .option('--docs <folder>', 'serve the documentation that `npm run site` built, at /docs')
    .option('--webhook <urls...>', 'tell these addresses too; COUNTERSIGN_WEBHOOK_URL adds more')
    .option('--webhook-allow <hosts...>', 'hosts of your own network that a webhook may reach')
    .option('--webhook-share <level>', 'what a webhook is told of a call: name or message')
    .option('--mail-from <sender>', 'tell people by mail from here; needs COUNTERSIGN_SMTP_URL')
    .option('--mail-share <level>', 'what a mail tells of a call: name or message')
    .option('--slack-share <level>', 'what Slack is told: name, message or arguments')
    .option('--slack-channel <pairs...>', 'tell a group in one channel: finance=C0123456789')
    .option('--telegram-share <level>', 'what Telegram is told: name, message or arguments')
    .option(
      '--telegram-chat <pairs...>',
      'tell a group in a group chat, too: finance=-1001234567890',
    )
    .option('--discord-share <level>', 'what Discord is told: name, message or arguments')
    .option('--discord-channel <pairs...>', 'tell a group in a channel, too: finance=1234567890')
    .option('--discord-server <id>', 'only members of this server of Discord answer there')
    .option('--teams-share <level>', 'what the bot of Teams is told: name, message or arguments')
    .option('--ciba', 'the provider of --oidc-issuer asks approvers on their device')
    .option('--ciba-risk <level>', 'the highest risk that is decided there; L2 unless set')
    .option(
      '--ciba-login-hint <kind>',
      'how it knows people: sub, email or iss_sub; sub unless set',
    )
    .option('--ciba-acr <pairs...>', 'what its acr is worth: phr=passkey; signed-in unless set')
    .option(
      '--mcp-allow <hosts...>',
      'hosts of your own network that a url of mcp_servers may reach',
    )
    .option('--mcp-commands', 'let admins start and add commands as MCP servers in the inbox')
    .option(
      '--mcp-processes <number>',
      'how often a command of mcp_servers may run at once, once for each client',
      '50',
    )
}

async function start(options: Options, shell: Shell): Promise<number> {
  const { out, err, cwd, env } = shell
  const publicUrl = readPublicUrl(env.COUNTERSIGN_PUBLIC_URL)
  const oidc = readOidc(options, env)
  const host = readHost(options.host, { hasProvider: oidc !== undefined, publicUrl })
  const address = { host, port: readPort(options.port) }
  const processes = readProcesses(options.mcpProcesses)
  const logging = { ...readLog(options, shell), out: err.line }
  const fromFiles = loadServed(options, shell)
  const version = packageVersion()
  const named = databasePlace(options.db, shell)
  const place = options.migrate ? named : { ...named, migrate: false }
  const left = leftBehind(options.db, shell)
  // Only this command needs a web server, and loading one takes time.
  const { composeCountersign } = await import('../../app/create-countersign.ts')
  const { mcpGateway } = await import('../../app/mcp-gateway.ts')
  const { toolStudio } = await import('../../app/studio.ts')
  const { hookRoutes } = await import('../../app/hook/routes.ts')
  const { serve } = await import('../../server/serve.ts')
  const { createLog } = await import('../../server/log.ts')
  const { findInbox } = await import('../../server/http/read-inbox.ts')
  const { readDocs } = await import('../../server/http/read-docs.ts')
  const { signingKeys } = await import('../state/signing-keys.ts')
  const channels = await readChannels(options, shell)
  const stopped = untilStopped()
  let served: string | undefined
  let isFirst = true
  const load = () => {
    if (!isFirst) return loadServed(options, shell)
    isFirst = false
    return fromFiles
  }
  const log = batchedLog(err, '')
  const key = randomBytes(32).toString('hex')
  const signing = await signingKeys(place, shell)
  const store = await openStore(place, options)
  const { countersign, internals } = composeCountersign(
    {
      store,
      policy: filesOf(load, cwd),
      applyPolicy: options.applyPolicy === true,
      log: createLog(logging),
      telemetry: await findTelemetry(),
      ...signing,
      audit: (wanted) => openLog(options.db, wanted, shell),
      ...(publicUrl ? { publicUrl } : {}),
      inbox: findInbox(),
      docs: options.docs === undefined ? undefined : readDocs(path.resolve(cwd, options.docs)),
      channels,
      push: readPush(options, env),
      observe: options.observe === true,
      demo: options.demo === true,
      oidc,
      mcp: mcpGateway({
        env,
        allowHosts: options.mcpAllow ?? [],
        commands: options.mcpCommands === true,
        processes,
        oauth: readOAuth(options),
      }),
      studio: toolStudio({ allowHosts: options.mcpAllow ?? [] }),
      callsPerSecond: readRate(options.callsPerSecond),
      metricsToken: env.COUNTERSIGN_METRICS_TOKEN || undefined,
    },
    {
      routes: (services) => hookRoutes({ key, inbox: () => served }).routes(services),
      address: () => served,
      gatewayLog: log,
      // The greeting says so.
      onUnapplied: () => {},
    },
  )
  await countersign.ready().catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const { server, isGiven } = internals()
  const { running, sources } = server.policyState()
  const unwatch = watchMishaps({
    rejected: server.rejected,
    ending(error) {
      server.ending(error)
      removeServerFile(place.folder)
    },
  })
  let serving: Serving | undefined
  try {
    serving = await serve(countersign, address)
    const url = publicUrl?.href ?? serving.url
    served = url
    const files = fromFiles.files.map(({ file }) => path.resolve(cwd, file))
    // What is only observed here is asked about all the same in a coding agent.
    const hook = options.observe ? undefined : hookServer(serving.url, { key, files })
    const serves = servedName(place, options.tenant)
    const about = { url, local: localUrl(serving.url), pid: process.pid, version, serves }
    writeServerFile(place.folder, { ...about, ...(hook ? { hook } : {}) })
    const keepsLog = !out.terminal && (oidc !== undefined || env.JOURNAL_STREAM !== undefined)
    const link =
      keepsLog && !options.json ? undefined : `${url}#signin=${await server.inviteOperator()}`
    const telling = channels.map(({ name }) => name)
    if (options.json) {
      out.json({
        url,
        link,
        version,
        files: sources.map(({ file }) => file),
        applied: isGiven,
        warnings: running.warnings.length,
        data: placeWords(place),
        channels: telling,
        ...(options.observe ? { mode: 'observe' } : {}),
      })
    } else {
      const data = placeWords(place)
      const how = { url, telling, observing: options.observe === true, isGiven, data }
      for (const line of greeting(link, server.policyState(), how)) out.line(line)
    }
    for (const warning of store.warnings) err.line(`warning: ${printable(warning)}`)
    if (left !== undefined) err.line(`warning: ${printable(newPlaceWords(left))}`)
    await Promise.race([stopped, untilLost(store)])
    return 0
  } finally {
    log.flush()
    removeServerFile(place.folder)
    // New connections are refused, open requests get their answers, and only then is all closed.
    const closed = serving?.close()
    countersign.drain()
    await closed
    unwatch()
    await countersign.close()
    await store.close()
  }
}

/** Hooks run on this machine and use no address of a network. */
function hookServer(url: string, known: Omit<HookServer, 'url'>): HookServer | undefined {
  const local = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  return isLoopback(new URL(local).host) ? { url: local, ...known } : undefined
}

/**
 * Links from a terminal sign in the user at that terminal. For other machines that is not enough,
 * and without TLS a session could be read in transit.
 */
function readHost(
  host: string,
  { hasProvider, publicUrl }: { hasProvider: boolean; publicUrl: URL | undefined },
): string {
  if (['localhost', '127.0.0.1', '::1'].includes(host)) return host
  const isThere = hasProvider && publicUrl !== undefined
  if (isThere && (isIP(host) !== 0 || /^[a-z0-9][a-z0-9.-]*$/i.test(host))) return host
  throw usage(
    `--host ${host} would open Countersign to other machines, which needs another sign-in than links`,
    'Use localhost, 127.0.0.1 or ::1; or give --oidc-issuer and COUNTERSIGN_PUBLIC_URL=https://….',
  )
}

/** Listening everywhere is listening here, too. */
function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** What people type where a proxy with TLS stands in front. */
function readPublicUrl(text: string | undefined): URL | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.pathname === '/' && !url.search && !url.hash) return url
  throw usage(
    'COUNTERSIGN_PUBLIC_URL is not an https address without a path',
    'Use https://NAME, the address people open.',
  )
}

function readRate(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw usage(`--calls-per-second ${text} is not a rate`, 'Use a number from 1 to 999999.')
}

function readPort(port: string): number {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw usage(`--port ${port} is not a port`, 'Use a number from 0 to 65535.')
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}

/** Rejects when the database is no longer the one that was opened. The supervisor restarts us. */
function untilLost({ lost }: Store): Promise<never> {
  return new Promise((_, reject) => {
    if (lost.aborted) reject(lost.reason)
    lost.addEventListener('abort', () => reject(lost.reason), { once: true })
  })
}

interface How {
  readonly data: string
  readonly url: string
  readonly telling: readonly string[]
  readonly observing: boolean
  readonly isGiven: boolean
}

/** After `init`, the default place is another one: what is in the old stays there, and is said. */
function newPlaceWords(left: string): string {
  return `this is a new database. People, approvals and tokens from before are in ${left}; to go on with them, start with --db sqlite:${left}`
}

/** Without a link where others read what is printed: every reader of it could sign in as an admin. */
function greeting(
  link: string | undefined,
  { running: { version, policy, warnings }, sources }: PolicyState,
  { url, telling, observing, isGiven, data }: How,
): string[] {
  const { owner, governance } = policy
  const names = sources.map(({ file }) => printable(file)).join(', ')
  const counts = [
    count(owner.tools.size, 'tool'),
    count(owner.servers.size, 'server'),
    count(governance.length, 'governance rule'),
  ].join(', ')
  return [
    ...(link === undefined
      ? [`Countersign ${version} is running at ${url}`]
      : [
          `Countersign ${version} is running. Open this to sign in; it works once, for 10 minutes:`,
          `  ${link}`,
        ]),
    ...(sources.length > 0
      ? [`Policy: ${names} (${counts})`]
      : [
          `Policy: built-in defaults, because there is no ${POLICY_FILE}; \`countersign init\` makes one`,
        ]),
    `Data: ${printable(data)}`,
    ...(isGiven
      ? []
      : [
          'The policy on disk is NOT in force: it changed since it was last applied. Look at it and apply it with `countersign policy apply`, or start with --apply-policy.',
        ]),
    ...(warnings.length > 0
      ? [`${count(warnings.length, 'warning')}; \`countersign policy check\` shows them`]
      : []),
    ...(telling.length > 0 ? [`Telling: ${telling.map(printable).join(', ')}`] : []),
    ...(observing
      ? ['OBSERVING: your own rules are recorded and NOT enforced. Governance and locks are.']
      : []),
    `\`countersign open\` prints ${link === undefined ? 'a link that signs in' : 'another link'}. Press Ctrl-C to stop.`,
  ]
}

const FORMATS = ['json', 'text'] as const
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

function readLog({ log, logLevel }: Options, { err }: Shell) {
  const wanted = log ?? (err.terminal ? 'text' : 'json')
  const format = FORMATS.find((one) => one === wanted)
  if (format === undefined) throw usage(`--log ${log} is not a format`, 'Use json or text.')
  const level = LEVELS.find((one) => one === logLevel)
  if (level === undefined) {
    throw usage(`--log-level ${logLevel} is not a level`, `Use ${LEVELS.join(', ')}.`)
  }
  return { format, level }
}

/** Where the API package is installed; who collects spans is set up from outside, by --import. */
async function findTelemetry(): Promise<Telemetry | undefined> {
  const { openTelemetry } = await import('../../gate/telemetry/opentelemetry.ts')
  return openTelemetry().catch(() => undefined)
}

function readProcesses(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw usage(`--mcp-processes ${text} is not a number of processes`, 'Use a number such as 50.')
}
