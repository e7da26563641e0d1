import type { Store } from '../store/store.ts'
import { observationCases } from './observation-cases.ts'
import { outboxCases } from './outbox-cases.ts'
import { recordCases } from './record-cases.ts'
import { auditCases } from './store-cases/audit.ts'
import { claimCases } from './store-cases/claim.ts'
import { contentCases } from './store-cases/content.ts'
import { decisionCases } from './store-cases/decision.ts'
import { grantCases } from './store-cases/grant.ts'
import { identityCases } from './store-cases/identity.ts'
import { listCases } from './store-cases/list.ts'
import { lockCases } from './store-cases/lock.ts'
import { standInCases } from './store-cases/stand-in.ts'
import { timeCases } from './store-cases/time.ts'
import { waitCases } from './store-cases/wait.ts'
import { vaultCases } from './vault-cases.ts'

/** What a store's own test gives to the cases. */
export interface StoreHarness {
  /** A store on a new, empty database. With `tenant`, for that tenant. */
  open(options?: { readonly tenant?: string }): Promise<Store>
  /**
   * Another store on the same database, as another process would open it. Absent when nothing can
   * be shared; the cases that need it are then left out.
   */
  share?(store: Store, options?: { readonly tenant?: string }): Promise<Store>
  /** Lets this much time pass on the store's clock: by moving it, or by waiting. */
  pass(ms: number): Promise<void>
}

/** What every store must do. Runner-agnostic: a case passes unless it throws. */
export interface StoreCase {
  readonly name: string
  readonly needs?: 'share'
  run(harness: StoreHarness): Promise<void>
}

export const storeCases: readonly StoreCase[] = [
  ...identityCases,
  ...decisionCases,
  ...claimCases,
  ...grantCases,
  ...lockCases,
  ...standInCases,
  ...timeCases,
  ...waitCases,
  ...listCases,
  ...contentCases,
  ...auditCases,
  ...vaultCases,
  ...recordCases,
  ...outboxCases,
  ...observationCases,
]
