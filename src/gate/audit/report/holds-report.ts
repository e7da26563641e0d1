import { given } from '../../../base/json/json.ts'
import { actorName, isWithin, type Period, type ReportEntry, textFact } from './entry.ts'

/** A legal hold: what it keeps, who placed it when and why, and who released it. */
export interface ReportedHold {
  readonly tenant: string
  readonly hold: string
  /** Ids and times, by name. */
  readonly about: string
  readonly placedAt: number
  readonly placedBy: string
  readonly reason?: string
  readonly entry: string
  readonly released?: {
    readonly at: number
    readonly by: string
    readonly reason?: string
    readonly entry: string
  }
}

export interface HoldsFilter extends Period {
  readonly tenant?: string | undefined
}

/** Holds that were in force at any moment of the period. */
export class HoldsReport {
  readonly #filter: HoldsFilter
  readonly #found = new Map<string, ReportedHold>()

  constructor(filter: HoldsFilter) {
    this.#filter = filter
  }

  take({ hash, event, content }: ReportEntry): void {
    const { tenant } = this.#filter
    const hold = textFact(event, 'hold')
    if (hold === undefined || (tenant !== undefined && event.tenant !== tenant)) return
    const key = JSON.stringify([event.tenant, hold])
    const words = content('reason')
    const reason = typeof words === 'string' ? words : undefined
    const by = actorName(event.by)
    if (event.type === 'hold.placed') {
      this.#found.set(key, {
        ...{ tenant: event.tenant, hold, about: aboutOf(event.facts ?? {}), placedAt: event.at },
        ...{ placedBy: by, entry: hash, ...given({ reason }) },
      })
    } else if (event.type === 'hold.released') {
      const placed = this.#found.get(key)
      const released = { at: event.at, by, entry: hash, ...given({ reason }) }
      if (placed) this.#found.set(key, { ...placed, released })
    }
  }

  /** Oldest first. */
  result(): ReportedHold[] {
    const { since, until } = this.#filter
    return [...this.#found.values()].filter(
      ({ placedAt, released }) =>
        isWithin(placedAt, { until }) && (since === undefined || (released?.at ?? since) >= since),
    )
  }
}

const TIMES = new Set(['since', 'until'])

function aboutOf(facts: NonNullable<ReportEntry['event']['facts']>): string {
  return Object.entries(facts)
    .filter(([name]) => name !== 'hold')
    .map(([name, value]) => {
      const isTime = TIMES.has(name) && typeof value === 'number'
      return `${name} ${isTime ? new Date(value).toISOString() : String(value)}`
    })
    .join(', ')
}
