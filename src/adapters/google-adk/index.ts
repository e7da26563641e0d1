/** `countersign/google-adk`: the tools of Google's Agent Development Kit behind a gate. */
export type { AdkAsking, SessionName } from './asking.ts'
export {
  type AnswersSource,
  answerContent,
  answersIn,
  type ConfirmationAnswer,
  type ConfirmationContent,
  type ConfirmationPart,
  type ConfirmationRequest,
  confirmationRequest,
  defaultHint,
  type OriginalCall,
  type PendingEvent,
  pendingEvent,
  REJECTED,
  REQUEST_CONFIRMATION,
  requestPart,
  type ToolConfirmation,
} from './confirmation.ts'
export { guardAgent, guardTools, guardToolset } from './guard-tools.ts'
export type { ToolsetAsking } from './guard-toolset.ts'
export { type ConfirmationsOptions, confirmations } from './plugin.ts'
export {
  type InSession,
  type Settled,
  type SettleOptions,
  settleSession,
  type Waiting,
} from './settle-session.ts'
