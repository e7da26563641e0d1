/** `countersign/cloudflare/agents`: `AgentWorkflow` and `Agent` of the `agents` SDK, with approvals. */
export { type Decision, NotApproved } from '../../decision.ts'
export type { WorkflowGate } from '../../gates.ts'
export { StepBlocked, type StepOptions, type StepTool } from '../../guard-step.ts'
export type { ApprovalRequest } from '../../question.ts'
export type { ApprovalProgress } from '../progress.ts'
export {
  type AnsweringGate,
  ApprovalAgent,
  type CalledFrom,
  type SignedInUser,
  type WorkflowAnswer,
} from './approval-agent.ts'
export { ApprovalWorkflow, WorkflowTimeoutError } from './approval-workflow.ts'
export type { PendingApproval } from './pending.ts'
export type { ReportingGate } from './run-page.ts'
