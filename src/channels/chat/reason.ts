import type { ReasonRule } from '../../base/oversight.ts'
import type { ChatAnswer } from '../../gate/notify/channel-host.ts'

/** Whether the rule takes this answer only with a reason. */
export function needsReason(rule: ReasonRule, verdict: ChatAnswer['verdict']): boolean {
  return rule === 'required_always' || (rule === 'required' && verdict === 'deny')
}
