import type { AgentApproval } from '../api/agent.ts'
import { isAway, pauseAfter } from './away.ts'
import type { Connection } from './connection.ts'

export interface Waiting {
  readonly signal: AbortSignal | undefined
  /** Milliseconds; until the question dies unless set. */
  readonly patience: number | undefined
  /** What is waited for: a decision unless set. */
  readonly isOver?: (approval: AgentApproval) => boolean
  /** It is over as well when a person asks something back. */
  readonly questions?: boolean
}

const ONE_WAIT = 50_000
const PAUSE = 1_000

/** The approval once it is as wanted, or as it is when the patience or the caller is at its end. */
export async function untilOver(
  { call }: Pick<Connection, 'call'>,
  id: string,
  { signal, patience = Number.POSITIVE_INFINITY, isOver = isDecided, questions }: Waiting,
): Promise<AgentApproval> {
  const start = performance.now()
  const rest = () => Math.max(patience - (performance.now() - start), 0)
  let latest: AgentApproval | undefined
  for (;;) {
    const left = rest()
    const isLast = left === 0 || signal?.aborted === true
    const wait = isLast ? 0 : Math.ceil(Math.min(left, ONE_WAIT) / 1_000)
    const asked = performance.now()
    try {
      latest = await call('GET /v1/approvals/:id', {
        params: { id },
        query: { wait: wait > 0 ? `${wait}s` : undefined, ...(questions ? { questions } : {}) },
        ...(isLast ? {} : { signal }),
        timeout: wait * 1_000 + 15_000,
      })
      if (isOver(latest) || isLast) return latest
      // A server that is about to stop answers at once; asked again at once, it would not get to it.
      const isEarly = performance.now() - asked < (wait * 1_000) / 2
      if (isEarly) await pauseAfter(undefined, PAUSE, { signal, most: rest() })
    } catch (error) {
      // A server that restarts knows the question afterwards as well.
      if (!isAway(error) || (isLast && latest === undefined)) throw error
      if (isLast && latest) return latest
      await pauseAfter(error, PAUSE, { signal, most: rest() })
    }
  }
}

function isDecided({ status }: AgentApproval): boolean {
  return status !== 'pending'
}
