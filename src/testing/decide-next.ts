import type { Approval } from '../approval/approval.ts'
import { CountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import type { Gate } from '../gate/gate.ts'
import { directoryOf } from '../gate/gate-facts.ts'
import { allAsked, refuseProduction } from './strategies.ts'

export interface DecideNextOptions {
  /** Only an approval of this tool. */
  readonly tool?: string
  readonly reason?: string
  /** New arguments: the call runs with these. */
  readonly args?: JsonObject
  /** Attached for the tool and for those who wait. */
  readonly payload?: Json
  /** Milliseconds until giving up because nothing was asked. Five seconds unless set. */
  readonly within?: number
}

const ISSUER = 'countersign:decide-next'
const EVERY_MS = 5

/**
 * For your own tests: waits until the gate asks about a call and answers as its approvers would,
 * all of them where several must agree. Returns the approval as it is afterwards.
 */
export async function decideNext(
  gate: Pick<Gate, 'approvals'>,
  verdict: 'approve' | 'deny',
  { tool, within = 5_000, ...answer }: DecideNextOptions = {},
): Promise<Approval> {
  refuseProduction('decideNext()')
  const asked = await nextPending(gate, tool, within)
  const people = allAsked(asked, await directoryOf(gate.approvals)).map((person) => ({
    ...person,
    issuer: ISSUER,
  }))
  let now = asked
  for (const by of verdict === 'deny' ? people.slice(0, 1) : people) {
    now = await gate.approvals.decide(asked.id, { by, verdict, seen: now.digest, ...answer })
    if (now.status !== 'pending') break
  }
  return now
}

async function nextPending(
  { approvals }: Pick<Gate, 'approvals'>,
  tool: string | undefined,
  within: number,
): Promise<Approval> {
  const until = performance.now() + within
  for (;;) {
    const filter = { status: ['pending'], ...(tool === undefined ? {} : { tool }) } as const
    const [next] = (await approvals.list(filter, { order: 'oldest', limit: 1 })).approvals
    if (next) return next
    if (performance.now() > until) {
      throw new CountersignError('approval_not_found', `nothing was asked within ${within} ms`, {
        hint: 'Start the call before decideNext(), without awaiting it, and check that the policy asks about it.',
      })
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
}
