import { isCountersignError } from '../../base/errors.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import { isApprovalEvent } from '../audit/chain.ts'
import type { StoreReads } from '../store.ts'
import { makeBlock, readDays, staleMarks } from './blocks.ts'
import { added, additionsOf } from './count.ts'
import type { Counted, Counter, Days, Statistics } from './statistics.ts'

/** How far it has come: everything up to `cursor` is counted, and that was recorded at `until`. */
export interface Progress {
  readonly cursor: string
  readonly until: number
}

/** What a store keeps of it. Counters and progress change together, or not at all. */
export interface CounterTable {
  progress(): Promise<Progress | undefined>
  /** What was asked on each of these days, and everything else for all of them together. */
  read(days: Days): Promise<Pick<Counted, 'days' | 'sums'>>
  /**
   * In one transaction that other writers wait for: with progress as it was, hands the counters of
   * these days to `change` and writes what it returns. Nothing happens where another process was
   * faster.
   */
  merge(step: Step): Promise<void>
  /** Begins anew: the database is not the one that was counted. */
  clear(): Promise<void>
}

export interface Step {
  /** Progress as it was read. */
  readonly from: Progress | undefined
  readonly to: Progress
  readonly days: readonly number[]
  readonly change: (counters: readonly Counter[]) => readonly Counter[]
}

/** Events counted in one transaction: others wait for no longer than that takes. */
const EVENTS = 250
/** Steps before a read; behind by more than that, the answer says so. */
const STEPS_BEFORE = 8

type Reads = Pick<StoreReads, 'eventsSince' | 'getMany'>

export function createStatistics(table: CounterTable, reads: Reads): Statistics {
  /** Up to where everything was counted when there was no block left to make. */
  let settled: string | undefined

  async function step(): Promise<boolean> {
    if (await count()) return true
    const now = await table.progress()
    if (now === undefined || now.cursor === settled) return false
    const isMade = await makeBlock(table, now)
    if (!isMade) settled = now.cursor
    return isMade
  }

  async function count(): Promise<boolean> {
    const from = await table.progress()
    const feed = await reads.eventsSince(from?.cursor ?? 'start', EVENTS).catch(startAgain)
    if (feed === undefined) return true
    const { entries, cursor } = feed
    const last = entries.at(-1)
    if (!last) return false
    const additions = await additionsIn(entries)
    const days = [...new Set(additions.map(({ day }) => day))]
    await table.merge({
      from,
      to: { cursor, until: last.event.at },
      days,
      change: (counters) => [...added(counters, additions), ...staleMarks(days)],
    })
    return entries.length === EVENTS
  }

  /** A cursor of another database, or of a past that was taken back. */
  async function startAgain(error: unknown): Promise<undefined> {
    if (!isCountersignError(error) || error.code !== 'cursor_unknown') throw error
    await table.clear()
  }

  async function additionsIn(entries: readonly AuditEntry[]) {
    const events = entries.flatMap(({ event }) => (isApprovalEvent(event) ? event : []))
    const approvals = await reads.getMany([...new Set(events.map(({ approval }) => approval))])
    const known = new Map(approvals.map((one) => [one.id, one]))
    return events.flatMap((event) => {
      const approval = known.get(event.approval)
      return approval ? additionsOf(event, approval) : []
    })
  }

  return {
    step,
    async read(days) {
      let isBehind = true
      for (let nth = 0; nth < STEPS_BEFORE && isBehind; nth += 1) {
        // A database that takes no writes now is read as it is.
        isBehind = await count().catch(() => false)
      }
      const [read, progress] = await Promise.all([readDays(table, days), table.progress()])
      return { ...read, isBehind, ...(progress ? { until: progress.until } : {}) }
    },
  }
}
