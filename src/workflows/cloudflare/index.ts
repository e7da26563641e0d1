/** `countersign/cloudflare`: Cloudflare Workflows that wait for people. Runs in Workers. */
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Decision } from '../decision.ts'
import type { WorkflowGate } from '../gates.ts'
import type { StepOptions, StepTool } from '../guard-step.ts'
import type { ApprovalRequest } from '../question.ts'
import { approvedOrThrow, askPeople, askThenRun } from './ask.ts'
import type { WorkflowRun } from './engine.ts'

export { type Decision, NotApproved } from '../decision.ts'
export type { WorkflowGate } from '../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../guard-step.ts'
export type { ApprovalRequest } from '../question.ts'
export type { DurableStep, WorkflowRun } from './engine.ts'
export type { ApprovalProgress } from './progress.ts'
export { type WakeableWorkflow, type WakeOptions, wake } from './wake.ts'

/** Asks people, and resolves with what they answered: after a minute or after a week. */
export function waitForApproval<P = Json>(
  workflow: WorkflowRun,
  gate: WorkflowGate,
  request: ApprovalRequest = {},
): Promise<Decision<P>> {
  return askPeople<P>(workflow, gate, request)
}

/** The same, throwing `NotApproved` for everything but a yes. */
export async function requireApproval<P = Json>(
  workflow: WorkflowRun,
  gate: WorkflowGate,
  request: ApprovalRequest = {},
): Promise<Decision<P> & { readonly status: 'approved' }> {
  return approvedOrThrow(await askPeople<P>(workflow, gate, request))
}

/** A tool as a durable step that asks first where the policy says so, and runs at most once. */
export function guardStep<A extends JsonObject, R>(gate: WorkflowGate, tool: StepTool<A, R>) {
  return (workflow: WorkflowRun, args: A, options?: StepOptions): Promise<R> =>
    askThenRun(workflow, gate, tool, { args, options })
}
