import type { Command } from 'commander'
import { usage } from '../failure.ts'
import { signIn } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly json?: boolean
}

export function addInbox(program: Command, run: Run): void {
  takesDatabase(program.command('inbox'))
    .description('Read and decide pending approvals in this terminal.')
    .option('--json', 'print one JSON line for each change instead; decides nothing')
    .addHelpText(
      'after',
      '\nApproving asks for the last four characters of the digest, and only after all of the call' +
        '\nwas on the screen.\n\nExamples:\n  $ countersign inbox\n  $ countersign inbox --json | jq .event',
    )
    .action((options: Options) =>
      run((shell) => (options.json ? watch(options, shell) : inbox(options, shell))),
    )
}

async function inbox(options: DatabaseOptions, shell: Shell): Promise<number> {
  const { stdin, screen, out } = shell
  if (!('isTTY' in stdin && stdin.isTTY === true) || !out.terminal || screen === undefined) {
    throw usage(
      'the inbox needs a terminal with a person at it',
      'Run it in a terminal; `countersign list` prints what waits.',
    )
  }
  const { runScreen } = await import('../terminal/screen.ts')
  // Said before the screen changes: nothing runs, or nothing is installed.
  await (await signIn(options, shell)).end()
  await runScreen({ signIn: () => signIn(options, shell), stdin, stdout: screen })
  return 0
}

/** For programs: what waits, and whatever changes about it, until they stop reading. */
async function watch(options: Options, shell: Shell): Promise<number> {
  const { watchPending } = await import('../terminal/watch.ts')
  const stop = new AbortController()
  const onStop = () => stop.abort()
  process.once('SIGINT', onStop).once('SIGTERM', onStop)
  try {
    const { out } = shell
    await watchPending({ signIn: () => signIn(options, shell), out, signal: stop.signal })
    return 0
  } finally {
    process.off('SIGINT', onStop).off('SIGTERM', onStop)
  }
}
