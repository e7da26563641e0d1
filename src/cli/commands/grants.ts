import type { Command } from 'commander'
import type { GrantBody, WireGrant } from '../../api/grant.ts'
import { askLine } from '../ask-line.ts'
import { usage } from '../failure.ts'
import { type GrantOptions, grantWish, takesGrant } from '../options/grant-options.ts'
import { printable } from '../print/printable.ts'
import { grantLine, grantLines } from '../print/show-grant.ts'
import { type Api, assertPerson, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly all?: boolean
  readonly json?: boolean
}

interface MintOptions extends Options, GrantOptions {
  readonly tool: string
  readonly agent: string
  readonly server?: string
  readonly run?: string
  readonly reason?: string
}

export function addGrants(program: Command, run: Run): void {
  const grants = takesDatabase(program.command('grants'))
    .description('List grants.')
    .helpCommand(false)
    .option('--all', 'include ended grants')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA grant from a call that waits is made with `countersign approve ID --grant`.' +
        '\n\nExample:\n  $ countersign grants --all',
    )
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(grants.command('show'))
    .description('Show one grant, and the calls it let through.')
    .argument('<id>', 'whole, or its last characters')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign grants show 7f3a9c21')
    .action((id: string, _: Options, command: Command) =>
      run((shell) => show(id, command.optsWithGlobals(), shell)),
    )
  takesDatabase(grants.command('revoke'))
    .description('Revoke a grant.')
    .argument('<id>', 'whole, or its last characters')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign grants revoke 7f3a9c21')
    .action((id: string, _: Options, command: Command) =>
      run((shell) => revoke(id, command.optsWithGlobals(), shell)),
    )
  takesGrant(takesDatabase(grants.command('mint')))
    .description('Create a grant, after reading it on this terminal.')
    .requiredOption('--tool <name>', 'the tool it is for')
    .requiredOption('--agent <name>', 'the agent it is for')
    .option('--server <alias>', 'the server whose tool it is')
    .option('--run <id>', 'one run only')
    .option('--reason <text>', 'why')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nNeeds --when, a terminal and a person at it.\n\nExample:\n  $ countersign grants mint --tool refund' +
        ' --agent shop \\' +
        '\n      --when \'{"args_match":{"amount":{"lte":50}}}\' --budget amount=400 --for 8h',
    )
    .action((_: MintOptions, command: Command) =>
      run((shell) => mint(command.optsWithGlobals(), shell)),
    )
}

function list({ all, json, ...options }: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const page = await api.call('GET /v1/grants', {
      query: { limit: 500, ...(all ? {} : { state: ['live'] }) },
    })
    if (json) out.json(page)
    else if (page.grants.length === 0) out.line('Nothing is granted.')
    else for (const grant of page.grants) out.line(grantLine(grant, page.now, out.paint))
    return 0
  })
}

function show(given: string, { json, ...options }: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const grant = await findGrant(api, given)
    const { uses } = await api.call('GET /v1/grants/:grant/uses', {
      params: { grant: grant.id },
      query: { limit: 500 },
    })
    if (json) out.json({ ...grant, uses })
    else for (const line of grantLines(grant, uses, out.paint)) out.line(line)
    return 0
  })
}

function revoke(given: string, { json, ...options }: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const { id } = await findGrant(api, given)
    const grant = await api.call('DELETE /v1/grants/:grant', { params: { grant: id } })
    if (json) out.json(grant)
    else out.line(`It is ${grant.state.replace('_', ' ')} now.`)
    return 0
  })
}

function mint(options: MintOptions, shell: Shell): Promise<number> {
  const { out } = shell
  const { tool, agent, server, run, reason, json } = options
  assertPerson(shell, 'making a grant')
  const wish = grantWish(options)
  if (wish.condition === undefined) {
    throw usage('--when is missing', 'Say what the arguments may be; a grant limits them.')
  }
  const body: GrantBody = {
    ...wish,
    tool,
    agent,
    ...(server === undefined ? {} : { server }),
    ...(run === undefined ? {} : { run }),
    ...(reason === undefined ? {} : { reason }),
  }
  return withSession(options, shell, async (api) => {
    out.line(`Agent ${printable(agent)} would use ${printable(tool)} without asking:`)
    for (const [name, value] of Object.entries(body)) {
      out.line(`  ${name}: ${printable(JSON.stringify(value))}`)
    }
    out.line('  Arguments not named above may be anything.')
    const typed = await askLine(shell, '\nType the name of the tool to make this grant: ')
    if (typed.trim() !== tool) throw usage('this is not its name', 'Nothing was granted.')
    const grant = await api.call('POST /v1/grants', { body })
    if (json) out.json(grant)
    else for (const line of grantLines(grant, [], out.paint)) out.line(line)
    return 0
  })
}

/** Finds the grant that the text names: by its whole id, or by its end where that is unique. */
async function findGrant(api: Api, given: string): Promise<WireGrant> {
  if (given.length > 20) {
    return api.call('GET /v1/grants/:grant', { params: { grant: given } })
  }
  const { grants } = await api.call('GET /v1/grants', { query: { limit: 500 } })
  const found = grants.filter(({ id }) => given.length >= 4 && id.endsWith(given))
  const [only] = found
  if (only && found.length === 1) return only
  throw usage(
    `${found.length === 0 ? 'no' : 'more than one'} grant ends with ${given}`,
    'Use the whole id; `countersign grants --all --json` has it.',
  )
}
