import path from 'node:path'
import type { Command } from 'commander'
import { packageVersion } from '../../app/version.ts'
import type { HeldRun } from '../../gateway/downstream/held-run.ts'
import type { UpstreamSpec } from '../../gateway/upstream/upstream-spec.ts'
import { declaredRisk } from '../../policy/evaluate/declared.ts'
import type { Policy } from '../../policy/policy.ts'
import { batchedLog } from '../batched-log.ts'
import { usage } from '../failure.ts'
import { POLICY_FILE } from '../files.ts'
import { watchMishaps } from '../mishaps.ts'
import { sharedInbox } from '../shared-inbox.ts'
import type { Run, Shell } from '../shell.ts'
import { openLog } from '../state/audit-source.ts'
import { databasePlace } from '../state/database.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../state/open-store.ts'
import { filesOf, loadServed, type PolicyOptions } from '../state/served-policy.ts'
import { addMcpSignIn } from './mcp-sign-in.ts'

const NOT_IN_FORCE =
  'the policy on disk is NOT in force where it asks less: it changed since it was last applied. Apply it with `countersign policy apply`, or `countersign start --apply-policy`'

interface Options extends DatabaseOptions, PolicyOptions {
  readonly name?: string
  readonly agent: string
  readonly hold: string
  readonly inbox: boolean
  readonly mcpAllow?: readonly string[]
}

export function addMcp(program: Command, run: Run): void {
  const mcpCommand = takesDatabase(program.command('mcp'))
    .description('Run an MCP gateway: a person is asked before a tool of its servers runs.')
    .argument('[command...]', 'starts the server, after --; else the mcp_servers of the policy')
    .option('--name <alias>', 'what rules call the server; else taken from the command')
    .option('--agent <alias>', 'what rules call the agent', 'mcp')
    .option('--policy <file>', `the policy file; else the nearest ${POLICY_FILE} here or above`)
    .option('--governance <files...>', 'governance files; COUNTERSIGN_GOVERNANCE adds more')
    .option('--hold <seconds>', 'how long a call waits before it is answered as pending', '50')
    .option('--no-inbox', 'ask inside the client only')
    .option('--mcp-allow <hosts...>', 'hosts of your own network that a url may reach')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign mcp -- npx -y @modelcontextprotocol/server-filesystem .',
    )
    .action((command: string[], options: Options) => run((shell) => mcp(command, options, shell)))
  addMcpSignIn(mcpCommand, run)
}

