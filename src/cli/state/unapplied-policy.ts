import type { Call } from '../../base/call.ts'
import type { Authorize } from '../../gate/context.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import { LEVELS, type Verdict } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import { unaskedBy } from '../../policy/tooling/unasked-points.ts'
import { recordedPolicy } from '../../server/policy/recorded-policy.ts'
import type { Store } from '../../store/store.ts'
import { parseServed } from './served-policy.ts'

const REASON =
  'the policy on disk changed since it was last applied, and asks less about this call than the one in force; `countersign policy apply` or `countersign start --apply-policy` puts it into force'

/**
 * For a program that goes by the files on disk, on a database where a server put a policy into
 * force: what the files say counts at once where it is stricter. A call about which they say less
 * is held back until an admin applies them. Undefined where both say the same.
 */
export async function heldBack(
  store: Pick<Store, 'records' | 'newestPolicyEvent'>,
  onDisk: Policy,
): Promise<Authorize | undefined> {
  const kept = await recordedPolicy(store)
  if (!kept) return undefined
  const inForce = parseServed(await kept.files()).policy
  if ((await policyName(inForce)) === (await policyName(onDisk))) return undefined
  return (call) =>
    asksLess(onDisk, inForce, call) ? { code: 'locked', reason: REASON } : undefined
}

function asksLess(onDisk: Policy, inForce: Policy, call: Call): boolean {
  const [now, before] = [evaluate(onDisk, call), evaluate(inForce, call)]
  const [level, wanted] = [LEVELS[now.verdict], LEVELS[before.verdict]]
  // A decision point could deny whatever is not denied already, and the files no longer ask it.
  if (level < LEVELS.deny && unaskedBy(onDisk, inForce).length > 0) return true
  if (level !== wanted) return level < wanted
  // The same kind of answer, by other people or under other terms, is not the same.
  return demands(now, onDisk) !== demands(before, inForce)
}

function demands(verdict: Verdict, { groups }: Policy): string {
  if (!('requirements' in verdict)) return ''
  return JSON.stringify([verdict.requirements, verdict.terms, [...groups]])
}
