import type { monitorEventLoopDelay } from 'node:perf_hooks'
import { RISKS, shownRisk } from '../../base/call.ts'
import { undelivered } from '../../gate/notify/undelivered.ts'
import { lookAt } from '../../store/sql/row-columns.ts'
import type { Store } from '../../store/store.ts'
import { type Family, familyText, labelsText } from './exposition.ts'

/** What is there now, for Prometheus. */
export interface Gauges {
  text(more: Readonly<Record<GaugeName, number>>): Promise<string[]>
  close(): void
}

/** Numbers that the server itself knows. */
const KNOWN = {
  observing: 'Whether the rules of the owner are recorded and not enforced.',
  event_streams: 'Open streams of live events.',
  registered_tools: 'Tools that are guarded.',
} as const
type GaugeName = keyof typeof KNOWN

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
const QUANTILES = [50, 99, 100] as const

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help })

export function createGauges(store: Store): Gauges {
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined

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

  /** From the first scrape on: a server that is not scraped measures nothing. */
  function loop(): string[] {
    if (delay === undefined) {
      // Looked up and not imported: runtimes other than Node.js may lack it.
      const hooks = process.getBuiltinModule?.('node:perf_hooks')
      delay = hooks?.monitorEventLoopDelay?.({ resolution: 20 })
      delay?.enable()
    }
    if (delay === undefined) return []
    const measured = delay
    const family = gauge(
      'countersign_event_loop_delay_seconds',
      'How late the event loop was since the last scrape.',
    )
    const seconds = QUANTILES.map((quantile) => {
      const nanoseconds = measured.count === 0 ? 0 : measured.percentile(quantile)
      const labels = labelsText({ quantile: quantile / 100 })
      return [labels, Number((nanoseconds / 1e9).toFixed(6))] as const
    })
    measured.reset()
    return familyText(family, seconds)
  }

  function connections(): string[] {
    const open = store.connections?.()
    if (!open) return []
    const family = gauge('countersign_postgres_connections', 'Connections of the pool, by state.')
    const { used, idle, waiting } = open
    return familyText(family, [
      ['state="used"', used],
      ['state="idle"', idle],
      ['state="awaited"', waiting],
    ])
  }

  return {
    async text(more) {
      const now = await store.now()
      const skew = (now - Date.now()) / 1_000
      const [asked, late, notices] = await Promise.all([pending(now), overdue(now), outbox(now)])
      const one = (name: string, help: string, value: number) =>
        familyText(gauge(`countersign_${name}`, help), [['', value]])
      const { rss } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      return [
        ...Object.entries(KNOWN).flatMap(([name, help]) =>
          one(name, help, more[name as GaugeName]),
        ),
        ...one(
          'pending_approvals',
          'Questions without an answer; it counts to 5,000.',
          asked.count,
        ),
        ...familyText(
          gauge('countersign_pending_by_risk', 'Questions without an answer, by risk.'),
          [...asked.risks].map(([risk, number]) => [labelsText({ risk }), number] as const),
        ),
        ...one('oldest_pending_seconds', 'Age of the oldest question.', asked.oldest),
        ...one('sweeper_lag_seconds', 'How long something due was left as it is.', late),
        ...one('notices_waiting', 'Notices that are to be sent.', notices.waiting),
        ...one('notices_stuck', 'Notices that were given up.', notices.stuck),
        ...one('outbox_lag_seconds', 'Age of the oldest notice that is to be sent.', notices.lag),
        ...one('clock_skew_seconds', "The database's clock less this machine's.", skew),
        ...loop(),
        ...connections(),
        ...familyText(gauge('process_resident_memory_bytes', 'Memory of this process.'), [
          ['', rss],
        ]),
        ...familyText(
          { name: 'process_cpu_seconds_total', type: 'counter', help: 'Time on a processor.' },
          [['', (user + system) / 1e6]],
        ),
      ]
    },
    close: () => void delay?.disable(),
  }
}
