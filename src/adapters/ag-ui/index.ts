/** `countersign/ag-ui`: tools of an AG-UI agent behind a gate; what waits ends the run as an interrupt. */

export {
  type AgUiTool,
  type ApprovalInterrupt,
  type GuardedRun,
  guardRun,
  type RunAsking,
  type RunOutcome,
  type ToolCallResult,
} from './guard-run.ts'
export type { AgUiMessage, AgUiToolCall } from './open-calls.ts'
