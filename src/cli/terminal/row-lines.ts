import type { ApprovalRow } from '../../api/approval.ts'
import { columnsOf, cut } from '../../base/wrap.ts'
import { printable } from '../print/printable.ts'
import { riskMark, summaryLine, timeLeft } from '../print/show-approval.ts'
import { type Line, type Look, span } from './spans.ts'

export const ROW_LINES = 3

/** As many of five bars as the risk is high. An unknown one has none: five would say L5. */
export function meter(risk: ApprovalRow['risk']): string {
  const bars = risk === undefined ? 0 : Number(risk.slice(1))
  return '▮'.repeat(bars) + '▯'.repeat(5 - bars)
}

export function riskLook(risk: ApprovalRow['risk']): Look {
  return risk === 'L5' ? 'bad' : risk === 'L4' ? 'warn' : 'bold'
}

/** One call of the list: risk, tool and time left; what it asks; whose it is and who must agree. */
export function rowLines(row: ApprovalRow, now: number, width: number, isCurrent: boolean): Line[] {
  const { risk, server, agent, mine, met } = row
  const own = (look: Look): Look => (isCurrent ? 'chosen' : look)
  const mark = `${isCurrent ? '>' : ' '}${meter(risk)} ${riskMark(row)}`
  const left = timeLeft(row.decideBy - now)
  const tool = cut(printable(row.tool), width - columnsOf(mark) - columnsOf(left) - 1)
  const agreed = met.need > 1 ? `${met.have}/${met.need}` : ''
  const who = [agreed, mine.may ? 'you' : ''].filter(Boolean).join(' ')
  const from = [server, agent].flatMap((one) => (one === undefined ? [] : [printable(one)]))
  const by = cut(`  ${from.join(' · ')}`, width - columnsOf(who) - 1)
  return [
    [span(mark, own(riskLook(risk))), span(tool, own('bold')), span(` ${left}`, own('plain'))],
    [span(cut(`  ${summaryLine(row)}`, width), own('plain'))],
    [span(`${by} `, own('dim')), span(who, own(mine.may ? 'plain' : 'dim'))],
  ]
}
