import type { WireServer, WireServerTool, WireWay } from '../../api/servers.ts'
import { changedLines } from './changed-lines.ts'
import type { Paint } from './colour.ts'
import { moment } from './moment.ts'
import { printable } from './printable.ts'

/** A tool and the server it belongs to, if any. */
export interface ServedTool {
  readonly server: WireServer | undefined
  readonly tool: WireServerTool
}

/** `files/write_file`; of no server: `refund`. */
export function servedName({ server, tool }: ServedTool): string {
  return server === undefined ? tool.tool : `${server.alias}/${tool.tool}`
}

/** One line of the list. */
export function toolLine(served: ServedTool, paint: Paint): string {
  const { answer, risk, state, change, doors, lately } = served.tool
  const held = change
    ? paint('bold', state === 'new' ? 'new, held back' : 'changed, held back')
    : ''
  return [
    printable(servedName(served)).padEnd(40),
    (risk ?? '--').padEnd(3),
    `${answer.verdict}${answer.depends ? ' at most' : ''}`.padEnd(15),
    doors.map(printable).join(',').padEnd(12),
    `${lately.asked} asked`.padEnd(10),
    held || (QUIET.includes(state) ? '' : state),
  ]
    .join('  ')
    .trimEnd()
}

/** Nothing to say about the definition. */
const QUIET: readonly WireServerTool['state'][] = ['pinned', 'guarded', 'called']

/** What lets calls run without asking, and what to do about each. */
export function wayLines(ways: readonly WireWay[], paint: Paint): string[] {
  if (ways.length === 0) return []
  return [
    '',
    paint('bold', 'Ways around the gate'),
    ...ways.flatMap(({ server, tool, says, fix, at, until }) => {
      const name = [server, tool].filter((part) => part !== undefined).join('/')
      const where = at === undefined ? '' : ` (${printable(at)})`
      const ends = until === undefined ? '' : ` It ends ${moment(until)}.`
      return [
        `  ${printable(name === '' ? says : `${name}: ${says}`)}${ends}`,
        `    ${printable(fix)}${where}`,
      ]
    }),
  ]
}

/** What a tool said of itself when it was pinned, and what it says now. */
export function changeLines(served: ServedTool, paint: Paint): string[] {
  const { change } = served.tool
  if (!change) return []
  const { before, after } = change
  const title = printable(servedName(served))
  const digest = [`  digest  ${paint('bold', change.to)}`]
  if (after === undefined) {
    return [title, '  What it says is too large to be kept; look at the server itself.', ...digest]
  }
  const lines = changedLines(before === undefined ? [] : before.split('\n'), after.split('\n'))
  return [
    title,
    ...(before === undefined ? ['  It was not there before. It says:'] : []),
    ...lines.map(({ mark, text }) =>
      mark === ' '
        ? paint('dim', `    ${printable(text)}`)
        : paint(mark === '-' ? 'red' : 'green', `  ${mark} ${printable(text)}`),
    ),
    ...digest,
  ]
}
