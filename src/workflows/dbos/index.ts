/** `countersign/dbos`: DBOS workflows that wait for people. */
import { DBOS, Error as DbosErrors } from '@dbos-inc/dbos-sdk'
import { CountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import type { Decision } from '../decision.ts'
import { decideDurably, requireDurably } from '../durably.ts'
import { withdrawEnded as endedOf, type ListingGate, type WithdrawnEnded } from '../ended-runs.ts'
import { type Engine, runName } from '../engine.ts'
import type { WorkflowGate } from '../gates.ts'
import { type StepOptions, type StepTool, stepDurably } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { wakeChannel } from '../wake.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { WithdrawnEnded } from '../ended-runs.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest, WorkflowWords } from '../question.ts'

/** What sending a wake-up needs: a `DBOSClient`, or `DBOS` itself once it is launched. */
export interface MessageSender {
  send(workflow: string, message: Json, topic: string, idempotencyKey: string): Promise<void>
}

/** What cancelling and tidying need: a `DBOSClient`. */
export interface Canceller {
  cancelWorkflow(id: string): Promise<void>
}

export interface StatusReader {
  getWorkflow(id: string): Promise<{ readonly status: string } | undefined>
}

const NAME = 'dbos'

function engineOf(): Engine {
  const { workflowID } = DBOS
  if (workflowID === undefined) {
    throw new CountersignError('usage', 'there is no workflow to wait in', {
      hint: 'Call it in a function that DBOS.registerWorkflow registered, and outside of its steps.',
    })
  }
  return {
    run: runName(NAME, workflowID),
    position: () => undefined,
    // DBOS counts the steps of a workflow, the same in every replay.
    stepPosition() {
      const { stepID } = DBOS
      if (stepID === undefined) throw new CountersignError('internal', 'the step has no number')
      return stepID
    },
    step: (name, work) => DBOS.runStep(work, { name }),
    async wait(_, approval, atMost) {
      await DBOS.recv(topicOf(approval), { timeoutSeconds: atMost / 1_000 })
    },
    sleep: (_, ms) => DBOS.sleep(ms),
    // What a workflow throws ends it.
    fail: (error) => error,
    isCancelled: (error) => error instanceof DbosErrors.DBOSWorkflowCancelledError,
    // No step works in a workflow that was cancelled; withdrawing twice does no harm.
    afterCancel: (_, work) => work(),
  }
}

function topicOf(approval: string): string {
  return `countersign:${approval}`
}

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export function waitForApproval<P = Json>(
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P>> {
  return decideDurably<P>(engineOf(), gate, request)
}

/** The same, throwing `NotApproved` for everything but a yes. */
export function requireApproval<P = Json>(
  gate: WorkflowGate,
  request: ApprovalRequest,
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return requireDurably<P>(engineOf(), gate, request)
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return (args: A, options?: StepOptions): Promise<R> =>
    stepDurably(engineOf(), gate, tool, args, options)
}

/** A channel of the gate: wakes a workflow as soon as its question is over. */
export function wakeUps(client: MessageSender): Channel {
  return wakeChannel(NAME, async ({ workflow, approval, id }) => {
    try {
      // Kept until the workflow receives it, so it is never too early.
      await client.send(workflow, null, topicOf(approval), id)
    } catch (error) {
      if (!(error instanceof DbosErrors.DBOSNonExistentWorkflowError)) throw error
    }
    return true
  })
}

/** Cancels a workflow and withdraws its questions, also while no worker is up. */
export async function cancelWorkflow(
  client: Canceller,
  gate: ListingGate,
  id: string,
): Promise<void> {
  await client.cancelWorkflow(id)
  await endedOf(NAME, gate, async (workflow) => workflow === id)
}

/**
 * Withdraws the questions of workflows that were cancelled, failed or finished without them; those
 * of workflows that the client does not know stay. Call it now and then, and after cancelling
 * workflows elsewhere.
 */
export function withdrawEnded(client: StatusReader, gate: ListingGate): Promise<WithdrawnEnded> {
  return endedOf(NAME, gate, async (id) => {
    const workflow = await client.getWorkflow(id)
    return workflow ? OVER.includes(workflow.status) : undefined
  })
}

const OVER: readonly string[] = ['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED']
