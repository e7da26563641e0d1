import type { Store } from '../../store/store.ts'
import { type Family, familyText, labelsText } from './exposition.ts'
import { Histogram } from './metrics.ts'

/** What this process recorded about approvals, read from the record when it is asked for. */
export interface ApprovalCounters {
  /** Reads on from where the last one ended. */
  text(): Promise<string[]>
}

const EVENTS: Family = {
  name: 'countersign_approval_events_total',
  type: 'counter',
  help: 'Events of approvals that this server recorded, from its first scrape on.',
}
const DECISION: Family = {
  name: 'countersign_time_to_decision_seconds',
  type: 'histogram',
  help: 'Time from asking until the question was approved, denied or expired.',
}

const COUNTED = [
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
const ENDS = ['approved', 'denied', 'expired'] as const
const SECONDS = [5, 15, 30, 60, 120, 300, 900, 1_800, 3_600, 14_400, 43_200, 86_400, 604_800]

const AT_ONCE = 1_000
/** The next scrape reads on: one that reads without end would hold up everything else. */
const MOST_PAGES = 10

/**
 * Each entry names the process that wrote it, so servers on one database count each event once
 * between them. Reading costs nothing where Prometheus never asks, and a call nothing at all.
 */
export function createApprovalCounters(store: Store): ApprovalCounters {
  const counts = new Map<string, number>(COUNTED.map((type) => [type, 0]))
  const times = new Map(ENDS.map((end) => [end as string, new Histogram(SECONDS)]))
  let cursor = 'end'
  let reading: Promise<void> = Promise.resolve()

  async function readPage(): Promise<boolean> {
    const page = await store.eventsSince(cursor, AT_ONCE)
    const own = page.entries.flatMap(({ writer, event }) =>
      writer === store.instance && 'approval' in event ? [event] : [],
    )
    const ended = own.filter(({ type }) => times.has(type))
    const ids = [...new Set(ended.map(({ approval }) => approval))]
    const asked = new Map(
      (ids.length === 0 ? [] : await store.getMany(ids)).map(({ id, askedAt }) => [id, askedAt]),
    )
    // Nothing is counted before all of it is read: a page that fails is read again.
    cursor = page.cursor
    for (const { type } of own) {
      const count = counts.get(type)
      if (count !== undefined) counts.set(type, count + 1)
    }
    for (const { type, approval, at } of ended) {
      const since = asked.get(approval)
      if (since !== undefined) times.get(type)?.observe(Math.max(0, at - since) / 1_000)
    }
    return page.entries.length === AT_ONCE
  }

  async function readOn(): Promise<void> {
    for (let page = 0; page < MOST_PAGES && (await readPage()); page += 1);
  }

  return {
    async text() {
      // Two scrapes at once must not count one page twice.
      reading = reading.then(readOn, readOn)
      await reading
      return [
        ...familyText(
          EVENTS,
          [...counts].map(([type, count]) => [labelsText({ type }), count] as const),
        ),
        ...familyText(DECISION, []),
        ...[...times].flatMap(([outcome, histogram]) =>
          histogram.lines(DECISION.name, labelsText({ outcome })),
        ),
      ]
    },
  }
}
