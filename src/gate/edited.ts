import { canonicalJson } from '../base/canonical.ts'
import type { Json } from '../base/json.ts'
import { MASK } from '../base/mask.ts'
import { readPath } from '../policy/path.ts'
import type { Claimed } from './claim.ts'
import type { Edited } from './outcome.ts'

/** What people changed before they approved, for the model; undefined when nothing was. */
export function editedBy({ approval, shown }: Claimed): Edited | undefined {
  const { edited, call, digest, askedDigest } = approval
  if (digest === askedDigest) return undefined
  const { value, masked } = shown
  const paths = edited.map(pathText)
  const changes = edited.map((keys) => {
    const isInside = masked.some((hidden) => hidden.every((key, index) => keys[index] === key))
    const now = readPath(value, keys)
    return `${pathText(keys)} is now ${valueText(now === undefined && isInside ? MASK : now)}`
  })
  const message = `A person changed the call to ${call.tool} before approving it: ${changes.join(', ')}.`
  return { paths, args: value, message }
}

/** The spelling of policy files: a dot inside a name is escaped. */
function pathText(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.') || 'the arguments'
}

function valueText(value: unknown): string {
  return value === undefined ? 'left out' : canonicalJson(value as Json)
}
