/** `countersign/langgraph`: tools in the nodes of a LangGraph graph behind a gate. */
export type { InChat } from './answers.ts'
export { guardTools } from './guard-tools.ts'
export type { ThreadAsking } from './guarded-tool.ts'
export type { Question, Waiting } from './pause.ts'
export { type Settled, type SettleOptions, settleThread } from './settle-thread.ts'
