/** `countersign/ai-sdk`: the tools of the Vercel AI SDK behind a gate. */
export type { Asking } from '../asking.ts'
export { guardTools } from './guard-tools.ts'
export { isPaused } from './paused.ts'
export { type Resumed, type ResumeOptions, resumeTurn, type Waiting } from './resume-turn.ts'
export { type ShowOptions, showTurn } from './show-turn.ts'
export type { ShownCall } from './shown-call.ts'
