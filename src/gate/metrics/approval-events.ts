import type { Store } from '../../store/store.ts'
import type { Family } from './family.ts'

export const EVENTS: Family = {
  name: 'countersign.approval.events',
  type: 'counter',
  unit: '{event}',
  help: 'Events of approvals that this process recorded, from its first reading on.',
}
export const DECISION: Family = {
  name: 'countersign.time_to_decision',
  type: 'histogram',
  unit: 's',
  help: 'Time from asking until the question was approved, denied or expired.',
  bounds: [5, 15, 30, 60, 120, 300, 900, 1_800, 3_600, 14_400, 43_200, 86_400, 604_800],
}

export const COUNTED = [
  'requested',
  'decided',
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
  'claimed',
  'finished',
  'lost',
  'reminded',
  'escalated',
] as const
export const ENDS = ['approved', 'denied', 'expired'] as const

interface Found {
  event(type: (typeof COUNTED)[number]): void
  ended(outcome: (typeof ENDS)[number], seconds: number): void
}

const AT_ONCE = 1_000
/** The next reading goes on: one that reads without end would hold up everything else. */
const MOST_PAGES = 10

/**
 * Reads what this process recorded about approvals, each time from where the last reading ended.
 * Each entry names the process that wrote it, so processes on one database count each event once
 * between them. Reading costs nothing where metrics are not collected, and a call nothing at all.
 */
export function createApprovalReader(store: Store, found: Found): () => Promise<void> {
  let cursor = 'end'
  let reading: Promise<void> = Promise.resolve()

  async function readPage(): Promise<boolean> {
    const page = await store.eventsSince(cursor, AT_ONCE)
    const own = page.entries.flatMap(({ writer, event }) =>
      writer === store.instance && 'approval' in event ? [event] : [],
    )
    const ended = own.flatMap(({ type, approval, at }) => {
      const outcome = ENDS.find((end) => end === type)
      return outcome ? [{ outcome, approval, at }] : []
    })
    const ids = [...new Set(ended.map(({ approval }) => approval))]
    const asked = new Map(
      (ids.length === 0 ? [] : await store.getMany(ids)).map(({ id, askedAt }) => [id, askedAt]),
    )
    // Nothing is counted before all of it is read: a page that fails is read again.
    cursor = page.cursor
    for (const { type } of own) {
      const counted = COUNTED.find((one) => one === type)
      if (counted) found.event(counted)
    }
    for (const { outcome, approval, at } of ended) {
      const since = asked.get(approval)
      if (since !== undefined) found.ended(outcome, Math.max(0, at - since) / 1_000)
    }
    return page.entries.length === AT_ONCE
  }

  async function readOn(): Promise<void> {
    for (let page = 0; page < MOST_PAGES && (await readPage()); page += 1);
  }

  return () => {
    // Two readings at once must not count one page twice.
    reading = reading.then(readOn, readOn)
    return reading
  }
}
