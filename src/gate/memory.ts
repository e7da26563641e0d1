import type { Request } from '../approval/command.ts'
import type { Policy } from '../policy/policy.ts'
import type { Core } from './core.ts'
import { type Refused, refusal } from './outcome.ts'
import { wordsOf } from './words.ts'

const MINUTE = 60_000

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

/** An agent that floods people with questions is stopped before it reaches them. */
export async function capped(
  { store }: Core,
  { call: { agent, tool } }: Request,
  { owner: { limits } }: Policy,
): Promise<Refused | undefined> {
  const { pendingPerAgent, asksPerMinute } = limits
  if (pendingPerAgent !== undefined) {
    const { approvals } = await store.list(
      { status: ['pending'], agent },
      { limit: pendingPerAgent },
    )
    if (approvals.length >= pendingPerAgent) {
      return refusal('limited', { tool, reason: `at most ${pendingPerAgent} may wait at once` })
    }
  }
  if (asksPerMinute !== undefined) {
    const { approvals } = await store.list({ agent }, { order: 'newest', limit: asksPerMinute })
    const oldest = approvals.at(-1)
    if (
      approvals.length >= asksPerMinute &&
      oldest &&
      oldest.askedAt > (await store.now()) - MINUTE
    ) {
      return refusal('limited', {
        tool,
        reason: `at most ${asksPerMinute} may be asked in a minute`,
      })
    }
  }
  return undefined
}
