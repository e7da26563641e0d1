import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
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

interface Options extends DatabaseOptions, PolicyOptions {
  readonly name: string
  readonly agent: string
  readonly inbox: boolean
}

export function addAcp(program: Command, run: Run): void {
  takesDatabase(program.command('acp'))
    .description('Stand between an editor and an ACP agent: a person is asked first.')
    .argument('<command...>', 'starts the agent, after --')
    .option('--name <alias>', 'the server that rules find its tools under', 'acp')
    .option('--agent <alias>', 'what rules call the agent', 'acp')
    .option('--policy <file>', `the policy file; else the nearest ${POLICY_FILE} here or above`)
    .option('--governance <files...>', 'governance files; COUNTERSIGN_GOVERNANCE adds more')
    .option('--no-inbox', 'ask inside the editor only')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign acp -- npx -y @zed-industries/claude-code-acp',
    )
    .action((command: string[], options: Options) => run((shell) => acp(command, options, shell)))
}

async function acp(command: readonly string[], options: Options, shell: Shell): Promise<number> {
  const { err, cwd, env } = shell
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(options.name)) {
    throw usage(`--name ${options.name} is not a plain name`, 'Use letters, digits, _ . and -.')
  }
  const log = batchedLog(err, 'countersign: ')
  const loaded = loadServed(options, shell)
  const place = databasePlace(options.db, shell)
  const { composeCountersign } = await import('../../app/create-countersign.ts')
  const { findInbox } = await import('../../server/http/read-inbox.ts')
  const { knownOperator } = await import('../../server/identity/invite.ts')
  const { signingKeys } = await import('../state/signing-keys.ts')
  const { openAcpDoor } = await import('../../gateway/acp/door.ts')
  const { inheritedEnv, spawnable } = await import('../../gateway/upstream/child-command.ts')
  const { heldBack } = await import('../state/unapplied-policy.ts')
  const signing = await signingKeys(place, shell)
  const store = await openStore(place, options)
  const authorize = await heldBack(store, loaded.policy).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  let served: string | undefined
  const { countersign, internals } = composeCountersign(
    {
      store,
      ...signing,
      policy: filesOf(() => loaded, cwd),
      ...(authorize ? { authorize } : {}),
      audit: (wanted) => openLog(options.db, wanted, shell),
      inbox: findInbox(),
    },
    { policy: authorize ? 'fixed' : 'followed', address: () => served },
  )
  await countersign.ready()
  const { server } = internals()
  const inbox = options.inbox ? sharedInbox(place, options.tenant, countersign) : undefined
  const unwatch = watchMishaps(server)
  try {
    const operator = await knownOperator(store)
    served = await inbox?.url()
    if (served !== undefined)
      log(`people decide at ${served} ; to sign in, run: npx countersign open`)
    const { issuer, subject } = operator
    const { accounts } = server.credentials
    const [first = '', ...rest] = command
    const own = inheritedEnv(env)
    const start = spawnable(first, rest, {
      platform: process.platform,
      env: own,
      exists: existsSync,
    })
    const child = spawn(start.command, [...start.args], {
      cwd,
      env: own,
      stdio: ['pipe', 'pipe', 'inherit'],
      windowsHide: true,
      windowsVerbatimArguments: start.isVerbatim,
    })
    const ended = new Promise<number>((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1))
      child.once('error', ({ message }) => {
        log(`the agent could not be started: ${message}`)
        resolve(1)
      })
    })
    const { agent } = options
    const door = openAcpDoor({
      gate: server.gate.with({
        door: 'acp',
        agent,
        principal: { issuer, subject },
        run: `acp-${crypto.randomUUID()}`,
      }),
      person: accounts.person((await accounts.get(operator)) ?? operator, 'elicitation'),
      alias: options.name,
      inbox: async () => inbox?.url().catch(() => undefined),
      editor: { input: process.stdin, output: process.stdout },
      agent: { input: child.stdout, output: child.stdin },
      log,
    })
    await Promise.race([door.over, ended])
    door.close()
    child.stdin.end()
    const late = setTimeout(() => child.kill(), 2_000)
    const code = await ended
    clearTimeout(late)
    return code
  } finally {
    unwatch()
    log.flush()
    countersign.drain()
    await inbox?.close()
    await countersign.close()
    await store.close()
  }
}
