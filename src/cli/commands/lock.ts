import type { Command } from 'commander'
import type { LockBody, WireLock, WireLockTarget } from '../../api/locks.ts'
import { parseDuration } from '../../base/duration.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { type Api, findId, findPerson, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly agent?: string
  readonly tool?: string
  readonly server?: string
  readonly person?: string
  readonly approval?: string
  readonly all?: boolean
  readonly reason?: string
  readonly for?: string
  readonly list?: boolean
  readonly lift?: string
  readonly json?: boolean
}

export function addLock(program: Command, run: Run): void {
  takesDatabase(program.command('lock'))
    .description('Stop an agent, a tool, a server, a person, one approval, or everything.')
    .option('--agent <name>', 'all calls of this agent')
    .option('--tool <name>', 'all calls of this tool; with --server, of that server only')
    .option('--server <alias>', 'all calls to this server')
    .option('--person <email>', 'whatever this person decides; earlier answers stop counting')
    .option('--approval <id>', 'this one: no answer and no start')
    .option('--all', 'everything: the kill switch')
    .option('--reason <text>', 'why; people and agents read it')
    .option('--for <duration>', 'until then, such as 2h; until it is lifted unless given')
    .option('--list', 'show what is locked')
    .option('--lift <id>', 'lift a lock: the id, or its last characters')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nIt holds at once, in every process on this database. Approvers lock; admins lift.' +
        '\n\nExamples:\n  $ countersign lock --tool send_mail --reason "Wrong recipients" --for 2h' +
        '\n  $ countersign lock --all --reason "Something is wrong; we are looking"',
    )
    .action((options: Options) => run((shell) => lock(options, shell)))
}

function lock(options: Options, shell: Shell): Promise<number> {
  const { list, lift } = options
  const isSetting = targetsOf(options).length > 0
  if ([list === true, lift !== undefined, isSetting].filter(Boolean).length !== 1) {
    throw usage(
      'say what to lock, or --list, or --lift ID',
      'One of --agent, --tool, --server, --person, --approval, --all; only --server and --tool go together.',
    )
  }
  if (isSetting) return set(options, shell)
  return withSession(options, shell, (api) =>
    lift === undefined ? show(api, options, shell) : liftOne(api, lift, options, shell),
  )
}

const TARGETS = ['agent', 'tool', 'server', 'person', 'approval', 'all'] as const

function targetsOf(options: Options): readonly (typeof TARGETS)[number][] {
  return TARGETS.filter((name) => options[name] !== undefined)
}

function set(options: Options, shell: Shell): Promise<number> {
  const names = targetsOf(options)
  const isPair = names.length === 2 && names.includes('server') && names.includes('tool')
  if (names.length !== 1 && !isPair) {
    throw usage(
      `--${names.join(' and --')} do not go together`,
      'Lock one thing at a time; only --server and --tool go together.',
    )
  }
  const { reason } = options
  if (reason === undefined || reason.trim() === '') {
    throw usage('--reason is missing', 'Say why, for the people and agents it stops.')
  }
  return withSession(options, shell, async (api) => {
    const target = await targetOf(api, options)
    const until = await endOf(api, options.for)
    const body: LockBody = { target, reason, ...(until === undefined ? {} : { until }) }
    const made = await api.call('POST /v1/locks', { body })
    if (options.json) shell.out.json(made)
    else shell.out.line(`Locked: ${lockLine(made)}`)
    return 0
  })
}

async function targetOf(api: Api, options: Options): Promise<WireLockTarget> {
  const { agent, tool, server, person, approval } = options
  if (agent !== undefined) return { agent }
  if (server !== undefined) return { server, ...(tool === undefined ? {} : { tool }) }
  if (tool !== undefined) return { tool }
  if (approval !== undefined) return { approval: await findId(api, approval) }
  if (person !== undefined) {
    const { issuer, subject } = await findPerson(api, person)
    return { person: { issuer, subject } }
  }
  return { everything: true }
}

/** Ends are counted on the server's clock. */
async function endOf(api: Api, text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined
  const duration = parseDuration(text)
  if (!duration.ok) throw usage(`--for: ${duration.problem}`, 'Use a duration such as 30m or 2h.')
  return (await api.call('GET /v1/locks')).now + duration.value
}

async function show(api: Api, { json }: Options, { out }: Shell): Promise<number> {
  const found = await api.call('GET /v1/locks')
  if (json) out.json(found)
  else if (found.locks.length === 0) out.line('Nothing is locked.')
  else for (const one of found.locks) out.line(lockLine(one))
  return 0
}

async function liftOne(api: Api, given: string, { json }: Options, { out }: Shell) {
  const { locks } = await api.call('GET /v1/locks')
  const found = locks.filter(({ id }) => id === given || (given.length >= 4 && id.endsWith(given)))
  const [only] = found
  if (!only || found.length > 1) {
    const many = found.length === 0 ? 'no' : 'more than one'
    throw usage(`${many} lock ends with ${given}`, '`countersign lock --list` shows them.')
  }
  const lifted = await api.call('DELETE /v1/locks/:lock', { params: { lock: only.id } })
  if (json) out.json(lifted)
  else out.line(`Lifted: ${lockLine(lifted)}`)
  return 0
}

function lockLine({ id, words, reason, by, at, until }: WireLock): string {
  const who = printable(by.email ?? by.subject)
  const end = until === undefined ? '' : `, until ${new Date(until).toISOString()}`
  const since = new Date(at).toISOString()
  return `${id.slice(-8)}  ${printable(words)}: ${printable(reason)}  (${who}, ${since}${end})`
}
