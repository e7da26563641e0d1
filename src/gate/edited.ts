import { canonicalJson, freshParse } from '../base/canonical.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { maskPaths } from '../base/mask.ts'
import { secretPaths } from '../policy/declared.ts'
import { readPath } from '../policy/path.ts'
import type { Claimed } from './claim.ts'
import type { Edited } from './outcome.ts'
import { callAgain } from './standing.ts'

/** What people changed before they approved, for the model; undefined when nothing was. */
export function editedBy({ approval, policy, text }: Claimed): Edited | undefined {
  const { edited, call, digest, askedDigest } = approval
  if (digest === askedDigest) return undefined
  const args = freshParse(text) as JsonObject
  const shown = maskPaths(args, secretPaths(policy, callAgain(call, args, undefined)))
  const paths = edited.map(pathText)
  const changes = edited.map(
    (keys) => `${pathText(keys)} is now ${valueText(readPath(shown, keys))}`,
  )
  const message = `A person changed the call to ${call.tool} before approving it: ${changes.join(', ')}.`
  return { paths, args: shown, message }
}

/** The spelling of policy files: a dot inside a name is escaped. */
function pathText(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.') || 'the arguments'
}

function valueText(value: unknown): string {
  return value === undefined ? 'left out' : canonicalJson(value as Json)
}
