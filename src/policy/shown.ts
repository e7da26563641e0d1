import type { Call } from '../base/call.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { type Masked, mask } from '../base/mask.ts'
import { secretPaths } from './declared.ts'
import type { Policy } from './policy.ts'

/** The arguments of a call as anybody but its tool may see them. `schema`: that of the tool. */
export function shownArguments(policy: Policy, call: Call, schema?: Json): Masked<JsonObject> {
  return mask(call.args, { paths: secretPaths(policy, call), schema })
}