async function mcp(command: readonly string[], options: Options, shell: Shell): Promise<number> {
  const { err, cwd, env } = shell
  const hold = readHold(options.hold)
  const log = batchedLog(err, 'countersign: ')
  const loaded = loadServed(options, shell)
  const { commandSpec } = await import('../../gateway/upstream/upstream-spec.ts')
  const { declaredServers, isOffered, pinsFor } = await import('../../app/mcp-routes.ts')
  const { gatewayTo } = await import('../../app/mcp-gateway.ts')
  const { createUses } = await import('../../gateway/upstream/last-used.ts')
  const declared =
    command.length > 0
      ? [commandSpec(options.name ?? aliasOf(command, loaded.policy, cwd), command, env)]
      : assertSome(declaredServers(loaded.policy, env, log, options.mcpAllow))
  const place = databasePlace(options.db, shell)
  const { composeCountersign } = await import('../../app/create-countersign.ts')
  const { findInbox } = await import('../../server/http/read-inbox.ts')
  const { knownOperator } = await import('../../server/identity/invite.ts')
  const { signingKeys } = await import('../state/signing-keys.ts')
  const { serveStdio } = await import('../../gateway/downstream/stdio-server.ts')
  const { createPatience } = await import('../../gateway/downstream/client.ts')
  const { holdRun, ownerOf } = await import('../../gateway/downstream/held-run.ts')
  const signing = await signingKeys(place, shell)
  const store = await openStore(place, options)
  const { heldBack } = await import('../state/unapplied-policy.ts')
  const authorize = await heldBack(store, loaded.policy).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  if (authorize) log(NOT_IN_FORCE)
  const { createSignIns } = await import('../../gateway/upstream/oauth/sign-ins.ts')
  const signIns = createSignIns({ store, keys: signing.keys })
  const specs = declared.map(signIns.attach)
  let held: HeldRun | undefined
  let served: string | undefined
  const { countersign, internals } = composeCountersign(
    {
      store,
      ...signing,
      policy: filesOf(() => loaded, cwd),
      ...(authorize ? { authorize } : {}),
      audit: (wanted) => openLog(options.db, wanted, shell),
      inbox: findInbox(),
      mcp: gatewayTo(() => specs, { hold, isEndpoint: false, signIns }),
    },
    {
      // What is applied elsewhere holds here as well, unless this file is stricter already.
      policy: authorize ? 'fixed' : 'followed',
      address: () => served,
      gatewayLog: log,
    },
  )
  await countersign.ready()
  const { server } = internals()
  const inbox = options.inbox ? sharedInbox(place, options.tenant, countersign) : undefined
  /** Clients keep what is written here in files, so a link that signs in is for a terminal alone. */
  async function whereToDecide(url: string): Promise<string> {
    if (err.terminal) {
      const secret = await server.inviteOperator()
      return `people decide at ${url}#signin=${secret} (works once, for 10 minutes)`
    }
    const database =
      place.kind === 'sqlite' ? ` --db ${JSON.stringify(`sqlite:${place.path}`)}` : ''
    return `people decide at ${url} ; to sign in, run: npx countersign open${database}`
  }

  const unwatch = watchMishaps(server)
  try {
    const operator = await knownOperator(store)
    served = await inbox?.url()
    if (served !== undefined) log(await whereToDecide(served))
    const { accounts } = server.credentials
    const { issuer, subject } = operator
    const { agent } = options
    const owner = await ownerOf({ agent, issuer, subject }, cwd, specs)
    held = await holdRun(store, owner, agent)
    const { run } = held
    await serveStdio(
      {
        gate: server.gate.with({
          door: 'mcp',
          agent,
          principal: { issuer, subject },
          run,
        }),
        store,
        agent,
        owner,
        principal: subject,
        run,
        person: accounts.person((await accounts.get(operator)) ?? operator, 'elicitation'),
        specs,
        isSingle: command.length > 0,
        pins: pinsFor(store, server.policyNow),
        isOffered: (server, tool) => isOffered(loaded.policy, server, tool),
        saidRisk: (server, tool) => declaredRisk(loaded.policy, { server, tool, args: {} }),
        ...createPatience(store.records, hold),
        used: createUses(store.records).used,
        inbox: async () => inbox?.url().catch(() => undefined),
        version: packageVersion(),
        log,
      },
      { input: process.stdin, output: process.stdout },
    )
    return 0
  } finally {
    unwatch()
    log.flush()
    countersign.drain()
    await held?.release().catch(() => {})
    await inbox?.close()
    await countersign.close()
    await store.close()
  }
}

function assertSome(specs: readonly UpstreamSpec[]): readonly UpstreamSpec[] {
  if (specs.length > 0) return specs
  throw usage(
    'there is no server to stand in front of',
    `Use countersign mcp -- COMMAND, or list mcp_servers with command or url in ${POLICY_FILE}.`,
  )
}

/** The alias of the same command in the file, else its most telling word. */
function aliasOf(command: readonly string[], { owner }: Policy, cwd: string): string {
  const same = [...owner.servers.values()].find(
    ({ connection: { command: first, args = [] } }) =>
      first !== undefined && JSON.stringify([first, ...args]) === JSON.stringify(command),
  )
  if (same) return same.alias
  const [first = ''] = command
  const isRunner = /^(?:npx|bunx|uvx|pnpx|node|bun|deno|python3?|uv|docker|cmd|sh)(?:\.exe|\.cmd)?$/
  const words = command.filter(
    (word) => !word.startsWith('-') && !isRunner.test(path.basename(word)),
  )
  const alias = tellingName((words[0] ?? first).replace(/(?<=.)@[^/]*$/, ''), cwd)
    .replaceAll(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, 64)
  return alias === '' ? 'server' : alias
}

/** `index` names nothing: then it is the folder of the package. */
function tellingName(word: string, cwd: string): string {
  const ending = /\.[cm]?[jt]s$|\.py$/
  const name = path.basename(word).replace(ending, '')
  if (!ending.test(word) || !/^(?:index|main|cli|server|__main__)$/.test(name)) return name
  const folders = path.dirname(path.resolve(cwd, word)).split(path.sep)
  return folders.findLast((one) => !/^(?:dist|build|lib|out|src|bin|esm|cjs)?$/.test(one)) ?? name
}

function readHold(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text) * 1_000
  throw usage(`--hold ${text} is not a number of seconds`, 'Use a number such as 50.')
}
