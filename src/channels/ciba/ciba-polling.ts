import type { CibaParts } from './ciba-ask.ts'
import { pollOne } from './ciba-poll.ts'
import { readRequest } from './ciba-request.ts'

export interface Polling {
  /** A question was put by this process. */
  wake(): void
  /** Resolves when what is under way is over. */
  stop(): Promise<void>
}

const EVERY = 1_000
/** While no question is open. Another process may have put one, and died. */
const IDLE_EVERY = 5_000
const AT_ONCE = 16

/**
 * Polls every open question when its time has come. Any number of processes may do so: each question
 * is taken before it is polled, and the provider's interval holds across all of them.
 */
export function startPolling(parts: CibaParts): Polling {
  const { requests, report } = parts.host
  const underWay = new Map<string, Promise<void>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking: Promise<void> | undefined
  let isStopped = false
  let reported = ''

  async function look(): Promise<void> {
    const [found, now] = [await requests.list(), await requests.now()]
    const open = found.map(readRequest).filter(({ state }) => state === 'open')
    for (const one of open.filter(({ due }) => due <= now)) {
      const name = JSON.stringify([one.approval, one.subject])
      if (isStopped || underWay.has(name) || underWay.size >= AT_ONCE) continue
      const work = pollOne(parts, one)
        .catch(tell)
        .finally(() => underWay.delete(name))
      underWay.set(name, work)
    }
    schedule(open.length > 0 ? EVERY : IDLE_EVERY)
    reported = ''
  }

  /** The next look makes up for one that failed. */
  function tell(error: unknown): void {
    const problem = error instanceof Error ? error.name : 'it failed'
    if (problem !== reported) report(`ciba: answers cannot be fetched: ${problem}`)
    reported = problem
  }

  function begin(): void {
    looking ??= look()
      .catch((error: unknown) => {
        tell(error)
        schedule(EVERY)
      })
      .finally(() => {
        looking = undefined
      })
  }

  function schedule(after: number): void {
    clearTimeout(timer)
    if (isStopped) return
    timer = setTimeout(begin, after)
    timer.unref()
  }

  begin()
  return {
    wake: () => schedule(EVERY),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await looking
      await Promise.all(underWay.values())
    },
  }
}
