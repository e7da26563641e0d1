import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { sleep } from '../background/background.ts'
import { contain } from '../background/contain.ts'
import type { Gate } from '../gate.ts'
import { speakerOf } from '../gate-facts.ts'
import { isUnavailable, type Outcome } from '../outcome.ts'
import { type Tools, toolsNamed } from '../tool.ts'
import { type OnDecidedOptions, onDecided } from './on-decided.ts'

export interface RunApprovedOptions extends OnDecidedOptions {
  /** How many calls run at once; 4 unless set. */
  readonly concurrency?: number
  /** Which approved calls of its tools it runs; all of them unless set. */
  readonly accepts?: (approval: Approval) => boolean
  /** Told how each call ended, at least once, and why one was not run after all. */
  readonly onOutcome?: (outcome: Outcome, approval: Approval) => unknown
}

export interface ApprovedRunner {
  /** Starts no more calls; resolves when those that run have ended. */
  stop(): Promise<void>
}

const CONCURRENCY = 4
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 30_000

/**
 * Runs what people have approved, in place of the process that asked: an agent asks by
 * `gate.check` and may be gone by then. What was approved while no worker ran comes first. Any
 * number of workers may run: claiming an approval starts its call once.
 */
export function runApproved(
  gate: Pick<Gate, 'approvals' | 'resume'>,
  tools: Tools,
  { concurrency = CONCURRENCY, accepts, onOutcome, ...watching }: RunApprovedOptions = {},
): ApprovedRunner {
  if (speakerOf(gate.approvals).agent === undefined) {
    throw new CountersignError('usage', 'a gate of no agent would run the calls of every agent', {
      hint: 'Make the gate with the agent whose calls this process runs: createGate({ agent }).',
    })
  }
  const waiting: Approval[] = []
  const running = new Set<Promise<void>>()
  let isStopped = false

  function isOurs(approval: Approval): boolean {
    const { kind, server, tool } = approval.call
    // A tool of a server may have the name of one that is here, and is another tool.
    if (approval.status !== 'approved' || kind !== 'tool' || server !== undefined) return false
    return toolsNamed(tools, tool).length > 0 && (accepts?.(approval) ?? true)
  }

  function next(): void {
    while (!isStopped && running.size < concurrency) {
      const approval = waiting.shift()
      if (!approval) return
      const work: Promise<void> = run(approval).finally(() => {
        running.delete(work)
        next()
      })
      running.add(work)
    }
  }

  async function run(approval: Approval): Promise<void> {
    for (let pause = FIRST_PAUSE; !isStopped; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      let outcome: Outcome
      try {
        // Without a signal: one that is aborted would withdraw what people approved.
        outcome = await gate.resume(approval.id, tools)
      } catch (error) {
        contain(() => watching.onError?.(error))
        return
      }
      if (outcome.status !== 'blocked' || !isUnavailable(outcome.code)) {
        contain(() => onOutcome?.(outcome, approval))
        return
      }
      await sleep(pause)
    }
  }

  async function stop(): Promise<void> {
    isStopped = true
    clearInterval(alive)
    stopWatching()
    while (running.size > 0) await Promise.all(running)
  }

  // Watching alone keeps no process alive, and a worker has nothing else to do.
  const alive = setInterval(() => {}, LONGEST_PAUSE)
  const stopWatching = onDecided(
    gate,
    (approval) => {
      if (!isOurs(approval)) return
      waiting.push(approval)
      next()
    },
    watching,
  )
  const { signal } = watching
  signal?.addEventListener('abort', () => void stop(), { once: true })
  if (signal?.aborted) void stop()
  return { stop }
}
