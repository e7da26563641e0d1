/** The filter of History as the address of the page holds it. */

import type { HistoryFilter } from '../../api/history.ts'
import { DECIDED } from '../../lib/approval/decided.ts'
import { type Message, msg } from '../../lib/language/t.ts'
import { PERIODS, type Span, spanOf } from '../../lib/time/period.ts'

export const OUTCOMES = {
  all: { name: msg('All'), filter: { status: DECIDED } },
  approved: { name: msg('Approved'), filter: { status: ['approved'] } },
  denied: { name: msg('Denied'), filter: { status: ['denied'] } },
  'did-not-run': {
    name: msg('Did not run'),
    filter: { status: ['denied', 'expired', 'withdrawn', 'invalidated'] },
  },
  unknown: { name: msg('Needs a look'), filter: { status: ['approved'], execution: ['unknown'] } },
} as const satisfies Record<string, { name: Message; filter: HistoryFilter }>

const RISKS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'] as const
type Risk = (typeof RISKS)[number]

export const SORTS = ['newest', 'oldest', 'risk'] as const
export type Sort = (typeof SORTS)[number]

/** Everything in it is text, as in an address; absent means not narrowed. */
export interface Asked extends Span {
  readonly q: string
  readonly outcome: keyof typeof OUTCOMES
  readonly agent: string
  readonly tool: string
  readonly server: string
  readonly person: string
  readonly risk: readonly Risk[]
  readonly sort: Sort
}

const one = <T extends string>(text: string | null, known: readonly T[], usual: T): T =>
  known.includes(text as T) ? (text as T) : usual

/** Words of another kind are as good as absent: addresses are typed by people, too. */
export function readFilter(params: URLSearchParams): Asked {
  const text = (name: string) => params.get(name) ?? ''
  const date = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text(name)) ? text(name) : '')
  const risk = text('risk').split(',')
  return {
    q: text('q'),
    outcome: one(params.get('outcome'), Object.keys(OUTCOMES) as Asked['outcome'][], 'all'),
    agent: text('agent'),
    tool: text('tool'),
    server: text('server'),
    person: text('person'),
    risk: RISKS.filter((known) => risk.includes(known)),
    period: one(params.get('period'), Object.keys(PERIODS) as Asked['period'][], 'any'),
    from: date('from'),
    to: date('to'),
    sort: one(params.get('sort'), SORTS, 'newest'),
  }
}

/** Only what differs from the usual stands in the address. */
export function writeFilter(asked: Asked): URLSearchParams {
  const isDates = asked.period === 'dates'
  const usual: Partial<Asked> = { outcome: 'all', period: 'any', sort: 'newest' }
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) {
    const text = Array.isArray(value) ? value.join(',') : String(value)
    const isDate = name === 'from' || name === 'to'
    if (text === '' || text === usual[name as keyof Asked] || (isDate && !isDates)) continue
    params.set(name, text)
  }
  return params
}

/** What the server is asked for. Days begin and end at midnight where the reader is. */
export function requestOf(asked: Asked, now: number): HistoryFilter {
  const { q, agent, tool, server, person, risk } = asked
  return {
    ...OUTCOMES[asked.outcome].filter,
    ...spanOf(asked, now),
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(agent === '' ? {} : { agent }),
    ...(tool === '' ? {} : { tool }),
    ...(server === '' ? {} : { server }),
    ...(person === '' ? {} : { person }),
    ...(risk.length === 0 ? {} : { risk }),
  }
}

export function isNarrowed({ sort: _, ...asked }: Asked): boolean {
  return writeFilter({ ...asked, sort: 'newest' }).size > 0
}
