import type { Approval } from '../approval/approval.ts'

/** The columns by which the row of an approval is found and judged. They repeat what its body says. */
export const FOUND_BY = [
  'id',
  'revision',
  'status',
  'execution',
  'agent',
  'run',
  'call_key',
  'asked_digest',
  'tool',
  'server',
  'door',
] as const

export function columnsOf(approval: Approval) {
  const { call, execution } = approval
  return {
    id: approval.id,
    revision: approval.revision,
    status: approval.status,
    execution: execution?.state ?? null,
    agent: call.agent,
    run: call.run ?? null,
    call_key: call.key ?? null,
    asked_digest: approval.askedDigest,
    tool: call.tool,
    server: call.server ?? null,
    door: call.door,
  }
}
