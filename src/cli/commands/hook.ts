import path from 'node:path'
import type { Command } from 'commander'
import { parseDuration } from '../../base/duration.ts'
import { verdictWord } from '../../policy/evaluate.ts'
import { openLog } from '../audit-source.ts'
import { databasePlace, type Place } from '../database.ts'
import { reportFailure, usage } from '../failure.ts'
import { POLICY_FILE } from '../files.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../open-store.ts'
import type { LoadedPolicy } from '../policy-files.ts'
import { loadServed, type PolicyOptions, servedPolicy } from '../served-policy.ts'
import { sharedInbox } from '../shared-inbox.ts'
import type { Run, Shell } from '../shell.ts'

interface Options extends DatabaseOptions, PolicyOptions {
  readonly wait: string
}

/** Blocks the call, in the words of Claude Code. */
const BLOCK = 2
const MOST_INPUT = 32 * 1_048_576

export function addHook(program: Command, run: Run): void {
  const hook = program
    .command('hook')
    .description('Answer the hooks of coding agents: people are asked before their tools run.')
    .helpCommand(false)
  takesDatabase(hook.command('claude-code'))
    .description('Read what Claude Code is about to do from stdin, ask, and print its answer.')
    .option('--wait <duration>', 'how long Claude Code is kept waiting', '9m')
    .option('--policy <file>', 'the policy file; else the nearest countersign.yaml here or above')
    .option('--governance <files...>', 'governance files; COUNTERSIGN_GOVERNANCE adds more')
    .addHelpText(
      'after',
      '\nExit codes: 0 with an answer on stdout, or without one when nobody needs to be asked;\n' +
        '2 on any doubt, which blocks the call.\n' +
        '\nExample:\n  $ countersign init claude-code    writes the settings that call this',
    )
    .action((options: Options) => run((shell) => hookClaudeCode(options, shell)))
}

/** Whatever goes wrong, the answer is 2: any other code would let the call run. */
async function hookClaudeCode(options: Options, shell: Shell): Promise<number> {
  try {
    await answer(options, shell)
    return 0
  } catch (error) {
    reportFailure(error, shell.err)
    return BLOCK
  }
}

async function answer(options: Options, shell: Shell): Promise<void> {
  const { out, err } = shell
  const waitFor = parseDuration(options.wait)
  if (!waitFor.ok) throw usage(`--wait: ${waitFor.problem}`, 'Use a duration such as 9m.')
  const { readHookInput } = await import('../../adapters/claude-code/hook-input.ts')
  const { afterTool, beforeTool } = await import('../../adapters/claude-code/hook.ts')
  const input = readHookInput(await readAll(shell.stdin))
  // The folder Claude Code works in decides which policy holds, not where the hook was started.
  const there = { ...shell, cwd: input.cwd }
  const loaded = loadServed(options, there)
  const place = databasePlace(options.db, there)
  const { createServer } = await import('../../server/server.ts')
  const { findInbox } = await import('../../server/inbox-files.ts')
  const { localOperator } = await import('../../server/identity/invite.ts')
  const { openSigner } = await import('../../gate/keys.ts')
  const { keyFolder } = await import('../../store/key-folder.ts')
  const store = await openStore(place, options)
  const signer = await openSigner({ store, keys: keyFolder(path.join(place.folder, 'keys')) })
  const server = createServer({
    store,
    signer,
    ...servedPolicy(loaded, input.cwd),
    openAudit: (wanted) => openLog(options.db, wanted, there),
    inbox: findInbox(),
  })
  const inbox = sharedInbox(place.folder, server)
  try {
    // The person at the keyboard is who the agent works for; only they or an approver confirm.
    const { issuer, subject } = localOperator()
    // Whoever may be asked has to be known before. Calls that ask nobody should cost nothing.
    const { tool, server: alias, args } = input
    const call = {
      tool,
      ...(alias === undefined ? {} : { server: alias }),
      args,
      agent: 'claude-code',
    }
    const isAsked = verdictWord(loaded.policy, call) !== 'allow'
    if (isAsked) await server.inviteOperator()
    const hooked = {
      gate: server.gate.with({
        door: 'hook',
        agent: 'claude-code',
        principal: { issuer, subject },
      }),
      store,
      own: { paths: ownPaths(place, loaded, input.cwd) },
      waitFor: waitFor.value,
      onPending: ({ id }: { readonly id: string }) => {
        void inbox.url().then(
          (url) => err.line(`countersign: waits for a person, at ${url}approvals/${id}`),
          (error: unknown) => reportFailure(error, err),
        )
      },
    }
    if (input.event !== 'PreToolUse') {
      await afterTool(input, hooked)
      return
    }
    const said = await beforeTool(input, hooked)
    if (said !== undefined) await out.write(`${JSON.stringify(said)}\n`)
  } finally {
    await inbox.close()
    await server.close()
    await store.close()
  }
}

/** Whoever writes these decides what the next call may do. */
function ownPaths({ folder, ...at }: Place, { files }: LoadedPolicy, cwd: string): string[] {
  const database = at.kind === 'sqlite' ? [at.path, `${at.path}-wal`] : []
  // Also where there is no policy yet: a first one would hold from the next call on.
  const policy = [POLICY_FILE, ...files.map(({ file }) => file)]
  return [folder, ...database, ...policy.map((one) => path.resolve(cwd, one))]
}

async function readAll(stream: NodeJS.ReadableStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MOST_INPUT)
      throw usage('stdin is too large', 'Claude Code sends one call at a time.')
    chunks.push(bytes)
  }
  if (size === 0) {
    throw usage(
      'stdin is empty; Claude Code runs this command and sends it a call',
      '`countersign init claude-code` writes the settings that make it do so.',
    )
  }
  return Buffer.concat(chunks)
}
