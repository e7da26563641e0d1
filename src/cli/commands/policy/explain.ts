import type { Command } from 'commander'
import type { Call } from '../../../base/call.ts'
import { CountersignError, isCountersignError } from '../../../base/errors.ts'
import { parseStrict } from '../../../base/json/strict-json.ts'
import { type CodeWords, withCode } from '../../../gate/declared/declarations.ts'
import { notedTool } from '../../../gate/tools/tool-notes.ts'
import { readCall } from '../../../policy/call.ts'
import { ANNOTATED } from '../../../policy/evaluate/mode.ts'
import { explain } from '../../../policy/tooling/explain.ts'
import { usage } from '../../failure.ts'
import { showExplanation } from '../../print/show-explanation.ts'
import type { Run, Shell } from '../../shell.ts'
import { assertThere, databasePlace } from '../../state/database.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../../state/open-store.ts'
import { loadPolicy, namedFiles, takesPolicyFiles } from '../../state/policy-files.ts'

interface Options extends DatabaseOptions {
  readonly governance?: readonly string[]
  readonly call?: string
  readonly tool?: string
  readonly server?: string
  readonly agent?: string
  readonly risk?: string
  readonly args?: string
  readonly registered?: boolean
  readonly json?: boolean
}

export function addExplain(policy: Command, run: Run): void {
  takesDatabase(takesPolicyFiles(policy.command('explain')))
    .description('Explain the verdict for one call: every rule evaluated, and the values it saw.')
    .option('--call <json>', 'the whole call as JSON; - reads it from standard input')
    .option('--tool <name>', 'the tool that is called')
    .option('--server <alias>', 'the MCP server it belongs to')
    .option('--agent <alias>', 'the agent that calls')
    .option('--risk <level>', 'L0 to L5')
    .option('--args <json>', 'the arguments as JSON; {} when left out')
    .option('--registered', 'count what code declared, as gates wrote it into the database')
    .option('--json', 'print the explanation as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign policy explain --tool transfer_money --args \'{"amount":20000}\'',
    )
    .action((owner: string | undefined, outside: string[], options: Options) =>
      run(async (shell) => {
        const named = namedFiles(owner, [...outside, ...(options.governance ?? [])], shell)
        const files = loadPolicy(named, shell.cwd)
        const call = readCall(await callFrom(options, shell))
        const known = await registered(options, shell, call)
        const { policy, code } = withCode(files.policy, call, known?.code)
        const explanation = explain(policy, call, ANNOTATED, { schema: known?.schema })
        if (options.json) shell.out.json({ ...explanation, ...code })
        else {
          const lines = showExplanation(explanation, call, shell.out.paint)
          for (const line of [...lines, ...(known ? showCode(known.code) : [])])
            shell.out.line(line)
        }
        return 0
      }),
    )
}

/** What is known of the tool where gates register it; nothing unless that was asked for. */
async function registered(options: Options, shell: Shell, call: Call) {
  if (!options.registered && options.db === undefined) return undefined
  const place = databasePlace(options.db, shell)
  assertThere(place)
  const store = await openStore(place, options)
  try {
    const noted = await notedTool(store, call, call.agent)
    return { code: noted?.code, schema: noted?.definition?.inputSchema }
  } finally {
    await store.close()
  }
}

function showCode(code: CodeWords | undefined): string[] {
  if (code === undefined) return ['', 'No gate has registered a declaration in code for this tool.']
  return code.byFunction
    ? ['', 'Code asks a function of its own about this tool; here it counts as a yes.']
    : []
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
    return { ...Object.fromEntries(given), args: parsed('--args', args) } as Partial<Call>
  }
  const beside = Object.entries({ tool, ...parts }).find(([, value]) => value !== undefined)
  if (beside)
    throw usage(`--call and --${beside[0]} exclude each other`, 'Put everything into --call.')
  return parsed('--call', call === '-' ? await readAll(stdin) : call)
}

/** Says which of the options is no JSON. */
function parsed(option: string, text: string | Uint8Array) {
  try {
    return parseStrict(text)
  } catch (error) {
    if (!isCountersignError(error)) throw error
    throw new CountersignError(error.code, `${option}: ${error.message}`, {
      hint: `Quote it for the shell, such as ${option} '{"amount":20000}'.`,
    })
  }
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
