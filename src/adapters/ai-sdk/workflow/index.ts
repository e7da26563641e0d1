/** `countersign/ai-sdk/workflow`: for workflow code with a `WorkflowAgent` of the AI SDK. Reaches for nothing. */
export type { StepCall, StepReply, StepRequest, Steps } from './step.ts'
export { stepTools } from './step-tools.ts'
export { untilDecided } from './until-decided.ts'
