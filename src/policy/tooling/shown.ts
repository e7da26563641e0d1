import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type Masked, mask, type Secrecy } from '../../base/secrets/mask.ts'
import { secretPaths } from '../evaluate/declared.ts'
import type { Policy } from '../policy.ts'

/** The arguments of a call as every reader except its tool may see them. */
export function shownArguments(
  policy: Policy,
  call: Call,
  { paths = [], ...known }: Secrecy = {},
): Masked<JsonObject> {
  return mask(call.args, { ...known, paths: [...secretPaths(policy, call), ...paths] })
}
