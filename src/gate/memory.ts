import type { Caps } from '../approval/caps.ts'
import type { Request } from '../approval/command.ts'
import type { Policy } from '../policy/policy.ts'
import type { Core } from './core.ts'
import { type Refused, refusal } from './outcome.ts'
import { wordsOf } from './words.ts'

/**
 * A no stands for the rest of the run: the same call is answered with it, and nobody is asked
 * twice. What merely ran out, was withdrawn or lost its ground is nobody's no and is not kept.
 */
export async function deniedBefore(
  core: Core,
  { call, digest }: Request,
): Promise<Refused | undefined> {
  const { agent, run, tool } = call
  if (run === undefined) return undefined
  const { approvals } = await core.store.list(
    { status: ['denied'], agent, run, digest },
    { order: 'newest', limit: 1 },
  )
  const [approval] = approvals
  if (!approval) return undefined
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
