import type { HookInput } from '../../adapters/claude-code/hook-input.ts'
import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import {
  type Ask,
  type GovernanceRule,
  NO_DOCUMENT,
  type PolicyDocument,
} from '../../policy/document.ts'
import { ALWAYS } from '../../policy/evaluate/condition.ts'
import { evaluate, verdictWord } from '../../policy/evaluate/evaluate.ts'
import { type Asks, LEVELS, type Level } from '../../policy/evaluate/verdict.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import type { Policy } from '../../policy/policy.ts'
import { unaskedBy } from '../../policy/tooling/unasked-points.ts'
import { localOperator } from '../../server/identity/invite.ts'

function callOf({ agent, tool, server, args, session }: HookInput): Call {
  return {
    tool,
    ...(server === undefined ? {} : { server }),
    args,
    agent,
    run: session,
    principal: localOperator().subject,
  }
}

/** How strict a policy is about a call: 0 lets it run, 3 never does. */
export function strictness(policy: Policy, input: HookInput): Level {
  return LEVELS[verdictWord(policy, callOf(input))]
}

/** Whether a policy demands anything of people that another one does not say word for word. */
export function addsTo(served: Policy, other: Policy, input: HookInput): boolean {
  if (unaskedBy(served, other).length > 0) return true
  return demandsMore(served, other, input)
}

function demandsMore(served: Policy, other: Policy, input: HookInput): boolean {
  const [inForce, further] = [strictness(served, input), strictness(other, input)]
  if (further === 0 || inForce === 3) return false
  return further === 3 || demandOf(served, input) !== demandOf(other, input)
}

/** Everything a policy demands of people for a call, as one text. */
function demandOf(policy: Policy, input: HookInput): string {
  const verdict = evaluate(policy, callOf(input))
  if (verdict.verdict === 'allow' || verdict.verdict === 'deny') return verdict.verdict
  const { requirements, terms, rememberNo, leavesUseBy } = verdict
  return JSON.stringify([requirements, terms, rememberNo, leavesUseBy, [...policy.groups]])
}

/**
 * The strictest for this call; among equals the first, which is that of the project. What the others
 * demand of people is added to it, so that no policy is asked less of than it says.
 */
export function strictest<
  T extends { readonly policy: Policy; readonly documents: readonly PolicyDocument[] },
>(policies: readonly [T, ...T[]], input: HookInput): T {
  const best = policies.reduce((one, other) =>
    strictness(other.policy, input) > strictness(one.policy, input) ? other : one,
  )
  const rest = policies.filter((one) => one !== best)
  const others = rest.filter((one) => demandsMore(best.policy, one.policy, input))
  const points = rest.flatMap(({ policy }) => unaskedBy(best.policy, policy))
  if (others.length === 0 && points.length === 0) return best
  const { owner, outside, code } = best.policy
  const groups = new Map(best.policy.groups)
  const added = [
    ...others.map(({ policy }, index) => demandsOf(policy, input, index, groups)),
    ...points.map((pdp): PolicyDocument => ({ ...NO_DOCUMENT, file: pdp.place.file, pdp })),
  ]
  const policy = combinePolicy({ owner, governance: [...outside, ...added], code })
  return { ...best, documents: [...best.documents, ...added], policy }
}

/** What a policy demands for this one call, as governance beside another policy. */
function demandsOf(
  policy: Policy,
  input: HookInput,
  index: number,
  known: Map<string, unknown>,
): PolicyDocument {
  const verdict = evaluate(policy, callOf(input)) as Asks
  const { file } = policy.owner
  const fresh = [...policy.groups].filter(([name, group]) => {
    const other = known.get(name)
    known.set(name, group)
    if (other === undefined) return true
    if (JSON.stringify(other) === JSON.stringify(group)) return false
    throw new CountersignError(
      'policy_invalid',
      `two policies that apply here mean different people by the group "${name}"`,
      { hint: `Give the group in ${file} another name, or make both the same.` },
    )
  })
  const governance = verdict.requirements.map(({ rule, level, ...who }, n): GovernanceRule => {
    const place = { file, line: 1, column: 1 }
    const named = who.approvers.length > 0 || who.quorum.length > 0
    const { approvers } = named || level === 'confirm' ? who : { approvers: ['*'] as const }
    const { decideBy, useBy, remindAfter, minAssurance, reason, edit, grants } = verdict.terms
    const ask: Ask = {
      asks: 'when',
      rule,
      place,
      condition: ALWAYS,
      ...(approvers.length > 0 ? { approvers } : {}),
      ...(who.quorum.length > 0 ? { quorum: who.quorum } : {}),
      ...(who.escalate.length > 0 ? { escalate: who.escalate } : {}),
      decideBy,
      ...(verdict.leavesUseBy ? {} : { useBy }),
      ...(remindAfter === undefined ? {} : { remindAfter }),
      minAssurance,
      reason,
      edit,
      grants,
      rememberNo: verdict.rememberNo ?? 'run',
    }
    // biome-ignore lint/suspicious/noThenProperty: the word of policy files.
    return { id: `${index}/${n}`, rule, condition: ALWAYS, then: { ask }, place }
  })
  return { ...NO_DOCUMENT, file, groups: new Map(fresh), governance }
}
