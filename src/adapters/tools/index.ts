/** `countersign/tools`: plain functions behind a gate, for agents without an SDK. */
export { type GuardedFunction, type GuardOptions, guard } from './guard.ts'
