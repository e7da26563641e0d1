/** `countersign/voltagent`: the tools of VoltAgent agents behind a gate. */
export type { Answer } from '../ai-sdk/answers.ts'
export type { ToolAsking } from '../ai-sdk/guarded-tool.ts'
export type { ResumeOptions, Waiting } from '../ai-sdk/resume-turn.ts'
export type { Asking } from '../asking.ts'
export { guardTools } from './guard-tools.ts'
export { type Resumed, resumeTurn } from './resume-turn.ts'
