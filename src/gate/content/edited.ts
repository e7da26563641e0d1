import type { Approval } from '../../approval/approval.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { MASK } from '../../base/secrets/mask.ts'
import { readPath } from '../../policy/evaluate/path.ts'
import type { GateContext } from '../context.ts'
import type { Edited } from '../outcome.ts'
import type { Claimed } from '../pipeline/claim.ts'
import { latest, questionOf } from './stored-content.ts'

/** What people changed before they approved, for the model; undefined when nothing was. */
export function editedBy({
  approval,
  shown,
}: Pick<Claimed, 'approval' | 'shown'>): Edited | undefined {
  const { edited, call, digest, askedDigest } = approval
  if (digest === askedDigest) return undefined
  const { value, masked } = shown
  const paths = edited.map(pathText)
  const changes = edited.map((keys) => {
    const isInside = masked.some((hidden) => hidden.every((key, index) => keys[index] === key))
    const now = readPath(value, keys)
    return `${pathText(keys)} is now ${valueText(now === undefined && isInside ? MASK : now)}`
  })
  const modelMessage = `A person changed the call to ${call.tool} before approving it: ${changes.join(', ')}.`
  return { paths, args: value, modelMessage }
}

/** The same of a call that has run, as it was shown then; undefined also once that was erased. */
export async function editedBefore(
  { store }: Pick<GateContext, 'store'>,
  approval: Approval,
): Promise<Edited | undefined> {
  if (approval.digest === approval.askedDigest) return undefined
  const content = await store.content(approval.id, ['arguments', 'question'])
  const text = latest(content, 'arguments')
  if (typeof text !== 'string') return undefined
  const view = questionOf(content)?.view
  const value = freshParse(view?.arguments ?? text) as JsonObject
  return editedBy({ approval, shown: { value, masked: view?.masked ?? [] } })
}

/** The spelling of policy files: a dot inside a name is escaped. */
function pathText(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.') || 'the arguments'
}

function valueText(value: unknown): string {
  return value === undefined ? 'left out' : canonicalJson(value as Json)
}
