/** `countersign/langchain`: the tools of a LangChain agent behind a gate. */
export { guardMiddleware } from './guard-middleware.ts'
export {
  guardTools,
  type InChat,
  type Question,
  type Settled,
  type SettleOptions,
  settleThread,
  type ThreadAsking,
  type Waiting,
} from './langgraph.ts'
