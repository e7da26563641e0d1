/** `countersign/ai-sdk`: the tools of the Vercel AI SDK behind a gate. */
export type { Asking } from '../asking.ts'
export { type Answer, completeApprovals, withAnswers } from './answers.ts'
export { blockedText } from './blocked-text.ts'
export { inCallOrder } from './call-order.ts'
export { type GateContext, gateContext } from './gate-context.ts'
export {
  carryProofs,
  guardMcpTools,
  type McpAsking,
  type McpClientLike,
  type McpTransportLike,
} from './guard-mcp-tools.ts'
export { guardTools } from './guard-tools.ts'
export type { ToolAsking } from './guarded-tool.ts'
export { isPaused } from './paused.ts'
export { type Resumed, type ResumeOptions, resumeTurn, type Waiting } from './resume-turn.ts'
export { type ShowOptions, showTurn } from './show-turn.ts'
export type { ShownCall } from './shown-call.ts'
export { forSubagent } from './subagent.ts'
export { guardApproval } from './tool-approval.ts'
export { isTurnStepCount } from './turn-steps.ts'
export { answerStep } from './workflow/answer-step.ts'
export type { StepReply, StepRequest } from './workflow/step.ts'
