/** `countersign/mastra`: the tools of Mastra agents behind a gate. */
export type { InChat } from '../waking.ts'
export { type DelegationAsking, guardDelegation } from './guard-delegation.ts'
export { guardTools, type RunAsking } from './guard-tools.ts'
export type { Waiting } from './pause.ts'
export { type Resumed, type ResumeOptions, resumeRun } from './resume-run.ts'
