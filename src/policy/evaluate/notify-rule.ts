import type { Risk } from '../../base/call.ts'
import type { NotifyRule } from '../document.ts'
import { riskMatches } from './declared.ts'
import { globMatches } from './glob.ts'

/** What a rule about notices looks at: the call, and the person who is told. */
export interface Told {
  readonly tool: string
  readonly server?: string | undefined
  readonly risk?: Risk | undefined
  readonly groups: readonly string[]
}

/** The first rule that fits. */
export function notifyRuleFor(rules: readonly NotifyRule[], told: Told): NotifyRule | undefined {
  return rules.find(
    ({ group, tool, server, risk }) =>
      (group === undefined || told.groups.includes(group)) &&
      (!tool || globMatches(tool.text, told.tool)) &&
      (!server || globMatches(server.text, told.server ?? '')) &&
      (risk === undefined || riskMatches(risk, told.risk)),
  )
}
