/** `countersign/langgraph/workflow`: nodes and entrypoints of LangGraph that wait for people. */
import { getConfig, task } from '@langchain/langgraph'
import { CountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import type { Decision } from '../decision.ts'
import { decideDurably, requireDurably } from '../durably.ts'
import { type ListingGate, withdrawEnded } from '../ended-runs.ts'
import { countedPosition, type Engine, runName } from '../engine.ts'
import type { WorkflowGate } from '../gates.ts'
import { type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { wakeChannel } from '../wake.ts'
import { pause, type Scratchpad, type Waiting } from './pause.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest } from '../question.ts'
export type { Waiting } from './pause.ts'

const NAME = 'langgraph'

/** As much of what LangGraph hands to nodes as is looked at. */
interface NodeConfig {
  readonly configurable?: {
    readonly thread_id?: unknown
    readonly checkpoint_ns?: unknown
    readonly __pregel_scratchpad?: Scratchpad
  }
  readonly executionInfo?: { readonly nodeAttempt?: number }
  readonly signal?: AbortSignal
}

function engineOf(asked: Omit<Waiting, 'callId'>): Engine {
  const config: NodeConfig = getConfig() ?? {}
  const {
    thread_id: thread,
    checkpoint_ns: place,
    __pregel_scratchpad: pad,
  } = config.configurable ?? {}
  if (thread === undefined || thread === null || typeof place !== 'string' || !place || !pad) {
    throw new CountersignError('usage', `${asked.name} is not asked about in a node of a thread`, {
      hint: 'Call it in a node or an entrypoint, and invoke the graph with { configurable: { thread_id } }.',
    })
  }
  return {
    // LangGraph names each task once for all its replays; the next round of a thread is another.
    run: `${runName(NAME, String(thread))}/${encodeURIComponent(place)}`,
    position: (name) => countedPosition(attemptOf(pad, config.executionInfo?.nodeAttempt), name),
    async step<T>(name: string, work: () => Promise<T>): Promise<T> {
      const kept = (await task(name, work)()) as T | undefined
      if (kept !== undefined) return kept
      throw new CountersignError('usage', `LangGraph did not run ${name}`, {
        hint: 'interruptBefore and interruptAfter do not go with a node that waits for people.',
      })
    },
    // There is no timer: it looks when it is resumed.
    async wait(_, callId) {
      pause(pad, { ...asked, callId })
    },
    sleep: (_, ms) => sleep(ms, config.signal),
    // What a node throws ends the run, unless its own retry policy says otherwise.
    fail: (error) => error,
  }
}

const ATTEMPTS = new WeakMap<Scratchpad, { readonly attempt: number }>()

/**
 * What positions are counted by: LangGraph makes a scratchpad for each replay, and keeps it where
 * the retry policy of a node runs it again. Nested runnables do not tell the attempt.
 */
function attemptOf(pad: Scratchpad, attempt = 0): object {
  const known = ATTEMPTS.get(pad)
  // Untold or told, the first attempt is the same one.
  if (known && (attempt <= 1 || attempt <= known.attempt)) return known
  const next = { attempt }
  ATTEMPTS.set(pad, next)
  return next
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

function askedBy({ name = 'approval', title, description, args = {} }: ApprovalRequest) {
  return { name, args, message: title ?? description ?? name }
}

/** Asks people, and resolves with what they answered. The thread is paused until it is woken. */
export async function waitForApproval<P = Json>(
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  return decideDurably<P>(engineOf(askedBy(request)), gate, request)
}

/** The same, throwing `NotApproved` for everything but a yes. */
export async function requireApproval<P = Json>(
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return requireDurably<P>(engineOf(askedBy(request)), gate, request)
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return async (args: A, options: StepOptions = {}): Promise<R> => {
    const { name } = tool
    const engine = engineOf({ name, args, message: options.says ?? name })
    return stepDurably(engine, gate, tool, args, options)
  }
}

/**
 * A channel of the gate: says which thread has an answer. Resume it with the command of
 * `settleThread` of `countersign/langgraph`, here or by a queue of your own.
 */
export function wakeUps(wake: (thread: string, signal: AbortSignal) => unknown): Channel {
  return wakeChannel(NAME, async ({ workflow }, signal) => {
    await wake(workflow, signal)
    return true
  })
}

/** Withdraws the open questions of a thread that is given up. Resolves to how many. */
export async function withdrawThread(gate: ListingGate, thread: string): Promise<number> {
  const { withdrawn } = await withdrawEnded(NAME, gate, async (id) => id === thread)
  return withdrawn
}
