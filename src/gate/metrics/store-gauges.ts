import { RISKS, shownRisk } from '../../base/call.ts'
import { lookAt } from '../../store/sql/row-columns.ts'
import type { Store } from '../../store/store.ts'
import { undelivered } from '../notify/undelivered.ts'
import { type Family, type Reading, type Source, single } from './family.ts'

const gauge = (name: string, unit: Family['unit'], help: string): Family => ({
  ...{ name: `countersign.${name}`, type: 'gauge', unit, help },
})

const GAUGES = {
  pending: gauge(
    'pending_approvals',
    '{approval}',
    'Questions without an answer; it counts to 5,000.',
  ),
  risks: gauge('pending_by_risk', '{approval}', 'Questions without an answer, by risk.'),
  oldest: gauge('oldest_pending', 's', 'Age of the oldest question.'),
  sweeper: gauge('sweeper.lag', 's', 'How long something due was left as it is.'),
  waiting: gauge('notices.waiting', '{notice}', 'Notices that are to be sent.'),
  stuck: gauge('notices.stuck', '{notice}', 'Notices that were given up.'),
  outbox: gauge('outbox.lag', 's', 'Age of the oldest notice that is to be sent.'),
  skew: gauge('clock.skew', 's', "The database's clock less this machine's."),
  connections: gauge('postgres.connections', '{connection}', 'Connections of the pool, by state.'),
}

interface Pending {
  readonly count: number
  /** In seconds. */
  readonly oldest: number
  readonly risks: ReadonlyMap<string, number>
}

/** No rule says how risky the tool is. */
const UNRATED = 'unrated'
const PAGE = 500
/** Rows are read to be counted, so counting ends somewhere. */
const MOST_PENDING = 5_000

/** What waits in a store now, and how late its upkeep is. */
export function storeGauges(store: Store): Source {
  async function pending(now: number): Promise<Pending> {
    let count = 0
    const risks = new Map<string, number>([...RISKS, UNRATED].map((risk) => [risk, 0]))
    let oldest = 0
    let after: string | undefined
    do {
      const page = {
        order: 'oldest',
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      } as const
      const { approvals, next } = await store.list({ status: ['pending'] }, page)
      const [first] = approvals
      if (count === 0 && first) oldest = Math.max(0, now - first.askedAt) / 1_000
      count += approvals.length
      for (const { call } of approvals) {
        const { risk = UNRATED } = shownRisk(call)
        risks.set(risk, (risks.get(risk) ?? 0) + 1)
      }
      after = next
    } while (after !== undefined && count < MOST_PENDING)
    return { count, oldest, risks }
  }

  /** How long the sweeper has left something that is due. */
  async function overdue(now: number): Promise<number> {
    const due = await store.due(100)
    const since = due.map(({ approval }) => lookAt(approval) ?? now)
    return Math.max(0, now - Math.min(now, ...since)) / 1_000
  }

  async function outbox(now: number) {
    const { waiting, stuck, notices } = await undelivered(store)
    const since = notices.filter(({ state }) => state === 'waiting').map(({ at }) => at)
    return { waiting, stuck, lag: Math.max(0, now - Math.min(now, ...since)) / 1_000 }
  }

  function connections(): Reading[] {
    const open = store.connections?.()
    if (!open) return []
    const { used, idle, waiting } = open
    const samples = Object.entries({ used, idle, awaited: waiting })
    return [
      { family: GAUGES.connections, samples: samples.map(([state, count]) => [{ state }, count]) },
    ]
  }

  return {
    families: Object.values(GAUGES),
    async read() {
      const now = await store.now()
      const skew = (now - Date.now()) / 1_000
      const [asked, late, notices] = await Promise.all([pending(now), overdue(now), outbox(now)])
      const risks = [...asked.risks].map(([risk, count]) => [{ risk }, count] as const)
      return [
        single(GAUGES.pending, asked.count),
        { family: GAUGES.risks, samples: risks },
        single(GAUGES.oldest, asked.oldest),
        single(GAUGES.sweeper, late),
        single(GAUGES.waiting, notices.waiting),
        single(GAUGES.stuck, notices.stuck),
        single(GAUGES.outbox, notices.lag),
        single(GAUGES.skew, skew),
        ...connections(),
      ]
    },
  }
}
