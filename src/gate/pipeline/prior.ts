import type { Approval } from '../../approval/approval.ts'
import type { Request } from '../../approval/command.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import { boundCall, digestCall } from '../content/binding.ts'
import { wordsOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import type { CallerIdentity } from '../identity.ts'
import { type Blocked, blocked, refusedBy } from '../outcome.ts'
import type { Judged, Read } from './judge.ts'

/** What was asked under the key of a call, and the digest of the call as it is made now. */
export interface Prior {
  readonly approval: Approval
  readonly digest: string
  /** Exactly this call was asked about; otherwise the key names another one. */
  readonly isSame: boolean
}

export async function findPrior(
  core: GateContext,
  caller: CallerIdentity,
  read: Read,
): Promise<Prior | undefined> {
  const approval = await read.prior()
  if (!approval) return undefined
  const { key } = read.call
  const { digest } = await boundCall(core, caller, read, { definition: read.definition, key })
  return { approval, digest, isSame: approval.askedDigest === digest }
}

/**
 * A call that is refused now may have run before, under the same key. Then what became of it is
 * the answer: saying that it did not run would not be true.
 */
export async function ranBefore(
  core: GateContext,
  caller: CallerIdentity,
  read: Read | undefined,
): Promise<Prior | undefined> {
  if (!read || caller.mode.kind === 'denyAll') return undefined
  try {
    const prior = await findPrior(core, caller, read)
    return prior?.isSame && prior.approval.execution ? prior : undefined
  } catch {
    return undefined
  }
}

/**
 * Rules that allow a call now may have asked about it before, under the same key. Then what people
 * decide stands: a no stays a no, and what still waits goes on waiting.
 */
export async function askedByOtherRules(
  core: GateContext,
  caller: CallerIdentity,
  judged: Judged,
): Promise<Prior | Blocked | undefined> {
  const { tool, key } = judged.call
  try {
    // Also without a key: from then on the fast path knows.
    const isPossible =
      judged.byFunction || (await core.asked.byOthers(judged.policy, caller.mode.kind, judged.call))
    const prior = isPossible ? await findPrior(core, caller, judged) : undefined
    if (!prior || prior.isSame) return prior
    const reason = `key ${key} already names another call of this run`
    return blocked('key_reused', { tool, reason, approval: prior.approval })
  } catch (error) {
    return refusedBy(error, tool)
  }
}

/**
 * A denial answers equal calls of its run without asking again, for as long as the policy's
 * `remember_no` says. What expired, was withdrawn or invalidated is not a denial and is not kept.
 */
export async function deniedBefore(
  core: GateContext,
  request: Request,
  { rememberNo }: Asks,
  denied: readonly Approval[],
): Promise<Blocked | undefined> {
  const { tool } = request.call
  if (denied.length === 0 || rememberNo === 'call') return undefined
  const approval = await lastDenial(core.tenant, request, denied)
  if (!approval || approval.lifted !== undefined) return undefined
  if (rememberNo !== undefined) {
    const since = approval.decidedAt ?? approval.changedAt
    if ((await core.store.now()) >= since + rememberNo) return undefined
  }
  const { reason, answer } = await wordsOf(core, approval)
  return blocked('denied', {
    tool,
    reason,
    answer,
    approval,
    as: answer ? 'answered' : 'remembered',
  })
}

async function lastDenial(
  tenant: string,
  { call, digest, content }: Request,
  denied: readonly Approval[],
): Promise<Approval | undefined> {
  const { server } = call
  const equal = denied.find(({ askedDigest }) => askedDigest === digest)
  if (equal) return equal
  // An agent words its own definitions and forms: the same call under others is the same question.
  for (const one of denied) {
    const { definition, form } = one.call
    const isWorded = definition === call.definition && form === call.form
    if (isWorded || one.call.server !== server) continue
    const { form: _, ...plain } = call
    const asThen = { ...plain, definition, ...(form === undefined ? {} : { form }) }
    const again = await digestCall(tenant, asThen, content.arguments)
    if (again === one.askedDigest) return one
  }
  return undefined
}
