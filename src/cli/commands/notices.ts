import type { Command } from 'commander'
import type { NoticePage, WireNotice } from '../../api/notice.ts'
import type { Paint } from '../print/colour.ts'
import { printable } from '../print/printable.ts'
import { count } from '../print/show-mistakes.ts'
import { withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly retry?: boolean
  readonly json?: boolean
}

export function addNotices(program: Command, run: Run): void {
  takesDatabase(program.command('notices'))
    .description('Show undelivered notifications, and which are stuck.')
    .option('--retry', 'try everything that is stuck once more')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign notices --retry')
    .action((options: Options) => run((shell) => notices(options, shell)))
}

function notices(options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const retried = options.retry ? (await api.call('POST /v1/notices/retry')).retried : undefined
    const page = await api.call('GET /v1/notices')
    if (options.json) out.json(retried === undefined ? page : { ...page, retried })
    else for (const line of linesOf(page, retried, out.paint)) out.line(line)
    return page.stuck > 0 ? 1 : 0
  })
}

function linesOf(page: NoticePage, retried: number | undefined, paint: Paint): string[] {
  const { channels, waiting, stuck } = page
  return [
    ...(retried === undefined ? [] : [`${count(retried, 'notice')} will be tried again.`]),
    ...(channels.length === 0
      ? ['No channel is set up; `countersign start --webhook` adds one.']
      : []),
    ...channels.map(({ name, waiting: waits, stuck: stay, problem }) => {
      const state = problem === undefined ? 'open' : `shut: ${problem}`
      return `${paint('bold', printable(name))}  ${waits} waiting, ${stay} stuck  ${printable(state)}`
    }),
    ...page.notices.map((notice) => noticeLine(notice, paint)),
    ...(waiting + stuck > page.notices.length
      ? [`… and ${waiting + stuck - page.notices.length} more`]
      : []),
  ]
}

function noticeLine({ state, kind, approval, attempts, problem = '' }: WireNotice, paint: Paint) {
  const word = state === 'stuck' ? paint(['bold', 'red'], 'stuck  ') : 'waiting'
  return `  ${word}  ${kind.padEnd(11)}  ${approval}  tried ${attempts}×  ${printable(problem)}`
}
