import type { Store } from '../../store/store.ts'

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
