import { newTip, type Tip } from '../audit/audit.ts'
import type { ChainEvent, Head } from '../audit/audit-entry.ts'
import type { Circumstances, Plan } from './plan.ts'

const LINK_MS = 60_000

/** What one open store knows of its own writing: its chain, and how far time had come. */
export interface Session {
  readonly tenant: string
  readonly instance: string
  readonly tip: Tip
  readonly newest: number
  /** Nothing was written yet: this process is not registered and has no chain. */
  readonly isNew: boolean
  /** Whether the heads of the other chains should be recorded in ours. */
  shouldLink(now: number): boolean
  around(now: number, opening: ChainEvent | undefined): Circumstances
  /** An event was recorded at this time, by this process or another. */
  sawEvent(at: number): void
  /** Another tip than we thought: the outcome of a commit was unknown. */
  correct(tip: Tip): void
  committed(plan: Plan): void
}

export function createSession(tenant: string, instance: string): Session {
  let tip = newTip(instance)
  let newest = 0
  let linkedAt = 0
  return {
    tenant,
    instance,
    get tip() {
      return tip
    },
    get newest() {
      return newest
    },
    get isNew() {
      return tip.seq === 0
    },
    shouldLink: (now) => tip.seq === 0 || Math.abs(now - linkedAt) >= LINK_MS,
    around(now, opening) {
      if (opening) linkedAt = now
      return { tenant, tip, newest, ...(opening ? { opening } : {}) }
    },
    sawEvent(at) {
      newest = Math.max(newest, at)
    },
    correct(actual) {
      tip = actual
    },
    committed(plan) {
      tip = plan.tip
      if (plan.entries.length > 0) newest = Math.max(newest, plan.now)
    },
  }
}

/** The first entry of a chain, or a link to what the others wrote since. Undefined: nothing to say. */
export function openingOf(
  session: Session,
  now: number,
  links: readonly Head[],
  code?: string,
): ChainEvent | undefined {
  const { isNew, tenant } = session
  if (!isNew && links.length === 0) return undefined
  const type = isNew ? 'chain.started' : 'chain.linked'
  return { type, tenant, at: now, links, ...(code === undefined ? {} : { code }) }
}
