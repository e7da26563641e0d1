import type { ApprovalRow } from '../../api/approval.ts'
import { columnsOf, cut } from '../../base/wrap.ts'
import type { Paint } from './colour.ts'
import { printable } from './printable.ts'
import { nameOf, riskMark, summaryLine, timeLeft } from './show-approval.ts'

/** Wider cells of these would leave no room for the question. */
const WIDEST = { tool: 32, agent: 20 } as const

const HEADS = ['ID', 'RISK', 'STATE', 'FOR', 'TOOL', 'AGENT', 'QUESTION'] as const

/** A table that fits the terminal: one line for each call. All of a call stands in `show`. */
export function listLines(
  rows: readonly ApprovalRow[],
  now: number,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string[] {
  const cells = rows.map((row) => cellsOf(row, now))
  const widths = HEADS.map((head, at) =>
    Math.max(head.length, ...cells.map((line) => columnsOf(line[at] ?? ''))),
  )
  const most = [8, 4, 11, 6, WIDEST.tool, WIDEST.agent]
  const fixed = widths.slice(0, 6).map((one, at) => Math.min(one, most[at] ?? one))
  const left = width - fixed.reduce((sum, one) => sum + one + 2, 0)
  const line = (texts: readonly string[]) =>
    [...fixed, Math.max(8, left)].map((one, at) => cut(texts[at] ?? '', one))
  return [
    paint('dim', line(HEADS).join('  ').trimEnd()),
    ...cells.map((texts) => {
      const [id = '', risk = '', state = '', who = '', ...rest] = line(texts)
      const isHigh = /^L[45]/.test(risk)
      return [
        paint('bold', id),
        isHigh ? paint('red', risk) : risk,
        state,
        who.trimEnd() === 'you' ? paint('yellow', who) : who,
        rest.join('  ').trimEnd(),
      ].join('  ')
    }),
  ]
}

function cellsOf(row: ApprovalRow, now: number): readonly string[] {
  const { id, status, execution, agent, decideBy, mine, unreachable } = row
  const state = status === 'pending' ? timeLeft(decideBy - now) : (execution ?? status)
  return [
    id.slice(-8),
    riskMark(row).trimEnd(),
    state,
    mine.may ? 'you' : unreachable === undefined ? 'others' : 'stuck',
    printable(nameOf(row)),
    printable(agent),
    summaryLine(row),
  ]
}
