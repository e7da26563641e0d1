import type { Command } from 'commander'
import type { HoldBody, WireHold, WireHoldTarget } from '../../../api/evidence/holds.ts'
import { usage } from '../../failure.ts'
import { timeOf } from '../../options/time-option.ts'
import { printable } from '../../print/printable.ts'
import { type Api, withSession } from '../../session.ts'
import type { Run, Shell } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly approval?: string
  readonly person?: string
  readonly agent?: string
  readonly server?: string
  readonly tool?: string
  readonly since?: string
  readonly until?: string
  readonly reason?: string
  readonly json?: boolean
}

export function addHold(audit: Command, run: Run): void {
  const hold = audit
    .command('hold')
    .description('Legal holds: what is not erased, whatever retain says.')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign audit hold list')
  takesDatabase(hold.command('add'))
    .description('Place a hold on everything that fits all of what is given.')
    .option('--approval <id>', 'this approval: its whole id')
    .option('--person <address>', 'whatever this person asked, answered or had done for them')
    .option('--agent <name>', 'calls of this agent')
    .option('--server <alias>', 'calls to this server')
    .option('--tool <name>', 'calls of this tool')
    .option('--since <time>', 'from then on: 2026-01-31, a full ISO time, or 30d ago as 30d')
    .option('--until <time>', 'up to then')
    .option('--reason <text>', 'the matter it belongs to; on record')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign audit hold add --agent billing --since 2026-03-01 --reason "Case 7 O 12/26"',
    )
    .action((options: Options) => run((shell) => add(options, shell)))
  takesDatabase(hold.command('list', { isDefault: true }))
    .description('List the holds in force.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign audit hold list')
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(hold.command('release'))
    .description('Release a hold. What is past its time is erased at the next look.')
    .argument('<hold>', 'its id, or its last characters')
    .option('--reason <text>', 'why; on record')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign audit hold release 4f1c09ab --reason "Case closed"',
    )
    .action((id: string, options: Options) => run((shell) => release(id, options, shell)))
}

function add(options: Options, shell: Shell): Promise<number> {
  const reason = reasonOf(options)
  return withSession(options, shell, async (api) => {
    const target = await targetOf(api, options)
    if (Object.keys(target).length === 0) {
      throw usage(
        'say what to hold',
        'Use one or more of --approval, --person, --agent, --server, --tool, --since, --until.',
      )
    }
    const body: HoldBody = { target, reason }
    const placed = await api.call('POST /v1/holds', { body })
    if (options.json) shell.out.json(placed)
    else shell.out.line(`Held: ${holdLine(placed)}`)
    return 0
  })
}

function reasonOf({ reason }: Options): string {
  if (reason !== undefined && reason.trim() !== '') return reason
  throw usage('--reason is missing', 'Name the matter, for the auditor who reads it later.')
}

async function targetOf(api: Api, options: Options): Promise<WireHoldTarget> {
  const { approval, person, agent, server, tool, since, until } = options
  const now = Date.now()
  const moment = (option: string, text: string | undefined) =>
    text === undefined ? undefined : timeOf(text, { option, now })
  const all = {
    ...{ approval, agent, server, tool },
    person: person === undefined ? undefined : await personOf(api, person),
    since: moment('--since', since),
    until: moment('--until', until),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** A person who is gone, or never had an account, is held by the address alone. */
async function personOf(api: Api, given: string): Promise<WireHoldTarget['person']> {
  const { people } = await api.call('GET /v1/people')
  const word = given.toLowerCase()
  const found = people.filter(
    ({ email, subject }) => email?.toLowerCase() === word || subject.toLowerCase() === word,
  )
  const [only] = found
  if (!only || found.length > 1) return { subject: given }
  return { issuer: only.issuer, subject: only.subject }
}

function list(options: Options, shell: Shell): Promise<number> {
  return withSession(options, shell, async (api) => {
    const found = await api.call('GET /v1/holds')
    if (options.json) shell.out.json(found)
    else if (found.holds.length === 0) shell.out.line('Nothing is held.')
    else for (const one of found.holds) shell.out.line(holdLine(one))
    return 0
  })
}

function release(given: string, options: Options, shell: Shell): Promise<number> {
  const reason = reasonOf(options)
  return withSession(options, shell, async (api) => {
    const { holds } = await api.call('GET /v1/holds')
    const found = holds.filter(
      ({ id }) => id === given || (given.length >= 4 && id.endsWith(given)),
    )
    const [only] = found
    if (!only || found.length > 1) {
      const many = found.length === 0 ? 'no' : 'more than one'
      throw usage(
        `${many} hold ends with ${given}`,
        '`countersign audit hold list` shows those in force.',
      )
    }
    const params = { hold: only.id }
    const released = await api.call('POST /v1/holds/:hold/release', { params, body: { reason } })
    if (options.json) shell.out.json(released)
    else shell.out.line(`Released: ${holdLine(released)}`)
    return 0
  })
}

function holdLine({ id, words, reason, by, at }: WireHold): string {
  const who = printable(by.email ?? by.subject)
  const since = new Date(at).toISOString()
  return `${id.slice(-8)}  ${printable(words)}: ${printable(reason)}  (${who}, ${since})`
}
