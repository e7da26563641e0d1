import type { AskedCall } from '../../approval/approval.ts'
import { callDigest, digestOf } from '../../base/json/digest.ts'
import type { ToolDefinition } from '../tool.ts'

/** Names what a tool says about itself, so that a changed tool is noticed. */
export function digestDefinition(definition: ToolDefinition | undefined): Promise<string> {
  if (definition !== undefined) return digestOf('definition', definition)
  ofNothing ??= digestOf('definition', null)
  return ofNothing
}

/** Of a tool that says nothing about itself, as most do. */
let ofNothing: Promise<string> | undefined

/** Names one exact call: everything the approval remembers that binds it, and its arguments. */
export function digestCall(tenant: string, call: AskedCall, args: string): Promise<string> {
  return callDigest({ ...call, tenant, arguments: args })
}
