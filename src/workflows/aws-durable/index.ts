/** `countersign/aws-durable`: AWS Lambda durable functions that wait for people. */
import { isCountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Decision } from '../decision.ts'
import { decideDurably, requireDurably } from '../durably.ts'
import { type Engine, runName } from '../engine.ts'
import type { WorkflowGate } from '../gates.ts'
import { type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { callbackOf, NAME } from './wake-ups.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { ListingGate, WithdrawnEnded } from '../ended-runs.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest } from '../question.ts'
export { type ExecutionReader, type Stopper, stopExecution, withdrawEnded } from './ended.ts'
export { type CallbackClient, type HistoryEvent, wakeUps } from './wake-ups.ts'

/** What is used of the `DurableContext` of a handler, or of a child of it. */
export interface DurableContext {
  readonly executionContext: { readonly durableExecutionArn: string }
  step<T>(name: string, work: () => Promise<T>, config: StepConfig<T>): PromiseLike<T>
  wait(name: string, duration: Seconds): PromiseLike<void>
  createCallback<T>(
    name: string,
    config: { readonly timeout: Seconds; readonly serdes: Pick<Serdes<T>, 'deserialize'> },
  ): PromiseLike<readonly [PromiseLike<T>, string]>
}

interface Seconds {
  readonly seconds: number
}

interface StepConfig<T> {
  readonly retryStrategy: (
    error: Error,
    attempt: number,
  ) => { readonly shouldRetry: boolean; readonly delay: Seconds }
  readonly serdes: Serdes<T>
}

interface Serdes<T> {
  serialize(value: T | undefined): Promise<string | undefined>
  deserialize(text: string | undefined): Promise<T | undefined>
}

function engineOf(context: DurableContext): Engine {
  const step: Engine['step'] = async (name, work) =>
    context.step(nameOf(name), work, { retryStrategy, serdes: jsonOf() })
  return {
    run: runName(NAME, context.executionContext.durableExecutionArn),
    // Kept by its place among the steps of its branch: branches of one name never share an answer,
    // and a replay in which they come in another order does not swap them.
    position: (name) => step(`${name}: place`, async () => randomPosition()),
    step,
    async wait(_, approval, atMost) {
      try {
        const [called] = await context.createCallback(callbackOf(approval), {
          timeout: secondsOf(atMost),
          serdes: UNREAD,
        })
        await called
      } catch (error) {
        // The time is over, or the callback was failed: either way it is time to look.
        if (!isCallbackError(error)) throw error
      }
    },
    async sleep(name, ms) {
      await context.wait(nameOf(name), secondsOf(ms))
    },
    // What a handler throws ends its execution.
    fail: (error) => error,
  }
}

function randomPosition(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high % 2 ** 20) * 2 ** 32 + low
}

/** Lambda goes by the order of steps; their names are for people, in at most 256 of its characters. */
function nameOf(name: string): string {
  return name
    .replace(/#\d+(?=: )/, '')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(-256)
}

/** Lambda counts in seconds, and one is the least. */
function secondsOf(ms: number): Seconds {
  return { seconds: Math.max(1, Math.ceil(ms / 1_000)) }
}

const MOST_ATTEMPTS = 6

/** A mistake of the program stays one; everything else is tried again, as Lambda does by default. */
function retryStrategy(error: Error, attempt: number) {
  return {
    shouldRetry: !isCountersignError(error) && attempt < MOST_ATTEMPTS,
    delay: { seconds: Math.min(5 * 2 ** (attempt - 1), 60) },
  }
}

/** Plain JSON, whatever the handler has set as its default. */
function jsonOf<T>(): Serdes<T> {
  return {
    serialize: async (value) => (value === undefined ? undefined : JSON.stringify(value)),
    deserialize: async (text) => (text === undefined ? undefined : (JSON.parse(text) as T)),
  }
}

/** A wake-up says nothing, so what it carries is not read. */
const UNREAD = { deserialize: async () => undefined }

/** By its type: handlers are often CommonJS, and then have classes of their own. */
function isCallbackError(error: unknown): boolean {
  const { errorType } = (error ?? {}) as { readonly errorType?: unknown }
  return typeof errorType === 'string' && errorType.startsWith('Callback')
}

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export function waitForApproval<P = Json>(
  context: DurableContext,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  return decideDurably<P>(engineOf(context), gate, request)
}

/** The same, throwing `NotApproved` for everything but a yes. */
export function requireApproval<P = Json>(
  context: DurableContext,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return requireDurably<P>(engineOf(context), gate, request)
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return (context: DurableContext, args: A, options?: StepOptions): Promise<R> =>
    stepDurably(engineOf(context), gate, tool, args, options)
}
