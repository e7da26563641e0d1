import type { Call } from '../../base/call.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import { mask } from '../../base/secrets/mask.ts'
import type { ToolEntry } from '../../policy/document.ts'
import { shownArguments } from '../../policy/evaluate/declared.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import { LEVELS, type Verdict } from '../../policy/evaluate/verdict.ts'
import type { GateContext } from '../context.ts'
import { policyName } from '../declared/policy-answer.ts'
import type { Read } from '../pipeline/judge.ts'

/**
 * Writes down what the policy would have said of a call that goes on regardless. Throws when that
 * cannot be written: a call without a record does not run.
 */
export async function recordObserved(
  core: GateContext,
  read: Read,
  enforced: Verdict,
  {
    schema,
    agents,
  }: { readonly schema: Json | undefined; readonly agents?: ToolEntry | undefined },
): Promise<void> {
  const { call, bytes, policy } = read
  const verdict = evaluate(policy, call, ANNOTATED, { schema }, agents)
  if (LEVELS[verdict.verdict] <= LEVELS[enforced.verdict]) return
  await core.store.observations.add({
    call: recorded(call, shownArguments(policy, call, { schema }).value),
    verdict: verdict.verdict,
    reasons: verdict.reasons.map((reason) => ({ ...reason })),
    digest: await sha256(bytes.text),
    policy: await policyName(policy),
  })
  core.listeners.emit('observed', { call, verdict })
}

/** As `policy replay` reads it. What the agent said about it is not the policy's business. */
function recorded(
  { context: _, parent, ...call }: Call,
  args: Call['args'],
): { [key: string]: Json } {
  const known = Object.entries({ ...call, args, parent: parent && mask(parent).value }).filter(
    ([, value]) => value !== undefined,
  )
  return Object.fromEntries(known) as { [key: string]: Json }
}
