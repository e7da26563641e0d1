import type { Grant } from '../../src/approval/grants/grant.ts'
import type { Store } from '../../src/store/store.ts'
import { granted, minting } from '../../src/testing/grants.ts'
import { aRequest } from './cycle.ts'
import { median } from './sample.ts'

export interface GrantTimes {
  /** One commit that asks. */
  readonly asked: number
  /** One that takes a use, approves and claims. */
  readonly granted: number
}

export function mintFor(store: Store): Promise<Grant> {
  const mint = minting({ uses: 10_000, most: 1e9 })
  return store.grants.apply(mint.id, mint)
}

/** Medians in milliseconds, taken in turns by one caller. */
export async function timeGrants(store: Store, grant: Grant, calls: number): Promise<GrantTimes> {
  const times: { asked: number[]; granted: number[] } = { asked: [], granted: [] }
  for (let call = 0; call < calls; call += 1) {
    const request = aRequest('grants')
    const free = granted(grant, { amount: 1, call: { run: 'grants', key: request.id } })
    for (const [kind, one] of [
      ['asked', request],
      ['granted', free],
    ] as const) {
      const begun = performance.now()
      await store.apply(one.id, one)
      times[kind].push(performance.now() - begun)
    }
  }
  return { asked: median(times.asked), granted: median(times.granted) }
}
