import type { Figures, Insights, PersonFigures } from '../../api/history/insights.ts'
import { ruleName } from '../../api/policy/rule-name.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { RISKS } from '../../base/call.ts'
import { given } from '../../base/json/json.ts'
import { countOf, quantile } from '../../store/statistics/histogram.ts'
import {
  addCounts,
  type Counted,
  type Counts,
  type Dimension,
  NOTHING,
  OTHER_KEYS,
  type Sum,
} from '../../store/statistics/statistics.ts'

const DAY = 86_400_000
const MOST = 50

type Tables = Omit<Insights, 'me' | 'people'>

/** What the counters of these days add up to. */
export function insightsOf(
  { days: counted, sums, until, isBehind }: Counted,
  from: number,
  to: number,
): Tables {
  const of = (dimension: Dimension) => sums.filter((one) => one.dimension === dimension)
  const byDay = new Map(counted.map(({ day, counts }) => [day, counts]))
  const days = Array.from({ length: to - from + 1 }, (_, nth) => from + nth)
  const hours = new Map(of('hour').map(({ key, counts }) => [Number(key), counts]))
  return {
    from: from * DAY,
    days: days.map((day) => ({ day: day * DAY, ...figuresOf(byDay.get(day) ?? NOTHING) })),
    total: figuresOf(counted.reduce((sum, { counts }) => addCounts(sum, counts), NOTHING)),
    tools: most(of('tool')).map(({ key, counts }) => ({ ...toolOf(key), ...figuresOf(counts) })),
    agents: most(of('agent')).map(({ key: agent, counts }) => ({ agent, ...figuresOf(counts) })),
    groups: most(of('group')).map(({ key: group, counts }) => ({ group, ...figuresOf(counts) })),
    rules: most(of('rule')).map(({ key, counts }) => {
      const [source = '', rule = ''] = JSON.parse(key) as string[]
      return { source, rule, name: ruleName(rule), ...figuresOf(counts) }
    }),
    hours: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      ...figuresOf(hours.get(hour) ?? NOTHING),
    })),
    unruled: most(of('default')).map(({ key, counts }) => {
      const [, , risk] = JSON.parse(key) as (string | null)[]
      const known = RISKS.find((one) => one === risk)
      return { ...toolOf(key), ...given({ risk: known }), ...figuresOf(counts) }
    }),
    ...given({ until }),
    ...(isBehind ? { behind: true as const } : {}),
  }
}

export interface PersonCounts {
  readonly id: PersonId
  readonly counts: Counts
}

/** All of them; who answered most comes first. */
export function peopleIn({ sums }: Pick<Counted, 'sums'>): PersonCounts[] {
  return ordered(sums.filter(({ dimension }) => dimension === 'person')).map(({ key, counts }) => {
    const [issuer = '', subject = ''] = JSON.parse(key) as string[]
    return { id: { issuer, subject }, counts }
  })
}

export function personFigures(person: PersonFigures['person'], counts: Counts): PersonFigures {
  const { asked, approved, denied, edited, quick, times, hours } = counts
  return {
    person,
    answered: asked,
    ...{ approved, denied, edited, quick },
    ...timesOf(times),
    hours: Array.from({ length: 24 }, (_, hour) => hours[hour] ?? 0),
  }
}

function figuresOf(counts: Counts): Figures {
  const { asked, approved, denied, expired, other, edited, granted, times } = counts
  const byGrant = granted
  const ended = approved + denied + expired + other
  // A counter between two steps may know an end before its question.
  const pending = Math.max(0, asked - ended)
  const decided = countOf(times)
  return {
    ...{ asked, pending, ended, approved, denied, expired, other, edited, byGrant, decided },
    ...timesOf(times),
  }
}

function timesOf(times: Counts['times']) {
  return given({ medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95) })
}

function most(sums: readonly Sum[]): Sum[] {
  return ordered(sums).slice(0, MOST)
}

/** What stands for many names is in the totals alone. */
function ordered(sums: readonly Sum[]): Sum[] {
  return sums
    .filter(({ key }) => key !== OTHER_KEYS)
    .sort((a, b) => b.counts.asked - a.counts.asked)
}

function toolOf(key: string): { readonly tool: string; readonly server?: string } {
  const [server, tool] = JSON.parse(key) as (string | null)[]
  return { tool: tool ?? '', ...(server === null || server === undefined ? {} : { server }) }
}
