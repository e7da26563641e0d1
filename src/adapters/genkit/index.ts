/** `countersign/genkit`: the tools of Genkit behind a gate. */
export type { Asking } from '../asking.ts'
export type { InChat } from '../waking.ts'
export { type GuardedTools, guardTools, type ToolAsking } from './guard-tools.ts'
export { type Settled, type SettleOptions, settleTurn, type Waiting } from './settle-turn.ts'
