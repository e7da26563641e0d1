/** `countersign/strands`: the tools of Strands agents behind a gate. */
export type { Asking, ParentInput } from '../asking.ts'
export type { InChat } from '../waking.ts'
export { guardTools, type ToolAsking } from './guard-tools.ts'
export { type Resumed, type ResumeOptions, resumeAgent, type Waiting } from './resume-agent.ts'
