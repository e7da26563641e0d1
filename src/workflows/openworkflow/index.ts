/** `countersign/openworkflow`: OpenWorkflow workflows that wait for people. */
import { CountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import type { Decision } from '../decision.ts'
import { drawnPosition } from '../drawn-position.ts'
import { decideDurably, requireDurably } from '../durably.ts'
import { withdrawEnded as endedOf, type ListingGate, type WithdrawnEnded } from '../ended-runs.ts'
import { countedPosition, type Engine, runName } from '../engine.ts'
import type { WorkflowGate } from '../gates.ts'
import { type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { wakeChannel } from '../wake.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { WithdrawnEnded } from '../ended-runs.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest, WorkflowWords } from '../question.ts'

/** What OpenWorkflow hands to the function of a workflow. */
export interface WorkflowParams {
  readonly step: {
    run<T>(config: { readonly name: string }, work: () => Promise<T>): Promise<T>
    sleep(name: string, duration: `${number}ms`): Promise<void>
    waitForSignal(options: {
      readonly name: string
      readonly signal: string
      readonly timeout: number
    }): Promise<unknown>
  }
  readonly run: { readonly id: string; readonly createdAt?: unknown }
}

/** What sending a wake-up needs of the client. */
export interface SignalSender {
  sendSignal(options: {
    readonly signal: string
    readonly idempotencyKey: string
  }): Promise<{ readonly workflowRunIds: readonly string[] }>
}

/** What cancelling and tidying need of the client and its backend. */
export interface Canceller {
  cancelWorkflowRun(id: string): Promise<void>
}

export interface RunReader {
  getWorkflowRun(params: {
    readonly workflowRunId: string
  }): Promise<{ readonly status: string } | null>
}

const NAME = 'openworkflow'

function engineOf({ step, run }: WorkflowParams): Engine {
  return {
    run: runName(NAME, run.id),
    position(name) {
      const replay = replayOf(run)
      if (replay) return countedPosition(replay, name)
      // The engine counts steps of one name by itself.
      return step.run({ name: `${name}: place` }, drawnPosition)
    },
    step: (name, work) => onceNamed(step, name, work),
    async wait(name, approval, atMost) {
      await step.waitForSignal({ name, signal: signalOf(approval), timeout: atMost })
    },
    sleep: (name, ms) => step.sleep(name, `${Math.ceil(ms)}ms`),
    // What a workflow throws ends it, unless its own retry policy says otherwise.
    fail: (error) => error,
  }
}

/**
 * OpenWorkflow makes a frozen `run` for each replay, with a date that is made anew for it: the same
 * one in frozen copies and proxies. Of other copies it cannot be told which replay they belong to.
 */
function replayOf(run: WorkflowParams['run']): object | undefined {
  const { createdAt } = run
  return Object.isFrozen(run) && createdAt instanceof Date ? createdAt : undefined
}

/** Names of steps whose result the engine has kept, by what it handed to one replay. */
const KEPT = new WeakMap<object, Set<string>>()
const SHARED = 'two questions of one name at one place'

/**
 * A step that the engine has kept is not run again in the same replay. Where it is, the program handed
 * on a frozen deep copy of `run`, and two questions of one name would share an answer.
 */
async function onceNamed<T>(
  step: WorkflowParams['step'],
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const names = KEPT.get(step) ?? new Set<string>()
  KEPT.set(step, names)
  const kept = await step.run<T | typeof SHARED>({ name }, async () =>
    names.has(name) ? SHARED : work(),
  )
  if (kept === SHARED) {
    throw new CountersignError('usage', `${name} belongs to another question`, {
      hint: 'Hand on the run of the engine itself, or give the two questions different names.',
    })
  }
  names.add(name)
  return kept as T
}

function signalOf(approval: string): string {
  return `countersign:${approval}`
}

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export function waitForApproval<P = Json>(
  workflow: WorkflowParams,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  return decideDurably<P>(engineOf(workflow), gate, request)
}

/** The same, throwing `NotApproved` for everything but a yes. */
export function requireApproval<P = Json>(
  workflow: WorkflowParams,
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return requireDurably<P>(engineOf(workflow), gate, request)
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return (workflow: WorkflowParams, args: A, options?: StepOptions): Promise<R> =>
    stepDurably(engineOf(workflow), gate, tool, args, options)
}

/** A channel of the gate: wakes a workflow as soon as its question is over. */
export function wakeUps(ow: SignalSender): Channel {
  return wakeChannel(NAME, async ({ approval, id }) => {
    const sent = await ow.sendSignal({ signal: signalOf(approval), idempotencyKey: id })
    return sent.workflowRunIds.length > 0
  })
}

/** Cancels a run and withdraws its questions. OpenWorkflow tells the workflow's code nothing. */
export async function cancelRun(ow: Canceller, gate: ListingGate, id: string): Promise<void> {
  await ow.cancelWorkflowRun(id)
  await endedOf(NAME, gate, async (workflow) => workflow === id)
}

/**
 * Withdraws the questions of runs that were cancelled, failed or finished without them; those of
 * runs that this backend does not know stay. Call it now and then, and after cancelling runs elsewhere.
 */
export function withdrawEnded(backend: RunReader, gate: ListingGate): Promise<WithdrawnEnded> {
  return endedOf(NAME, gate, async (workflowRunId) => {
    const run = await backend.getWorkflowRun({ workflowRunId })
    return run ? OVER.includes(run.status) : undefined
  })
}

const OVER: readonly string[] = ['completed', 'succeeded', 'failed', 'canceled']
