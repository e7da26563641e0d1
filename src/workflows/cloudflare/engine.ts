import { CountersignError, isCountersignError } from '../../base/errors.ts'
import type { Decision } from '../decision.ts'
import { countedPosition, type Engine, runName } from '../engine.ts'
import { type ApprovalProgress, endedProgress, waitingProgress } from './progress.ts'

/** What Cloudflare hands to `run` of a workflow, as far as waiting needs it. */
export interface WorkflowRun {
  readonly event: { readonly instanceId: string }
  readonly step: DurableStep
  /**
   * Told once before the workflow waits for people, with the id of the approval, and once when the
   * question is over. It runs as a durable step.
   */
  readonly report?: (progress: ApprovalProgress) => Promise<void>
  /** Told the id of the approval before the workflow waits, in every replay. */
  readonly onAsked?: (approval: string) => void
}

/** `WorkflowStep` of `cloudflare:workers`, which only its platform has the types of. */
export interface DurableStep {
  do(name: string, work: () => Promise<never>): Promise<unknown>
  sleep(name: string, duration: number): Promise<void>
  waitForEvent(name: string, options: { type: string; timeout: number }): Promise<unknown>
}

/** How approvals name workflows of Cloudflare. */
export const NAME = 'cloudflare'

/** One question of one workflow. */
export interface WaitingEngine {
  readonly engine: Engine
  /** Reports how it ended, where it was reported that it waits. */
  ended(decision: Decision['status']): Promise<void>
}

/** A wait shorter than this is none that the platform promises to keep. */
const SHORTEST_WAIT = 1_000

/**
 * The engine for the question of this name. An instance that is restarted, or made again under the
 * id of one that is gone, asks anew: so a random value that the engine keeps is part of the run.
 */
export async function engineFor(
  { event, step, report, onAsked }: WorkflowRun,
  name: string,
  message: string,
): Promise<WaitingEngine> {
  const { instanceId } = event
  if (typeof instanceId !== 'string' || instanceId === '') {
    throw new CountersignError('usage', 'the workflow has no instance id', {
      hint: 'Pass `event` and `step` on as `run` got them.',
    })
  }
  // One `step` for each replay.
  const position = countedPosition(step, name)
  const key = position === undefined ? name : `${name}#${position}`
  const once = await durable(step, `${key}: place`, async () => crypto.randomUUID())
  let asked: string | undefined
  const engine: Engine = {
    run: `${runName(NAME, instanceId)}/${once}`,
    position: () => position,
    step: (label, work) => durable(step, label, work),
    async wait(label, approval, atMost) {
      const timeout = Math.max(Math.ceil(atMost), SHORTEST_WAIT)
      try {
        dispose(await step.waitForEvent(label, { type: eventType(approval), timeout }))
      } catch (error) {
        if (!isTimeout(error)) throw error
      }
    },
    sleep: (label, ms) => step.sleep(label, Math.max(Math.ceil(ms), SHORTEST_WAIT)),
    async asked(label, question) {
      onAsked?.(question.id)
      if (!report) return
      asked = question.id
      await durable(step, label, async () => {
        await report(waitingProgress(message, question))
        return null
      })
    },
    // What `run` throws ends the instance.
    fail: (error) => error,
  }
  return {
    engine,
    async ended(decision) {
      if (!report || asked === undefined) return
      const ending = endedProgress(asked, decision)
      await durable(step, `${key}: ended`, async () => {
        await report(ending)
        return null
      })
    },
  }
}

/** The wake-up of an approval. The platform knows letters, digits, `-` and `_` here. */
export function eventType(approval: string): string {
  return `countersign-${approval}`
}

/** A step that fails is tried again, which mends no mistake of the program. */
async function durable<T>(step: DurableStep, name: string, work: () => Promise<T>): Promise<T> {
  const once = async () => {
    try {
      return (await work()) as never
    } catch (error) {
      if (!isCountersignError(error)) throw error
      // The platform goes by this name; its class is in a module that only Workers have.
      throw Object.assign(new Error(error.message, { cause: error }), { name: 'NonRetryableError' })
    }
  }
  return (await step.do(name, once)) as T
}

/** The platform throws where time ran out, and its class is not public. */
function isTimeout(error: unknown): boolean {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown }
  return name === 'WorkflowTimeoutError' || /\btimed out\b/i.test(String(message))
}

/** Events come from another isolate, which keeps them until they are let go. */
function dispose(event: unknown): void {
  if (typeof event !== 'object' || event === null) return
  const { [Symbol.dispose]: letGo } = event as Partial<Disposable>
  if (typeof letGo === 'function') letGo.call(event)
}
