import type { Caps } from '../approval/caps.ts'
import type { Request } from '../approval/command.ts'
import type { Policy } from '../policy/policy.ts'
import type { Asks } from '../policy/verdict.ts'
import type { Core } from './core.ts'
import { type Refused, refusal } from './outcome.ts'
import { wordsOf } from './words.ts'

/**
 * A denial answers equal calls of its run without asking again, for as long as the policy's
 * `remember_no` says. What expired, was withdrawn or invalidated is not a denial and is not kept.
 */
export async function deniedBefore(
  core: Core,
  { call, digest }: Request,
  { rememberNo }: Asks,
): Promise<Refused | undefined> {
  const { agent, run, tool } = call
  if (run === undefined || rememberNo === 'call') return undefined
  const { approvals } = await core.store.list(
    { status: ['denied'], agent, run, digest },
    { order: 'newest', limit: 1 },
  )
  const [approval] = approvals
  if (!approval || approval.lifted !== undefined) return undefined
  if (rememberNo !== undefined) {
    const since = approval.decidedAt ?? approval.changedAt
    if ((await core.store.now()) >= since + rememberNo) return undefined
  }
  const { reason, answer } = await wordsOf(core, approval)
  return refusal('denied', {
    tool,
    reason,
    answer,
    approval,
    as: answer ? 'answered' : 'remembered',
  })
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

/** More than anybody answers. `limits.pending_per_agent` says otherwise. */
const PENDING = 100

/** Whoever writes the program in this process can bound it; an agent elsewhere only we can. */
function isRemote(door: string): boolean {
  return door === 'http' || door === 'mcp'
}
