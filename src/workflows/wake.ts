import { type Channel, NotDelivered, type Notice } from '../gate/notify/channel.ts'
import { idIn } from './engine.ts'

/** What a wake-up is about. It carries no answer, because the workflow asks the gate for it. */
export interface WakeUp {
  /** The id of the workflow. */
  readonly workflow: string
  readonly approval: string
  /** The same for every attempt to send it. */
  readonly id: string
}

/** `false`: the workflow does not wait yet, or no longer. */
export type Wake = (wakeUp: WakeUp, signal: AbortSignal) => Promise<boolean | undefined>

/** Younger than this, a wake-up that reached no workflow may have come before it waited. */
const EARLY_MS = 60_000
const AGAIN_MS = 500
/** A workflow that has just asked is about to wait: the outbox's own pause would be far too long. */
const JUST_NOW_MS = 2_000
const SOON_MS = [4, 10, 25, 60, 100] as const
/** Wake-ups are small, and each one that waits for the others keeps a workflow waiting. */
const AT_ONCE = 64

/**
 * Wakes the workflow that waits for an approval as soon as it is over, from the outbox: at least
 * once, by any process that has the channel. Nothing depends on it but time.
 */
export function wakeChannel(engine: string, wake: Wake): Channel {
  return {
    name: engine,
    kinds: ENDS,
    atOnce: AT_ONCE,
    async send(notice, signal) {
      const wakeUp = wakeUpOf(engine, notice)
      if (!wakeUp) return
      let arrived = await wake(wakeUp, signal)
      for (const pause of SOON_MS) {
        if (arrived !== false || signal.aborted || Date.now() - notice.at > JUST_NOW_MS) break
        await new Promise((resolve) => setTimeout(resolve, pause))
        arrived = await wake(wakeUp, signal)
      }
      if (arrived !== false || Date.now() - notice.at > EARLY_MS) return
      throw new NotDelivered('the workflow does not wait yet', { retryAfter: AGAIN_MS })
    },
  }
}

/** Undefined for a question, for what ran, and for what another engine asked. */
export function wakeUpOf(
  engine: string,
  {
    id,
    kind,
    approval,
  }: Pick<Notice, 'id' | 'kind'> & {
    readonly approval: Pick<Notice['approval'], 'id' | 'run'>
  },
): WakeUp | undefined {
  const workflow = idIn(engine, approval.run)
  if (workflow === undefined || !ENDS.includes(kind)) return undefined
  return { workflow, approval: approval.id, id }
}

const ENDS: readonly Notice['kind'][] = [
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
]
