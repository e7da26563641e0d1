import type { Approval } from '../../approval/approval.ts'
import type { Edit } from '../../approval/command.ts'
import { changedPaths } from '../../approval/commands/edit.ts'
import { CountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { maskText, type Secrecy } from '../../base/secrets/mask.ts'
import { shownArguments } from '../../policy/evaluate/declared.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Verdict } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import type { GateContext } from '../context.ts'
import { policyAnswer, policyName } from '../declared/policy-answer.ts'
import { type CallerIdentity, callAgain } from '../identity.ts'
import { settleMode } from '../pipeline/resolve-mode.ts'
import { hiddenTexts, hiddenWhole, keptView, snapshot, viewNow } from './arguments.ts'
import { boundDefinition, digestCall } from './binding.ts'
import { completedEdit } from './completed-edit.ts'
import { latest, type Question, questionOf } from './stored-content.ts'
import { unmask } from './unmask.ts'

/**
 * New arguments from an approver, checked like any others: schema, then policy. Undefined when
 * they say the same as before. `{}` is a change to no arguments, not the absence of one.
 */
export async function prepareEdit(
  core: GateContext,
  { mode }: CallerIdentity,
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
  const bound = await boundDefinition(approval.call, content)
  if (!bound.isKnown) {
    throw new CountersignError(
      'call_changed',
      'what the tool said of its arguments when this was asked is no longer kept, so new ones cannot be checked',
      { hint: 'Approve or deny the call as it is, or let the agent ask again.' },
    )
  }
  const schema = bound.definition?.inputSchema
  const shown = viewNow({ policy, call: asked, schema, view: shownBefore })
  const secrecy = { schema, paths: hiddenWhole(shown) }
  // Read once: what is not plain JSON is refused before anything is put back into it.
  const sent = snapshot(args, policy.owner.limits).args
  const typed = snapshot(unmask(sent, shown.value, original), policy.owner.limits).args
  const bytes = await fitting(core, { sent, typed }, { policy, approval, secrecy })
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
    ...wordsOf(verdict, questionOf(content)),
    missing: verdict.missing,
    ...(view ? { view } : {}),
  }
}

/** A call the policy would now allow still has people to answer: they see it in its own words. */
function wordsOf(
  verdict: Verdict,
  asked: Question | undefined,
): Pick<Edit, 'message' | 'values' | 'authored'> {
  if ('values' in verdict) {
    const { message, values, authored } = verdict
    return { message, values, ...(authored ? { authored } : {}) }
  }
  if (verdict.message !== '' || asked === undefined) return { message: verdict.message }
  const { message, values, authored } = asked
  return { message, ...(values ? { values } : {}), ...(authored ? { authored } : {}) }
}

interface Fitting {
  readonly policy: Policy
  readonly approval: Approval
  readonly secrecy: Secrecy & { readonly schema: Json | undefined }
}

/** What a person sent, and the same with the secrets they were not shown. */
interface Typed {
  readonly sent: JsonObject
  readonly typed: JsonObject
}

/**
 * What the tool's schema has nothing to say against. A schema that fills something in changes what
 * would run: the person is shown that first, and it counts once they send it themselves.
 */
async function fitting(
  core: GateContext,
  { sent, typed: args }: Typed,
  { policy, approval, secrecy }: Fitting,
) {
  const { schema } = secrecy
  const bytes = snapshot(args)
  if (!core.validate || schema === undefined) return bytes
  const answer = await core.validate(schema, args)
  if (!answer.ok) {
    const { problem, at } = answer
    const { masked } = shownArguments(policy, callAgain(approval.call, args, undefined), secrecy)
    // The validator may quote what it checked, and the approver has not seen all of it.
    const told = maskText(problem, hiddenTexts(args, masked))
    throw new CountersignError('invalid_value', told, at ? { details: { at } } : {})
  }
  const filled = snapshot(answer.args ?? args, policy.owner.limits)
  if (filled.text === bytes.text) return bytes
  const { masked } = shownArguments(
    policy,
    callAgain(approval.call, filled.args, undefined),
    secrecy,
  )
  const completed = completedEdit({ sent, typed: bytes.args, filled: filled.args, masked })
  throw new CountersignError(
    'edit_completed',
    'the tool’s schema completes these arguments, so another call would run than the one that was typed',
    {
      hint: 'Look at the completed arguments, and send those to approve them.',
      details: {
        completed: {
          ...completed,
          digest: await digestCall(core.tenant, approval.call, filled.text),
        },
      },
    },
  )
}
