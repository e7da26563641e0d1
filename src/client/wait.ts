import type { AgentApproval } from '../api/agent.ts'
import { isAway, pauseAfter } from './away.ts'
import type { Connection } from './connection.ts'

export interface Waiting {
  readonly signal: AbortSignal | undefined
  /** Milliseconds; until the question dies unless set. */
  readonly patience: number | undefined
}

const ONE_WAIT = 50_000
const PAUSE = 1_000

/** The approval once it is decided, or still pending when the patience or the caller is at its end. */
export async function untilDecided(
  { send }: Connection,
  id: string,
  { signal, patience = Number.POSITIVE_INFINITY }: Waiting,
): Promise<AgentApproval> {
  const start = performance.now()
  const rest = () => Math.max(patience - (performance.now() - start), 0)
  let latest: AgentApproval | undefined
  for (;;) {
    const left = rest()
    const isOver = left === 0 || signal?.aborted === true
    const wait = isOver ? 0 : Math.ceil(Math.min(left, ONE_WAIT) / 1_000)
    const asked = performance.now()
    try {
      const { body } = await send(`/v1/approvals/${id}${wait > 0 ? `?wait=${wait}s` : ''}`, {
        ...(isOver ? {} : { signal }),
        patience: wait * 1_000 + 15_000,
      })
      latest = body as AgentApproval
      if (latest.status !== 'pending' || isOver) return latest
      // A server that is about to stop answers at once; asked again at once, it would not get to it.
      const isEarly = performance.now() - asked < (wait * 1_000) / 2
      if (isEarly) await pauseAfter(undefined, PAUSE, { signal, most: rest() })
    } catch (error) {
      // A server that restarts knows the question afterwards as well.
      if (!isAway(error) || (isOver && latest === undefined)) throw error
      if (isOver && latest) return latest
      await pauseAfter(error, PAUSE, { signal, most: rest() })
    }
  }
}
