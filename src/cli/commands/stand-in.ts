import type { Command } from 'commander'
import type { WirePerson } from '../../api/common.ts'
import type { StandInBody, StandInList, WireStandIn } from '../../api/stand-ins.ts'
import { parseDuration } from '../../base/duration.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { type Api, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly for?: string
  readonly from?: string
  readonly until?: string
  readonly reason?: string
  readonly list?: boolean
  readonly end?: string
  readonly takeBack?: string
  readonly json?: boolean
}

export function addStandIn(people: Command, run: Run): void {
  takesDatabase(people.command('stand-in'))
    .description('Set, list or end a stand-in for an absent approver.')
    .argument('[person]', 'address of the one who stands in')
    .option('--for <email>', 'who is away; yourself unless given, others by admins only')
    .option('--until <when>', 'a day, a time, or a duration such as 5d; at most 90 days')
    .option('--from <when>', 'now unless given')
    .option('--reason <text>', 'people read it')
    .option('--list', 'show who stands in for whom')
    .option('--end <id>', 'end one now; what was said under it stays said')
    .option('--take-back <id>', 'end one, and yeses given under it stop counting; admins only')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ countersign people stand-in bo@example.com --until 2026-12-24' +
        '\n  $ countersign people stand-in bo@example.com --for ana@example.com --until 5d' +
        '\n  $ countersign people stand-in --list',
    )
    .action((who: string | undefined, options: Options) =>
      run((shell) => standIn(who, options, shell)),
    )
}

function standIn(who: string | undefined, options: Options, shell: Shell): Promise<number> {
  const { list, end, takeBack } = options
  const wishes = [who !== undefined, list === true, end !== undefined, takeBack !== undefined]
  if (wishes.filter(Boolean).length !== 1) {
    throw usage(
      'say who stands in, or --list, --end ID or --take-back ID',
      'Such as: countersign people stand-in bo@example.com --until 5d',
    )
  }
  if (who !== undefined) return set(who, options, shell)
  return withSession(options, shell, async (api) => {
    if (end !== undefined) {
      const { id } = await findStandIn(api, end)
      const params = { standIn: id }
      const ended = await api.call('DELETE /v1/people/stand-ins/:standIn', { params })
      return told('Ended', ended, options, shell)
    }
    if (takeBack !== undefined) {
      const { id } = await findStandIn(api, takeBack)
      const params = { standIn: id }
      const taken = await api.call('POST /v1/people/stand-ins/:standIn/take-back', { params })
      return told('Taken back', taken, options, shell)
    }
    return show(await api.call('GET /v1/people/stand-ins'), options, shell)
  })
}

function set(who: string, options: Options, shell: Shell): Promise<number> {
  const { reason, for: absent } = options
  if (options.until === undefined) {
    throw usage('--until is missing', 'A stand-in always has an end: say when, such as 5d.')
  }
  const until = whenOf('--until', options.until, 'end')
  const from = options.from === undefined ? undefined : whenOf('--from', options.from, 'start')
  return withSession(options, shell, async (api) => {
    const { now } = await api.call('GET /v1/people/stand-ins')
    const body: StandInBody = {
      standIn: who,
      until: until(now),
      ...(absent === undefined ? {} : { absent }),
      ...(from === undefined ? {} : { from: from(now) }),
      ...(reason === undefined ? {} : { reason }),
    }
    return told('Set', await api.call('POST /v1/people/stand-ins', { body }), options, shell)
  })
}

/** A duration counts on the server's clock; a day begins or ends where the terminal is. */
function whenOf(option: string, text: string, edge: 'start' | 'end'): (now: number) => number {
  const duration = parseDuration(text)
  if (duration.ok) return (now) => now + duration.value
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  const date =
    year === undefined
      ? new Date(text)
      : new Date(Number(year), Number(month) - 1, Number(day) + (edge === 'end' ? 1 : 0))
  const time = date.getTime()
  if (/^\d{4}-/.test(text) && Number.isSafeInteger(time)) return () => time
  throw usage(
    `${option} is no day, time or duration: ${text}`,
    'Use 2026-12-24, 2026-12-24T18:00Z, or a duration such as 5d.',
  )
}

async function findStandIn(api: Api, given: string): Promise<WireStandIn> {
  const { standIns } = await api.call('GET /v1/people/stand-ins')
  const found = standIns.filter(
    ({ id }) => id === given || (given.length >= 4 && id.endsWith(given)),
  )
  const [only] = found
  if (only && found.length === 1) return only
  const many = found.length === 0 ? 'no' : 'more than one'
  throw usage(
    `${many} stand-in ends with ${given}`,
    '`countersign people stand-in --list` shows them.',
  )
}

function show(found: StandInList, { json }: Options, { out }: Shell): number {
  if (json) out.json(found)
  else if (found.standIns.length === 0) out.line('There are no stand-ins.')
  else for (const one of found.standIns) out.line(standInLine(one))
  return 0
}

function told(done: string, one: WireStandIn, { json }: Options, { out }: Shell): number {
  if (json) out.json(one)
  else out.line(`${done}: ${standInLine(one)}`)
  return 0
}

function standInLine({ id, absent, standIn, from, until, reason }: WireStandIn): string {
  const [start, end] = [from, until].map((time) => new Date(time).toISOString())
  const why = reason === undefined ? '' : `: ${printable(reason)}`
  return `${id.slice(-8)}  ${nameOf(standIn)} for ${nameOf(absent)}${why}  (${start} to ${end})`
}

function nameOf({ name, email, subject }: WirePerson): string {
  return printable(name ?? email ?? subject)
}
