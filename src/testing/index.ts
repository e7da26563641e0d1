/** For your own tests, and for stores written elsewhere. */
export { adapterCases } from './adapter-cases.ts'
export {
  type AdapterCase,
  type AdapterHarness,
  type AdapterSupports,
  type AdapterTries,
  type AgentSetup,
  CASE_POLICY,
  type CaseWorld,
  type Claim,
  type HandOver,
  type HandOverSetup,
  type ModelCall,
  type ModelTurn,
  type ScriptedAgent,
  type Turned,
} from './adapter-harness.ts'
export { type DecideNextOptions, decideNext } from './decide-next.ts'
export { type FakeClock, fakeClock } from './fake-clock.ts'
export { observationCases } from './observation-cases.ts'
export { outboxCases } from './outbox-cases.ts'
export { recordCases } from './record-cases.ts'
export type { StoreCase, StoreHarness } from './store-cases/store-case.ts'
export { storeCases } from './store-cases.ts'
export { autoApprove, autoDeny } from './strategies.ts'
