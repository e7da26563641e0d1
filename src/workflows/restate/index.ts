/** `countersign/restate`: Restate handlers that wait for people. */
// The entry for every platform: its classes are those of the other entries.
import {
  CancelledError,
  type Context,
  type Serde,
  serde,
  TerminalError,
} from '@restatedev/restate-sdk/fetch'
import { isCountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { type Decision, NotApproved } from '../decision.ts'
import { decideDurably, requireDurably } from '../durably.ts'
import { countedPosition, type Engine, runName } from '../engine.ts'
import type { WorkflowGate } from '../gates.ts'
import { StepBlocked, type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { NAME, signalOf } from './relay.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { ListingGate, WithdrawnEnded } from '../ended-runs.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest } from '../question.ts'
export { type RestateAddress, relay, wakeUps } from './relay.ts'
export { withdrawEnded } from './withdraw-ended.ts'

/** What is used of the context of a handler: of a service, a workflow or a virtual object. */
export type HandlerContext = Pick<Context, 'request' | 'run' | 'signal' | 'sleep'>

/** A wake-up says nothing, so its bytes are not read: forged ones could not even be parsed. */
const UNREAD: Serde<undefined> = {
  serialize: () => new Uint8Array(),
  deserialize: () => undefined,
}

function engineOf(ctx: HandlerContext): Engine {
  const request = ctx.request()
  const step: Engine['step'] = (name, work) =>
    ctx.run(name, () => work().catch(rethrow), { serde: serde.json })
  return {
    run: runName(NAME, request.id),
    // One request for each attempt, however the context is wrapped.
    position: (name) => countedPosition(request, name),
    step,
    async wait(_, approval, atMost) {
      try {
        await ctx.signal(signalOf(approval), UNREAD).orTimeout(Math.ceil(atMost))
      } catch (error) {
        // The time is over, or the signal was rejected: either way it is time to look.
        if (!(error instanceof TerminalError) || error instanceof CancelledError) throw error
      }
    },
    async sleep(_, ms) {
      await ctx.sleep(Math.ceil(ms))
    },
    fail: terminal,
    isCancelled: (error) => error instanceof CancelledError,
    // It is thrown once; afterwards steps work again.
    afterCancel: step,
  }
}

/** Restate repeats what throws; a mistake of the program would be repeated for ever. */
function rethrow(error: unknown): never {
  throw isCountersignError(error) ? terminal(error) : error
}

/** As Restate ends an invocation. What it was made of is its `cause`, while this attempt lasts. */
function terminal(error: Error): TerminalError {
  const isRefusal =
    error instanceof NotApproved || (error instanceof StepBlocked && error.ran === false)
  const metadata: Record<string, string> = { name: error.name }
  if (isCountersignError(error)) metadata.code = error.code
  const ended = new TerminalError(error.message, { errorCode: isRefusal ? 403 : 500, metadata })
  return Object.assign(ended, { cause: error })
}

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export function waitForApproval<P = Json>(
  ctx: HandlerContext,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  return decideDurably<P>(engineOf(ctx), gate, request).catch(rethrow)
}

/** The same, throwing a `TerminalError` for everything but a yes; its `cause` is `NotApproved`. */
export function requireApproval<P = Json>(
  ctx: HandlerContext,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return requireDurably<P>(engineOf(ctx), gate, request).catch(rethrow)
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return (ctx: HandlerContext, args: A, options?: StepOptions): Promise<R> =>
    stepDurably(engineOf(ctx), gate, tool, args, options).catch(rethrow)
}
