import type { Approval } from '../../approval/approval.ts'
import type { Request } from '../../approval/command.ts'
import type { Caps } from '../../approval/commands/caps.ts'
import type { Asks } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import { digestCall } from '../content/digests.ts'
import { wordsOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import { type Blocked, blocked } from '../outcome.ts'

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

/** An agent that floods people with questions is stopped by the store, which counts and asks at once. */
export function capsOf({ owner: { limits } }: Policy, door: string): Caps | undefined {
  const { pendingPerAgent = isRemote(door) ? PENDING : undefined, asksPerMinute } = limits
  const [pending, perMinute] = [pendingPerAgent, asksPerMinute]
  if (pending === undefined && perMinute === undefined) return undefined
  return {
    ...(pending === undefined ? {} : { pending }),
    ...(perMinute === undefined ? {} : { perMinute }),
  }
}

/** More than people answer. `limits.pending_per_agent` overrides it. */
const PENDING = 100

/** The program in this process can bound its own agent; a remote agent only the gate can bound. */
function isRemote(door: string): boolean {
  return door === 'http' || door === 'vouched' || door === 'mcp'
}
