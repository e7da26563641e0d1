import { CountersignError } from '../../base/errors.ts'
import type { Policy } from '../../policy/policy.ts'
import type { GateContext } from '../context.ts'
import type { Called } from '../declared/declarations.ts'
import { policyName } from '../declared/policy-answer.ts'

/** How often one call is judged anew. */
const MOST = 3

/**
 * Asking a decision point takes time, and what people put into force meanwhile counts: a rule, a
 * switch, another decision point. By name, because a program may hand out an equal policy each time,
 * and with or without what functions in code released. Throws `locked` where the policy changes each
 * time: `times` is how often it did.
 */
export async function isSuperseded(
  core: Pick<GateContext, 'locks' | 'policy' | 'releasedPolicy'>,
  policy: Policy,
  { called, times }: { readonly called: Called | undefined; readonly times: number },
): Promise<boolean> {
  await core.locks.current()
  const now = [core.policy(called), core.releasedPolicy(called)]
  if (now.includes(policy)) return false
  const [own, ...names] = await Promise.all([policy, ...now].map(policyName))
  if (own !== undefined && names.includes(own)) return false
  if (times < MOST) return true
  throw new CountersignError('locked', 'the policy changes while its decision point is asked')
}
