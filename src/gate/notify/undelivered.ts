import { NOTICES_SHOWN, type NoticeState, type OutboxSummary } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import { retryHeld, type StoredHeld, stuckHeld } from './held.ts'

type Notices = Pick<Store, 'outbox' | 'records' | 'now'>

/** What people are still to be told: in the outbox, and what was held for one person and given up. */
export async function undelivered({
  outbox,
  records,
}: Pick<Notices, 'outbox' | 'records'>): Promise<OutboxSummary> {
  const [summary, held] = await Promise.all([outbox.summary(), stuckHeld(records)])
  if (held.length === 0) return summary
  const notices = [...summary.notices, ...held.map(stateOf)].sort((a, b) => a.at - b.at)
  return {
    ...summary,
    stuck: summary.stuck + held.length,
    channels: summary.channels.map((one) => {
      const own = held.filter(({ channel }) => channel === one.name).length
      return { ...one, stuck: one.stuck + own }
    }),
    notices: notices.slice(0, NOTICES_SHOWN),
  }
}

/** Tries everything that is stuck once more. Resolves to how many that are. */
export async function retryUndelivered({ outbox, records, now }: Notices): Promise<number> {
  return (await outbox.retry()) + (await retryHeld(records, await now()))
}

function stateOf({ id, channel, draft, attempts, stuck = '' }: StoredHeld): NoticeState {
  const { approval, kind, at } = draft
  return { id, channel, approval, kind, at, attempts, state: 'stuck', problem: stuck }
}
