/** `countersign/claude-agent-sdk`: every tool of a Claude Agent SDK session behind a gate. */
export type { SessionAsking } from './guard-hooks.ts'
export { guardOptions } from './guard-options.ts'
export { guardQuery } from './guard-query.ts'
export { type Waiting, waitingIn } from './waiting.ts'
