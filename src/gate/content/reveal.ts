import { mayReveal } from '../../approval/commands/upkeep.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Keys } from '../../base/secrets/mask.ts'
import type { GateContext } from '../context.ts'
import { callAgain } from '../identity.ts'
import { valueAt, viewNow } from './arguments.ts'
import { boundDefinition, digestCall, maskingSchema } from './binding.ts'
import { latest, questionOf } from './stored-content.ts'

export interface Looked {
  readonly by: Person
  /** The digest they were shown. */
  readonly seen: string
  /** One of the masked paths. */
  readonly path: Keys
}

/** One hidden value, once it is on record who saw it. No record, no value. */
export async function revealValue(
  core: GateContext,
  id: string,
  { by, seen, path }: Looked,
): Promise<Json> {
  const approval = await core.store.get(id)
  if (!approval) throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  // First, so that only permitted people learn where a secret is. Checked again when recorded.
  if (!mayReveal(approval, by)) {
    throw new CountersignError('not_permitted', 'you may not look at the secrets of this call')
  }
  const { call } = approval
  const content = await core.store.content(id)
  const text = latest(content, 'arguments')
  if (typeof text !== 'string' || (await digestCall(core.tenant, call, text)) !== seen) {
    throw new CountersignError('call_changed', `approval ${id} is about another call now`)
  }
  const args = freshParse(text) as JsonObject
  const { masked } = viewNow({
    policy: core.policy(),
    call: callAgain(call, args, undefined),
    schema: maskingSchema(await boundDefinition(call, content)),
    view: questionOf(content)?.view,
  })
  const value = valueAt(args, path)
  if (value === undefined || !masked.some((keys) => isSame(keys, path))) {
    throw new CountersignError('invalid_value', 'nothing is hidden at this path', {
      hint: 'Name one of the masked paths of the approval, key by key.',
    })
  }
  const commandId = crypto.randomUUID()
  await core.store.apply(id, { type: 'reveal', commandId, by, seen, path })
  return value
}

function isSame(a: Keys, b: Keys): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index])
}
