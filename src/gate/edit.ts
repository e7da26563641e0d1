import type { Approval } from '../approval/approval.ts'
import type { Edit } from '../approval/command.ts'
import { changedPaths } from '../approval/edit.ts'
import { freshParse } from '../base/canonical.ts'
import { CountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { maskText, type Secrecy } from '../base/mask.ts'
import { evaluate } from '../policy/evaluate.ts'
import type { Policy } from '../policy/policy.ts'
import { shownArguments } from '../policy/shown.ts'
import type { Core } from './core.ts'
import { digestCall } from './digests.ts'
import { policyAnswer, policyName } from './policy-answer.ts'
import { settleMode } from './settle-mode.ts'
import { snapshot } from './snapshot.ts'
import { callAgain, type Standing } from './standing.ts'
import { unmask } from './unmask.ts'
import { hiddenTexts, hiddenWhole, keptView, viewNow } from './view.ts'
import { latest, questionOf } from './words.ts'

/**
 * New arguments from an approver, checked like any others: schema, then policy. Undefined when
 * they say the same as before. `{}` is a change to no arguments, not the absence of one.
 */
export async function prepareEdit(
  core: Core,
  { mode }: Standing,
  approval: Approval,
  args: unknown,
): Promise<Edit | undefined> {
  const content = await core.store.content(approval.id)
  const before = latest(content, 'arguments')
  if (typeof before !== 'string') {
    throw new CountersignError('call_changed', 'the arguments to edit are no longer kept')
  }
  if (approval.call.server !== undefined) await core.locks.current()
  const policy = core.policy()
  const original = freshParse(before) as JsonObject
  const { parentInput, view: shownBefore } = questionOf(content) ?? {}
  const asked = callAgain(approval.call, original, parentInput)
  const schema = (await core.registry.find(approval.call))?.inputSchema
  const shown = viewNow({ policy, call: asked, schema, view: shownBefore })
  const secrecy = { schema, paths: hiddenWhole(shown) }
  // Read once: what is not plain JSON is refused before anything is put back into it.
  const sent = snapshot(args, policy.owner.limits).args
  const typed = snapshot(unmask(sent, shown.value, original), policy.owner.limits).args
  const bytes = await fitting(core, typed, { policy, approval, secrecy })
  const changed = changedPaths(original, bytes.args)
  if (changed.length === 0) return undefined
  const call = callAgain(approval.call, bytes.args, parentInput)
  // Another call than the one asked about: so a predicate is asked about it as well.
  const verdict = evaluate(policy, call, await settleMode(mode, policy, call), secrecy)
  const view = keptView(policy, call, secrecy)
  return {
    digest: await digestCall(core.tenant, approval.call, bytes.text),
    arguments: bytes.text,
    changed,
    answer: policyAnswer(verdict, await policyName(policy), approval.terms),
    // A call the policy would now allow still has people to answer: they see it in its own words.
    message: verdict.message || questionOf(content)?.message || '',
    missing: verdict.missing,
    ...(view ? { view } : {}),
  }
}

interface Fitting {
  readonly policy: Policy
  readonly approval: Approval
  readonly secrecy: Secrecy & { readonly schema: Json | undefined }
}

/** As the tool's schema wants it. What the schema fills in is part of what is approved. */
async function fitting(core: Core, args: JsonObject, { policy, approval, secrecy }: Fitting) {
  const { schema } = secrecy
  if (!core.validate || schema === undefined) return snapshot(args)
  const answer = await core.validate(schema, args)
  if (!answer.ok) {
    const { problem, at } = answer
    const { masked } = shownArguments(policy, callAgain(approval.call, args, undefined), secrecy)
    // Whoever checks may quote what it checked, and the approver has not seen all of it.
    const told = maskText(problem, hiddenTexts(args, masked))
    throw new CountersignError('invalid_value', told, at ? { details: { at } } : {})
  }
  return snapshot(answer.args ?? args)
}
