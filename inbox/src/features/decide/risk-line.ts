import { type Message, msg, say } from '../../lib/language/t.ts'

const RISK_LINES: Readonly<Record<string, Message>> = {
  L4: msg('High risk: can modify files, spend money, or change external state.'),
  L5: msg('Critical risk: may be irreversible or destroy data.'),
}

/** What a risk of the two highest levels means; empty below them. */
export function riskLine(risk = ''): string {
  const line = Object.hasOwn(RISK_LINES, risk) ? RISK_LINES[risk] : undefined
  return line === undefined ? '' : say(line)
}
