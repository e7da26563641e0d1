import type { Approval } from '../../approval/approval.ts'
import { isCountersignError } from '../../base/errors.ts'
import { sleep } from '../background/background.ts'
import type { Gate } from '../gate.ts'
import { speakerOf } from '../gate-facts.ts'
import { contain } from '../listeners.ts'

export interface OnDecidedOptions {
  /** Only approvals of this run. */
  readonly run?: string
  /** Ends it, like the function that is returned. */
  readonly signal?: AbortSignal
  /** Told when the store cannot be watched for a moment; watching goes on. */
  readonly onError?: (error: unknown) => void
}

/** `approval.call.run` names the run to resume. What became of it is looked up by resuming. */
export type DecidedHandler = (approval: Approval) => unknown

const AGAIN_MS = 1_000
const LOOK_MS = 30_000

/**
 * Calls the handler whenever a question of this gate's agent, and of the person it speaks for, has ended, whichever process asked or
 * answered: approved, denied, expired, withdrawn or invalidated. What was approved while nothing
 * watched, and not used yet, is reported first. At least once: resuming is safe to repeat.
 */
export function onDecided(
  gate: Pick<Gate, 'approvals'>,
  handler: DecidedHandler,
  { run, signal, onError = () => {} }: OnDecidedOptions = {},
): () => void {
  const { approvals } = gate
  const { agent, principal } = speakerOf(approvals)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  const reported = new Set<string>()

  function report(approval: Approval): void {
    const { call, id, status } = approval
    if (status === 'pending' || approval.execution || stopping.signal.aborted) return
    if (agent !== undefined && call.agent !== agent) return
    if (principal !== undefined && call.principal?.subject !== principal) return
    if (run !== undefined && call.run !== run) return
    const news = `${id} ${status}`
    if (reported.has(news)) return
    remember(reported, news)
    contain(() => handler(approval))
  }

  async function reportUnused(): Promise<void> {
    const filter = {
      status: ['approved'],
      execution: ['none'],
      ...(agent === undefined ? {} : { agent }),
      ...(run === undefined ? {} : { run }),
    } as const
    let after: string | undefined
    do {
      const page = await approvals.list(filter, {
        order: 'oldest',
        ...(after === undefined ? {} : { after }),
      })
      for (const approval of page.approvals) report(approval)
      after = page.next
    } while (after !== undefined && !stopping.signal.aborted)
  }

  async function watchAll(): Promise<void> {
    let from: string | undefined
    while (!stopping.signal.aborted) {
      try {
        const start = from === undefined ? {} : { from }
        for await (const { hints, cursor } of approvals.watch({
          ...start,
          signal: stopping.signal,
        })) {
          from = cursor
          for (const { id, status } of hints) {
            if (status === 'pending') continue
            const shown = await approvals.get(id)
            if (shown) report(shown.approval)
          }
        }
      } catch (error) {
        if (isCountersignError(error, 'store_closed')) return stop()
        contain(() => onError(error))
        await sleep(AGAIN_MS, 'unattended')
      }
    }
  }

  /** A yes that no event announced here, for whatever reason, is found within half a minute. */
  async function lookAgain(): Promise<void> {
    while (!stopping.signal.aborted) {
      await reportUnused().catch((error: unknown) => contain(() => onError(error)))
      await sleep(LOOK_MS, 'unattended')
    }
  }

  void watchAll()
  void lookAgain()
  return stop
}

function remember(reported: Set<string>, news: string): void {
  reported.add(news)
  const [oldest] = reported
  if (reported.size > 10_000 && oldest !== undefined) reported.delete(oldest)
}
