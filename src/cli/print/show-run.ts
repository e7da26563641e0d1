import type { ApprovalRow } from '../../api/approval.ts'
import { reportWords } from '../../api/runs/report-words.ts'
import type { RunPage, WireReport } from '../../api/runs/run.ts'
import type { Paint } from './colour.ts'
import { moment } from './moment.ts'
import { printable, printableLines } from './printable.ts'
import { nameOf, summaryLine } from './show-approval.ts'
import { workflowLines } from './show-form.ts'

/** A run of a workflow: what it asked first, what it says of itself last. */
export function runLines(run: RunPage, paint: Paint): string[] {
  const { engine, id, agent, principal, workflow, approvals, reports, isPartial } = run
  const by = principal === undefined ? agent : `${agent} for ${principal}`
  return [
    `${paint('bold', 'RUN')}  ${printable(id)}  on ${printable(engine)}  by ${printable(by)}`,
    '',
    paint('bold', 'Asked'),
    ...approvals.flatMap(questionLines),
    ...(isPartial ? ['  (it may have asked more)'] : []),
    '',
    paint('bold', 'Reported by the workflow, not checked'),
    ...workflowLines(workflow),
    ...(reports.length === 0 ? ['  (nothing)'] : reports.flatMap(reportLines)),
  ]
}

function questionLines(row: ApprovalRow): string[] {
  const { id, status, execution, askedAt } = row
  const state = execution === undefined ? status : `${status}, ${execution}`
  return [
    `  ${moment(askedAt)}  ${printable(nameOf(row))}  ${state}  ${printable(id)}`,
    `    ${summaryLine(row)}`,
  ]
}

function reportLines(report: WireReport): string[] {
  const { type, at } = report
  const [first, ...others] = printableLines(reportWords(report))
  return [
    `  ${moment(at)}  ${type}${first ? ` > ${first}` : ''}`,
    ...others.map((line) => `    > ${line}`),
  ]
}
