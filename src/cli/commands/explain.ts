import type { Command } from 'commander'
import type { Call } from '../../base/call.ts'
import { parseStrict } from '../../base/strict-json.ts'
import { readCall } from '../../policy/call.ts'
import { explain } from '../../policy/explain.ts'
import { usage } from '../failure.ts'
import { loadPolicy, namedFiles, takesPolicyFiles } from '../policy-files.ts'
import type { Run, Shell } from '../shell.ts'
import { showExplanation } from '../show-explanation.ts'

interface Options {
  readonly governance?: readonly string[]
  readonly call?: string
  readonly tool?: string
  readonly server?: string
  readonly agent?: string
  readonly risk?: string
  readonly args?: string
  readonly json?: boolean
}

export function addExplain(policy: Command, run: Run): void {
  takesPolicyFiles(policy.command('explain'))
    .description(
      'Say what would happen to one call: the verdict, every rule looked at, each value seen.',
    )
    .option('--call <json>', 'the whole call as JSON; - reads it from standard input')
    .option('--tool <name>', 'the tool that is called')
    .option('--server <alias>', 'the MCP server it belongs to')
    .option('--agent <alias>', 'the agent that calls')
    .option('--risk <level>', 'L0 to L5')
    .option('--args <json>', 'the arguments as JSON; {} when left out')
    .option('--json', 'print the explanation as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign policy explain --tool transfer_money --args \'{"amount":20000}\'',
    )
    .action((owner: string | undefined, outside: string[], options: Options) =>
      run(async (shell) => {
        const named = namedFiles(owner, [...outside, ...(options.governance ?? [])], shell)
        const { policy } = loadPolicy(named, shell.cwd)
        const call = readCall(await callFrom(options, shell))
        const explanation = explain(policy, call)
        if (options.json) shell.out.json(explanation)
        else
          for (const line of showExplanation(explanation, call, shell.out.paint))
            shell.out.line(line)
        return 0
      }),
    )
}

async function callFrom(options: Options, { stdin }: Shell): Promise<unknown> {
  const { call, tool, server, agent, risk, args = '{}' } = options
  const parts = { server, agent, risk, args: options.args }
  if (call === undefined) {
    if (tool === undefined) {
      throw usage(
        'there is no call to explain',
        'Add --tool NAME, or --call with the whole call as JSON.',
      )
    }
    const given = Object.entries({ tool, server, agent, risk }).filter(
      ([, value]) => value !== undefined,
    )
    return { ...Object.fromEntries(given), args: parseStrict(args) } as Partial<Call>
  }
  const beside = Object.entries({ tool, ...parts }).find(([, value]) => value !== undefined)
  if (beside)
    throw usage(`--call and --${beside[0]} exclude each other`, 'Put everything into --call.')
  return parseStrict(call === '-' ? await readAll(stdin) : call)
}

const MOST = 4 * 1_048_576

async function readAll(stream: NodeJS.ReadableStream): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    length += chunk.length
    // More than any call may have; parsing will say so.
    if (length > MOST) break
  }
  return Buffer.concat(chunks)
}
