/** `countersign/a2a`: an A2A agent behind a gate; what waits is a task in `TASK_STATE_AUTH_REQUIRED`. */

export { type A2aExecutor, type ExecutorAsking, guardExecutor } from './guard-executor.ts'
export type { A2aMessage, A2aPart, A2aRequest, A2aTask } from './protocol.ts'
