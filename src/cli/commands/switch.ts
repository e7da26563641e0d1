import type { Command } from 'commander'
import type { ListedSwitch, SwitchBody, WireSwitch } from '../../api/switches.ts'
import { isCountersignError } from '../../base/errors.ts'
import { askLine } from '../ask-line.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { type Api, assertPerson, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly json?: boolean
}

const STATES = ['on', 'off', 'clear'] as const
type State = (typeof STATES)[number]

export function addSwitch(policy: Command, run: Run): void {
  takesDatabase(policy.command('switch'))
    .description('Turn approval for a tool of a server on or off, where no file decides.')
    .argument('[what]', 'SERVER, or SERVER/TOOL; without it, what is switched is listed')
    .argument('[state]', 'on, off, or clear: back to what the files say')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nIt holds at once, in every process on this database. Admins switch. An admin who makes a tool ask' +
        '\nless is told what that means, and types the name to go on.' +
        '\n\nExamples:\n  $ countersign policy switch files/write_file on\n  $ countersign policy switch files clear',
    )
    .action((what: string | undefined, state: string | undefined, options: Options) =>
      run((shell) => switchOne(what, state, options, shell)),
    )
}

function switchOne(
  what: string | undefined,
  word: string | undefined,
  options: Options,
  shell: Shell,
): Promise<number> {
  if (what === undefined) return withSession(options, shell, (api) => show(api, options, shell))
  const state = STATES.find((one) => one === word)
  if (state === undefined) {
    throw usage(
      word === undefined ? `say how to switch ${what}` : `${word} is no state of a switch`,
      `Use ${STATES.join(', ')}: countersign policy switch ${what} on`,
    )
  }
  return withSession(options, shell, async (api) => {
    const done = await put(api, what, state, false).catch(async (error: unknown) => {
      if (!isCountersignError(error, 'lowering_unconfirmed')) throw error
      await confirmed(error.message, what, shell)
      return put(api, what, state, true)
    })
    if (options.json) shell.out.json(done)
    else if (state === 'clear') shell.out.line(`Cleared: ${switchLine(done)}`)
    else shell.out.line(`Switched: ${switchLine(done)}`)
    return 0
  })
}

function put(api: Api, what: string, state: State, lowers: boolean): Promise<WireSwitch> {
  const [server = '', ...rest] = what.split('/')
  const tool = rest.length > 0 ? rest.join('/') : undefined
  const body: SwitchBody = { on: state === 'on', ...(lowers ? { lowers } : {}) }
  const query = lowers ? { lowers } : {}
  if (tool === undefined) {
    const params = { server }
    return state === 'clear'
      ? api.call('DELETE /v1/servers/:server/switch', { params, query })
      : api.call('PUT /v1/servers/:server/switch', { params, body })
  }
  const params = { server, tool }
  return state === 'clear'
    ? api.call('DELETE /v1/servers/:server/tools/:tool/switch', { params, query })
    : api.call('PUT /v1/servers/:server/tools/:tool/switch', { params, body })
}

/** By hand: an agent at this machine must not be able to lower what is asked of it. */
async function confirmed(says: string, what: string, shell: Shell): Promise<void> {
  assertPerson(shell, 'lowering what is asked')
  const typed = await askLine(shell, `${printable(says)}.\nType ${printable(what)} to go on: `)
  if (typed.trim() !== what) throw usage('that is not its name', 'Nothing was switched.')
}

async function show(api: Api, { json }: Options, { out }: Shell): Promise<number> {
  const found = await api.call('GET /v1/switches')
  if (json) out.json(found)
  else if (found.switches.length === 0) out.line('Nothing is switched: the files decide.')
  else for (const one of found.switches) out.line(`${switchLine(one)}${changeWords(one)}`)
  return 0
}

/** What it does to calls, at most. */
function changeWords({ changes, fixed }: ListedSwitch): string {
  if (fixed) return `  changes nothing: ${printable(fixed.at)} decides`
  if (!changes) return '  changes nothing: no file declares the server'
  return changes.from === changes.to
    ? `  ${changes.to}, as without it`
    : `  ${changes.from} became ${changes.to}`
}

function switchLine({ server, tool, on, by, at }: WireSwitch): string {
  const name = printable(tool === undefined ? server : `${server}/${tool}`)
  const who = printable(by.email ?? by.subject)
  return `${name} ${on ? 'on' : 'off'}  (${who}, ${new Date(at).toISOString()})`
}
