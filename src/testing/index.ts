/** For your own tests, and for stores written elsewhere. */
export { type FakeClock, fakeClock } from './fake-clock.ts'
export { recordCases } from './record-cases.ts'
export { type StoreCase, type StoreHarness, storeCases } from './store-cases.ts'
export { autoApprove, autoDeny } from './strategies.ts'
