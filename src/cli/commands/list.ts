import type { Command } from 'commander'
import type { Status } from '../../api/common.ts'
import { parsePath } from '../../policy/evaluate/path.ts'
import { usage } from '../failure.ts'
import { printableLines } from '../print/printable.ts'
import { cardLines } from '../print/show-approval.ts'
import { listLines } from '../print/show-list.ts'
import { runLines } from '../print/show-run.ts'
import { findId, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly status: string
  readonly json?: boolean
  readonly reveal?: string
  readonly run?: boolean
}

export function addList(program: Command, run: Run): void {
  takesDatabase(program.command('list'))
    .description('List pending approvals.')
    .option('--status <words>', 'pending, approved, denied, … or all', 'pending')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign list --status all')
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(program.command('show'))
    .description('Show one approval: exactly what would run.')
    .argument('<id>', 'whole, or its last characters while it is pending')
    .option('--reveal <path>', 'one masked value, such as db.password; who looks is recorded')
    .option('--run', 'the run of the workflow that asked: its questions, and what it reported')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ countersign show 4reads6\n  $ countersign show 4reads6 --run\n  $ countersign show 4reads6 --reveal db.password',
    )
    .action((id: string, options: Options) => run((shell) => show(id, options, shell)))
}

function list(options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const status = options.status.split(',') as Status[]
    const page = await api.call('GET /v1/approvals', { query: { status, limit: 500 } })
    if (options.json) out.json(page)
    else if (page.approvals.length === 0) out.line('Nothing is waiting.')
    else {
      const { columns: width = 100, paint } = out
      for (const line of listLines(page.approvals, page.now, { width, paint })) out.line(line)
    }
    return 0
  })
}

function show(given: string, options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  const path = readPath(options, shell)
  return withSession(options, shell, async (api) => {
    const id = await findId(api, given)
    const params = { id }
    if (options.run) {
      const run = await api.call('GET /v1/approvals/:id/run', { params })
      if (options.json) out.json(run)
      else for (const line of runLines(run, out.paint)) out.line(line)
      return 0
    }
    const card = await api.call('GET /v1/approvals/:id', { params })
    if (path) {
      const body = { path: path.value.keys, digest: card.digest }
      const { value } = await api.call('POST /v1/approvals/:id/reveal', { params, body })
      for (const line of printableLines(JSON.stringify(value, null, 2))) out.line(line)
      return 0
    }
    if (options.json) out.json(card)
    else for (const line of cardLines(card, out.paint)) out.line(line)
    return 0
  })
}

/** What is shown here must not end up in a file or a log by way of a pipe. */
function readPath({ reveal, json }: Options, { stdin, out }: Shell) {
  if (reveal === undefined) return undefined
  if (!('isTTY' in stdin && stdin.isTTY === true) || !out.terminal || json) {
    throw usage(
      'a masked value is shown on a terminal only',
      'Run it in a terminal without --json, or open the inbox with `countersign open`.',
    )
  }
  const path = parsePath(reveal)
  if (!path.ok) throw usage(`--reveal: ${path.problem}`, 'Write it as in the policy: db.password')
  return path
}
