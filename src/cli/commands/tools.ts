import type { Command } from 'commander'
import type { ServerList, WireServer } from '../../api/servers.ts'
import { CountersignError } from '../../base/errors.ts'
import { askLine } from '../ask-line.ts'
import { usage } from '../failure.ts'
import { changeLines, type ServedTool, servedName, toolLine, wayLines } from '../print/show-tool.ts'
import { type Api, assertPerson, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly server?: string
  readonly changed?: boolean
  readonly look?: boolean
  readonly json?: boolean
}

export function addTools(program: Command, run: Run): void {
  const tools = takesDatabase(program.command('tools'))
    .description('Tools and the ways around the gate: list them, and accept what changed.')
    .helpCommand(false)
    .option('--server <alias>', 'of this server only')
    .option('--changed', 'only those held back, with what changed')
    .option('--look', 'connect to every server and look first')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nEach line: tool, risk, what a call gets, the doors it was seen at, how often people were asked in' +
        '\n30 days. Exits with 1 if --changed finds any.\n\nExample:\n  $ countersign tools --changed',
    )
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(tools.command('accept'))
    .description('Accept the changed definition of a tool, after reading it.')
    .argument('<tool>', 'SERVER/TOOL, or the name of the tool where that is enough')
    .addHelpText(
      'after',
      '\nShows what changed and asks for the last four characters of the digest. It needs a terminal' +
        '\nwith a person at it.\n\nExample:\n  $ countersign tools accept files/write_file',
    )
    .action((name: string, _: Options, command: Command) =>
      run((shell) => accept(name, command.optsWithGlobals(), shell)),
    )
}

function list({ changed, json, ...options }: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const { tools: all, ways } = await toolsOf(api, options)
    const found = changed ? all.filter(({ tool }) => tool.change) : all
    if (json)
      out.json({
        tools: found.map(({ server, tool }) => ({
          ...(server === undefined ? {} : { server: server.alias }),
          ...tool,
        })),
        ways,
      })
    else if (found.length === 0)
      out.line(changed ? 'Nothing is held back.' : 'No tool was seen yet.')
    else if (changed)
      for (const one of found) for (const line of changeLines(one, out.paint)) out.line(line)
    else for (const one of found) out.line(toolLine(one, out.paint))
    if (!json && !changed) for (const line of wayLines(ways, out.paint)) out.line(line)
    return changed && found.length > 0 ? 1 : 0
  })
}

function accept(name: string, options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  assertPerson(shell, 'accepting a tool')
  return withSession(options, shell, async (api) => {
    const found = named((await toolsOf(api, options)).tools, name)
    const { change } = found.tool
    if (!change)
      throw usage(`${name} is not held back`, '`countersign tools --changed` lists what is.')
    for (const line of changeLines(found, out.paint)) out.line(line)
    const typed = await askLine(shell, '\nType the last four characters of the digest to accept: ')
    if (typed.trim().toLowerCase() !== change.to.slice(-4)) {
      throw usage('these are not the last four characters', 'Nothing was accepted.')
    }
    await api.call('POST /v1/mcp/tools/:id/accept', {
      params: { id: change.id },
      body: { digest: change.to },
    })
    out.line('It is accepted.')
    return 0
  })
}

async function toolsOf(
  api: Api,
  { server: alias, look }: Options,
): Promise<{ readonly tools: readonly ServedTool[]; readonly ways: ServerList['ways'] }> {
  const { servers, own, ways } = look
    ? await api.call('POST /v1/servers/look')
    : await api.call('GET /v1/servers')
  const of = (list: readonly WireServer[]) =>
    list.flatMap((server) => server.tools.map((tool) => ({ server, tool })))
  if (alias === undefined) {
    return { tools: [...of(servers), ...own.map((tool) => ({ server: undefined, tool }))], ways }
  }
  const wanted = servers.filter((one) => one.alias === alias)
  if (wanted.length === 0) {
    throw new CountersignError('not_found', `no server is called ${alias}`, {
      hint: `There are: ${servers.map((one) => one.alias).join(', ') || 'none'}.`,
    })
  }
  return { tools: of(wanted), ways: ways.filter(({ server }) => server === alias) }
}

function named(tools: readonly ServedTool[], name: string): ServedTool {
  const found = tools.filter((one) => one.tool.tool === name || servedName(one) === name)
  const [only] = found
  if (only && found.length === 1) return only
  throw usage(
    `${found.length === 0 ? 'no tool is' : 'more than one tool is'} called ${name}`,
    'Use SERVER/TOOL as `countersign tools` lists them.',
  )
}
