import type { Approval } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import type { Plan, StoredContent, Write } from '../engine/plan.ts'
import { isOver } from '../sql/row-columns.ts'
import type { Recent } from '../store.ts'

/** Approvals that are remembered because this process wrote them last. */
const KEPT = 1_000
/** Content of one approval that is remembered with it, in characters. */
const CONTENT_KEPT = 16_384

class Written implements Recent {
  readonly approval: Approval
  readonly body: string
  readonly seal: string
  /** As it was written; undefined where it is not known, or too long to be kept. */
  readonly stored: readonly StoredContent[] | undefined

  constructor({ after, row }: Write, stored: readonly StoredContent[] | undefined) {
    this.approval = after
    this.body = row.body
    this.seal = row.seal
    this.stored = stored
  }

  /** As a read gives it: values of their own, without what JSON has no word for. */
  get content(): readonly Content[] | undefined {
    return this.stored?.map(({ key, kind, text }) => ({ key, kind, value: JSON.parse(text) }))
  }
}

/** An approval as this process knows it, and what stands for all of it in the database. */
export type Sealed = Pick<Written, 'approval' | 'seal'>

/** What this process wrote last, so that it need not be read, hashed, parsed and checked again. */
export interface RecentWrites {
  /**
   * All that a committed plan wrote. Changes by other processes are heard of since `heardSince` of
   * `performance.now()`, at which it was not written yet; undefined: they are not.
   */
  wrote(plan: Plan, heardSince: number | undefined): void
  /** The approval, if these are the bytes that were written. */
  same(id: string, body: string): Approval | undefined
  /** What this process wrote, unless it heard of a change since: to be held against its seal. */
  last(id: string): Sealed | undefined
  /** What no other process has changed since, as far as this one would have heard. */
  unchanged(id: string): Recent | undefined
  /** Another process changed it. */
  changed(id: string): void
  /** It was changed, by this process or another. */
  perhapsChanged(id: string): void
  /** Changes by others are no longer heard of. */
  forgetAll(): void
}

export function createRecentWrites(): RecentWrites {
  const all = new Map<string, Written>()
  const unchanged = new Set<string>()
  /** When changes by others were heard of, oldest first: one may come in before our own answer. */
  const heardAt = new Map<string, number>()

  const isUnheard = (id: string, since: number) => (heardAt.get(id) ?? 0) < since

  function contentAfter(
    { before, after }: Write,
    plan: Plan,
  ): readonly StoredContent[] | undefined {
    const { id } = after
    // It may be erased from now on, by any process, and that is not heard of.
    if (isOver(after)) return undefined
    const known = before === undefined ? [] : all.get(id)?.stored
    if (known === undefined || (before && all.get(id)?.approval !== before)) return undefined
    const added = plan.content.filter(({ approval }) => approval === id)
    if (added.length === 0) return known
    const kept = [...known, ...added]
    return kept.reduce((sum, { text }) => sum + text.length, 0) > CONTENT_KEPT ? undefined : kept
  }

  return {
    wrote(plan, heardSince) {
      for (const write of plan.writes) {
        const { after } = write
        const written = new Written(write, contentAfter(write, plan))
        all.delete(after.id)
        all.set(after.id, written)
        const isHeard = heardSince !== undefined && isUnheard(after.id, heardSince)
        if (isHeard) unchanged.add(after.id)
        else unchanged.delete(after.id)
      }
      for (const id of all.keys()) {
        if (all.size <= KEPT) return
        all.delete(id)
        unchanged.delete(id)
      }
    },
    same(id, body) {
      const found = all.get(id)
      return found?.body === body ? found.approval : undefined
    },
    last: (id) => all.get(id),
    unchanged: (id) => (unchanged.has(id) ? all.get(id) : undefined),
    changed(id) {
      unchanged.delete(id)
      all.delete(id)
      heardAt.delete(id)
      heardAt.set(id, performance.now())
      const [oldest] = heardAt.size > KEPT ? heardAt.keys() : []
      if (oldest !== undefined) heardAt.delete(oldest)
    },
    perhapsChanged(id) {
      unchanged.delete(id)
    },
    forgetAll() {
      unchanged.clear()
    },
  }
}
