import type { WireServer, WireServerTool } from '../wire/servers.ts'
import { changedLines } from './changed-lines.ts'
import type { Paint } from './colour.ts'
import { printable } from './printable.ts'

/** A tool and the server it belongs to. */
export interface ServedTool {
  readonly server: WireServer
  readonly tool: WireServerTool
}

/** One line of the list. */
export function toolLine({ server, tool }: ServedTool, paint: Paint): string {
  const { answer, risk, state, change } = tool
  const held = change
    ? paint('bold', state === 'new' ? 'new, held back' : 'changed, held back')
    : ''
  return [
    printable(`${server.alias}/${tool.tool}`).padEnd(40),
    risk.padEnd(3),
    `${answer.verdict}${answer.depends ? ' at most' : ''}`.padEnd(15),
    held || (state === 'pinned' ? '' : state),
  ]
    .join('  ')
    .trimEnd()
}

/** What a tool said of itself when it was pinned, and what it says now. */
export function changeLines({ server, tool }: ServedTool, paint: Paint): string[] {
  const { change } = tool
  if (!change) return []
  const { before, after } = change
  const title = `${printable(server.alias)}/${printable(tool.tool)}`
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
