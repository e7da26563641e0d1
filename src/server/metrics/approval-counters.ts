import {
  COUNTED,
  createApprovalReader,
  DECISION,
  ENDS,
  EVENTS,
} from '../../gate/metrics/approval-events.ts'
import type { Store } from '../../store/store.ts'
import { headText, readingText } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** What this process recorded about approvals, read from the record when Prometheus asks. */
export interface ApprovalCounters {
  /** Reads on from where the last one ended. */
  text(): Promise<string[]>
}

export function createApprovalCounters(store: Store): ApprovalCounters {
  const counts = new Map(COUNTED.map((type) => [type, 0]))
  const times = new Map(ENDS.map((end) => [end, new Histogram(DECISION)]))
  const readOn = createApprovalReader(store, {
    event: (type) => counts.set(type, (counts.get(type) ?? 0) + 1),
    ended: (outcome, seconds) => times.get(outcome)?.observe(seconds),
  })
  return {
    async text() {
      await readOn()
      return [
        ...readingText({
          family: EVENTS,
          samples: [...counts].map(([type, count]) => [{ type }, count]),
        }),
        ...headText(DECISION),
        ...[...times].flatMap(([outcome, histogram]) => histogram.lines({ outcome })),
      ]
    },
  }
}
