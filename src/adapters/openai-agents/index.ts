/** `countersign/openai-agents`: the tools of the OpenAI Agents SDK behind a gate. */
export type { Asking, ParentInput } from '../asking.ts'
export { inCallOrder } from './call-order.ts'
export { guardHandoff, type HandoffAsking } from './guard-handoff.ts'
export { guardTools, type RunAsking } from './guard-tools.ts'
export { guardMcpServers } from './mcp-tools.ts'
export {
  type InChat,
  loadRun,
  type ResumeOptions,
  saveRun,
  settleRun,
  type Waiting,
} from './resume-run.ts'
