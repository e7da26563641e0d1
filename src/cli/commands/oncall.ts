import type { Command } from 'commander'
import type { OnCallList, WireOnCall } from '../../api/channels/on-call.ts'
import { duration } from '../../base/duration-words.ts'
import { usage } from '../failure.ts'
import type { Paint } from '../print/colour.ts'
import { moment } from '../print/moment.ts'
import { printable } from '../print/printable.ts'
import { withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly at?: string
  readonly json?: boolean
}

export function addOnCall(program: Command, run: Run): void {
  takesDatabase(program.command('oncall'))
    .description('Show who is on call, until when, and who is next.')
    .argument('[group]', 'one group of the policy; all that have a schedule unless given')
    .option('--at <time>', 'another moment, such as 2026-12-24T09:00; now unless given')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExits with 1 when a schedule cannot be read: then all of its group are told at once.' +
        '\n\nExample:\n  $ countersign oncall finance --at 2026-12-24T09:00',
    )
    .action((group: string | undefined, options: Options) =>
      run((shell) => oncall(group, options, shell)),
    )
}

function oncall(group: string | undefined, options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  const at = options.at === undefined ? undefined : readTime(options.at)
  return withSession(options, shell, async (api) => {
    const query = at === undefined ? {} : { at }
    const list = await api.call('GET /v1/on-call', { query })
    const groups = list.groups.filter((one) => group === undefined || one.group === group)
    if (group !== undefined && groups.length === 0) {
      throw usage(
        `group ${group} has no schedule`,
        'Add on_call to it under people.groups; docs/guides/on-call.md shows how.',
      )
    }
    if (options.json) out.json({ ...list, groups })
    else for (const line of linesOf({ ...list, groups }, out.paint)) out.line(line)
    return groups.some(({ problem }) => problem !== undefined) ? 1 : 0
  })
}

function readTime(text: string): number {
  const at = Date.parse(text)
  if (!Number.isNaN(at) && at >= 0) return at
  throw usage(
    `${text} is not a time`,
    'Use such as 2026-12-24T09:00, or with Z at its end for UTC.',
  )
}

function linesOf({ at, groups }: OnCallList, paint: Paint): string[] {
  if (groups.length === 0) return ['No group has a schedule; on_call under people.groups adds one.']
  return groups.flatMap((one) => groupLines(one, at, paint))
}

function groupLines(one: WireOnCall, at: number, paint: Paint): string[] {
  const { group, people, until, next, othersAfter, problem } = one
  const name = paint('bold', printable(group))
  if (problem !== undefined) {
    const says = paint(['bold', 'red'], 'schedule not read')
    return [`${name}  ${says}: ${printable(problem)}. All of the group are told at once.`]
  }
  const who = people.length === 0 ? 'no one, so all are told at once' : names(people)
  const then =
    next === undefined
      ? []
      : [
          `  from ${moment(next.from, at)}: ${next.people.length === 0 ? 'no one' : names(next.people)}`,
        ]
  const others =
    people.length === 0 || othersAfter === undefined
      ? []
      : [`  the others are told after ${duration(othersAfter)} without a decision`]
  const end = until === undefined ? '' : `  until ${moment(until, at)}`
  return [`${name}  ${who}${end}`, ...then, ...others]
}

function names(people: readonly string[]): string {
  return people.map(printable).join(', ')
}
