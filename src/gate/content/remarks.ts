import type { Approval } from '../../approval/approval.ts'
import { LONGEST_REMARK } from '../../approval/talk.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import type { GateContext } from '../context.ts'
import { callAgain } from '../identity.ts'
import { hiddenTexts, longestFirst, viewNow } from './arguments.ts'
import { boundDefinition, maskingSchema } from './binding.ts'
import { questionOf } from './stored-content.ts'

/**
 * A text as it may be stored: without what looks like a secret, and without the secrets of the call
 * it is about, also those that an edit took out of it. An approver may have revealed one, and the
 * agent knows them all.
 */
export async function maskedRemark(
  core: GateContext,
  approval: Approval,
  text: string,
): Promise<string> {
  return cut(maskText(text, await hiddenIn(core, approval)))
}

/** The secrets of the call, longest first. */
export async function hiddenIn(
  core: GateContext,
  { id, call }: Approval,
): Promise<readonly string[]> {
  const content = await core.store.content(id, ['arguments', 'question', 'definition'])
  const policy = core.policy()
  const schema = maskingSchema(await boundDefinition(call, content))
  const hidden = content.flatMap(({ kind, key, value }) => {
    if (kind !== 'arguments' || typeof value !== 'string') return []
    const args = freshParse(value) as JsonObject
    const view = questionOf(content.filter((one) => stepOf(one.key) === stepOf(key)))?.view
    const asked = callAgain(call, args, undefined)
    return hiddenTexts(args, viewNow({ policy, call: asked, schema, view }).masked)
  })
  return longestFirst(hidden)
}

/** What was written at once has the same revision: keys are `<approval>/<revision>/<kind>`. */
function stepOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'))
}

/** A mask can be longer than what it hides. */
function cut(text: string): string {
  return text.slice(0, LONGEST_REMARK).replace(/[\ud800-\udbff]$/, '')
}
