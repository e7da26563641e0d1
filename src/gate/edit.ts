import type { Approval } from '../approval/approval.ts'
import type { Edit } from '../approval/command.ts'
import { changedPaths } from '../approval/edit.ts'
import { freshParse } from '../base/canonical.ts'
import { CountersignError } from '../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts'
import { MASK } from '../base/mask.ts'
import { secretPaths } from '../policy/declared.ts'
import { evaluate } from '../policy/evaluate.ts'
import type { Path } from '../policy/path.ts'
import type { Core } from './core.ts'
import { digestCall } from './digests.ts'
import { policyAnswer, policyName } from './policy-answer.ts'
import { settleMode } from './settle-mode.ts'
import { snapshot } from './snapshot.ts'
import { callAgain, type Standing } from './standing.ts'
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
  const policy = core.policy()
  const original = freshParse(before) as JsonObject
  const parentInput = questionOf(content)?.parentInput
  const asked = callAgain(approval.call, original, parentInput)
  const typed = unmasked(args as Json, original, secretPaths(policy, asked))
  const bytes = await fitting(core, approval, snapshot(typed, policy.owner.limits).args)
  const changed = changedPaths(original, bytes.args)
  if (changed.length === 0) return undefined
  const call = callAgain(approval.call, bytes.args, parentInput)
  // Another call than the one asked about: so a predicate is asked about it as well.
  const verdict = evaluate(policy, call, await settleMode(mode, policy, call))
  return {
    digest: await digestCall(core.tenant, approval.call, bytes.text),
    arguments: bytes.text,
    changed,
    answer: policyAnswer(verdict, await policyName(policy)),
    // A call the policy would now allow still has people to answer: they see it in its own words.
    message: verdict.message || questionOf(content)?.message || '',
    missing: verdict.missing,
  }
}

/** As the tool's schema wants it. What the schema fills in is part of what is approved. */
async function fitting(core: Core, { call }: Approval, args: JsonObject) {
  const schema = (await core.registry.find(call))?.inputSchema
  if (!core.validate || schema === undefined) return snapshot(args)
  const answer = await core.validate(schema, args)
  if (!answer.ok) throw new CountersignError('invalid_value', answer.problem)
  return snapshot(answer.args ?? args)
}

/** A secret nobody was shown comes back as its mask: then it stays what it was. */
function unmasked(edited: Json, original: Json, secrets: readonly Path[]): Json {
  return secrets.reduce((value, { keys }) => restored(value, original, keys), edited)
}

function restored(
  edited: Json,
  original: Json | undefined,
  [key, ...rest]: readonly string[],
): Json {
  if (key === undefined) return edited === MASK && original !== undefined ? original : edited
  if (!isPlainObject(edited) || !Object.hasOwn(edited, key)) return edited
  const inner = isPlainObject(original) && Object.hasOwn(original, key) ? original[key] : undefined
  return Object.fromEntries(
    Object.entries(edited as JsonObject).map(([name, value]) => [
      name,
      name === key ? restored(value, inner as Json | undefined, rest) : value,
    ]),
  )
}
