import type { AskedCall } from '../../approval/approval.ts'
import { callDigest, digestOf } from '../../base/json/digest.ts'
import type { ToolDefinition } from '../tool.ts'

/** Names what a tool says about itself, so that a changed tool is noticed. */
export function digestDefinition(definition: ToolDefinition | undefined): Promise<string> {
  return digestOf('definition', definition ?? null)
}

/** Names one exact call: everything the approval remembers that binds it, and its arguments. */
export function digestCall(tenant: string, call: AskedCall, args: string): Promise<string> {
  return callDigest({ ...call, tenant, arguments: args })
}
