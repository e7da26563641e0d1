import type { AskedCall } from '../../approval/approval.ts'
import type { Policy } from '../../policy/policy.ts'

/** Whether files or code say that what this tool returns is not to be kept. */
export function dropsResult(
  { owner, code, called }: Policy,
  { kind, server, tool }: AskedCall,
): boolean {
  if (called?.result === 'drop') return true
  const own = kind === 'tool' && server === undefined
  return own && [owner.tools, code].some((tools) => tools.get(tool)?.result === 'drop')
}
