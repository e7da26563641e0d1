import type { Command } from 'commander'
import type { ApprovalCard, ApprovalPage } from '../../wire/approval.ts'
import { type DatabaseOptions, takesDatabase } from '../open-store.ts'
import { findId, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { cardLines, rowLine } from '../show-approval.ts'

interface Options extends DatabaseOptions {
  readonly status: string
  readonly json?: boolean
}

export function addList(program: Command, run: Run): void {
  takesDatabase(program.command('list'))
    .description('List what waits for an answer.')
    .option('--status <words>', 'pending, approved, denied, … or all', 'pending')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign list --status all')
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(program.command('show'))
    .description('Show one approval: exactly what would run.')
    .argument('<id>', 'whole, or its last characters while it is pending')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign show 4reads6')
    .action((id: string, options: Options) => run((shell) => show(id, options, shell)))
}

function list(options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const query = new URLSearchParams({ status: options.status, limit: '500' })
    const page = await api.get<ApprovalPage>(`/v1/approvals?${query}`)
    if (options.json) out.json(page)
    else if (page.approvals.length === 0) out.line('Nothing is waiting.')
    else for (const row of page.approvals) out.line(rowLine(row, page.now, out.paint))
    return 0
  })
}

function show(given: string, options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const id = await findId(api, given)
    const card = await api.get<ApprovalCard>(`/v1/approvals/${encodeURIComponent(id)}`)
    if (options.json) out.json(card)
    else for (const line of cardLines(card, out.paint)) out.line(line)
    return 0
  })
}
