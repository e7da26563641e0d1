/** `countersign/inngest`: Inngest functions that wait for people. */
import { step as anyStep, type Inngest, type InngestFunction, NonRetriableError } from 'inngest'
import { CountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import type { Decision } from '../decision.ts'
import { drawnPosition } from '../drawn-position.ts'
import { decideDurably, requireDurably } from '../durably.ts'
import { withdrawEnded as endedOf, type ListingGate } from '../ended-runs.ts'
import { countedPosition, type Engine, runName } from '../engine.ts'
import type { WorkflowGate } from '../gates.ts'
import { type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { wakeChannel } from '../wake.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest } from '../question.ts'

/** What Inngest hands to a function: its `ctx`, or these two of it. */
export interface FunctionContext {
  readonly runId: string
  readonly step: {
    run(id: string, work: () => Promise<unknown>): Promise<unknown>
    sleep(id: string, ms: number): Promise<void>
    waitForSignal(
      id: string,
      options: {
        readonly signal: string
        readonly timeout: number
        readonly onConflict: 'replace' | 'fail'
      },
    ): Promise<unknown>
  }
}

/** What sending a wake-up needs of the client. */
export interface SignalSender {
  sendSignal(options: {
    readonly signal: string
    readonly data: JsonObject
  }): Promise<{ readonly runId: string | undefined }>
}

const NAME = 'inngest'

function engineOf({ step, runId }: FunctionContext): Engine {
  if (!runId) {
    // Without it, the runs of all functions would share one question.
    throw new NonRetriableError('Countersign cannot wait in a run of Inngest that has no id.')
  }
  if (step.run === anyStep.run) {
    // Replays could not be told apart, and every one would be another question.
    throw new NonRetriableError(
      'Countersign needs the `step` of the function, not that of the package.',
    )
  }
  const drawn = (id: string) => step.run(id, drawnPosition) as Promise<number>
  return {
    run: runName(NAME, runId),
    position(name) {
      const replay = replayOf(step)
      return replay ? countedPosition(replay, name) : drawn(`${name}: place`)
    },
    step: <T>(name: string, work: () => Promise<T>) => step.run(name, work) as Promise<T>,
    async wait(name, approval, atMost) {
      const timeout = wholeSeconds(atMost)
      // `fail` would let a stranger's wait for this name end the run.
      await step.waitForSignal(name, { signal: signalOf(approval), timeout, onConflict: 'replace' })
    },
    sleep: (name, ms) => step.sleep(name, wholeSeconds(ms)),
    fail: final,
  }
}

/**
 * Made anew for each request that replays the function, and the same in copies of `step` and in
 * those with a `run` of their own. Undefined for what was written from nothing: there Inngest's own
 * counting of steps that have one id tells the uses of a name apart.
 */
function replayOf(step: object): object | undefined {
  const made: unknown = (step as Record<symbol, unknown>)[Symbol.for('inngest.step.gateway')]
  return typeof made === 'function' ? made : undefined
}

/** Inngest drops what is left of a second, and would look before the question is over. */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000
}

function signalOf(approval: string): string {
  return `countersign:${approval}`
}

function final(error: Error): Error {
  return new NonRetriableError(error.message, { cause: error })
}

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export async function waitForApproval<P = Json>(
  ctx: FunctionContext,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  return decideDurably<P>(engineOf(ctx), gate, request)
}

/** The same, throwing a `NonRetriableError` for everything but a yes; its `cause` is `NotApproved`. */
export async function requireApproval<P = Json>(
  ctx: FunctionContext,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return requireDurably<P>(engineOf(ctx), gate, request)
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return async (ctx: FunctionContext, args: A, options?: StepOptions): Promise<R> =>
    stepDurably(engineOf(ctx), gate, tool, args, options)
}

/** A channel of the gate: wakes a run as soon as its question is over. */
export function wakeUps(inngest: SignalSender): Channel {
  return wakeChannel(NAME, async ({ approval }) => {
    const { runId } = await inngest.sendSignal({ signal: signalOf(approval), data: {} })
    return runId !== undefined
  })
}

/**
 * A function to serve beside yours: it withdraws the questions of runs that were cancelled or
 * failed. Inngest tells the code of such a run nothing, and sends an event instead.
 */
export function withdrawOnEnd(inngest: Inngest.Any, gate: ListingGate): InngestFunction.Any {
  return inngest.createFunction(
    {
      id: 'countersign-withdraw-ended',
      name: 'Withdraw the questions of runs that ended',
      triggers: [{ event: 'inngest/function.cancelled' }, { event: 'inngest/function.failed' }],
    },
    async ({ event, step }) => {
      const { run_id: ended } = event.data as { readonly run_id?: unknown }
      if (typeof ended !== 'string') {
        throw final(new CountersignError('invalid_value', 'the event names no run'))
      }
      return step.run('withdraw', async () => {
        const { withdrawn } = await endedOf(NAME, gate, async (run) => run === ended)
        return withdrawn
      })
    },
  )
}
