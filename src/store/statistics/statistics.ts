import { addHistograms, addInto, type Histogram } from './histogram.ts'

/**
 * Counters of approvals by day, counted from what is recorded and not while it is recorded: asking
 * and deciding pay nothing for them, and what a crash interrupts is counted by the next step.
 */
export interface Statistics {
  /** Counts more of what was recorded; false once everything is counted. */
  step(): Promise<boolean>
  read(days: Days): Promise<Counted>
}

/** Days since 1970, in UTC. Both are among them. */
export interface Days {
  readonly from: number
  readonly to: number
}

export interface Counted {
  /** Everything that was asked, of each day on which there was something. */
  readonly days: readonly { readonly day: number; readonly key: string; readonly counts: Counts }[]
  /** Of each thing that is counted apart, all days together. */
  readonly sums: readonly Sum[]
  /** Everything recorded before this moment is counted; absent: nothing yet. */
  readonly until?: number
  /** There is more to count. */
  readonly isBehind: boolean
}

/** What is counted apart. The key of `all` is empty. */
export const DIMENSIONS = [
  'all',
  'tool',
  'agent',
  'group',
  'rule',
  'hour',
  'risk',
  'default',
  'person',
] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** One day of one thing. Days and hours are those of asking, so that no more is approved than asked. */
export interface Counter {
  readonly day: number
  readonly dimension: Dimension
  /**
   * A name; for a tool `[server, tool]`, for a rule `[source, rule]`, for what only the default asks
   * for `[server, tool, risk]` and for a person `[issuer, subject]`, as JSON.
   */
  readonly key: string
  readonly counts: Counts
}

export type Sum = Omit<Counter, 'day'>

export interface Counts {
  readonly asked: number
  readonly approved: number
  readonly denied: number
  readonly expired: number
  /** Withdrawn, or void before it was decided. */
  readonly other: number
  readonly edited: number
  readonly granted: number
  /** Of a person: yes within three seconds of the question. */
  readonly quick: number
  /** From the question to the end of it, where people decided; of a person, to their answer. */
  readonly times: Histogram
  /** Of a person: answers by hour of the day in UTC. */
  readonly hours: Readonly<Record<string, number>>
}

export const NOTHING: Counts = {
  asked: 0,
  approved: 0,
  denied: 0,
  expired: 0,
  other: 0,
  edited: 0,
  granted: 0,
  quick: 0,
  times: {},
  hours: {},
}

export function addCounts(one: Counts, two: Partial<Counts>): Counts {
  const sum = (name: Exclude<keyof Counts, 'times' | 'hours'>) => one[name] + (two[name] ?? 0)
  return {
    asked: sum('asked'),
    approved: sum('approved'),
    denied: sum('denied'),
    expired: sum('expired'),
    other: sum('other'),
    edited: sum('edited'),
    granted: sum('granted'),
    quick: sum('quick'),
    times: two.times ? addHistograms(one.times, two.times) : one.times,
    hours: two.hours ? addHistograms(one.hours, two.hours) : one.hours,
  }
}

/** Without what is zero: most of it is, and there are many of them. */
export function countsText(counts: Counts): string {
  const kept = Object.entries(counts).filter(([, value]) =>
    typeof value === 'number' ? value !== 0 : Object.keys(value).length > 0,
  )
  return JSON.stringify(Object.fromEntries(kept))
}

export function countsFrom(text: string): Counts {
  return { ...NOTHING, ...(JSON.parse(text) as Partial<Counts>) }
}

/** Adds up counters as they are read. There may be a hundred thousand: nothing is copied on the way. */
export function createSums() {
  const sums = new Map<string, { dimension: Dimension; key: string; counts: OpenCounts }>()

  function named(dimension: Dimension, key: string): OpenCounts {
    const name = `${dimension} ${key}`
    const own = sums.get(name) ?? { dimension, key, counts: { ...NOTHING, times: {}, hours: {} } }
    sums.set(name, own)
    return own.counts
  }

  return {
    /** `texts` are those of several counters, with commas in between. */
    add(dimension: Dimension, key: string, texts: string): void {
      const own = named(dimension, key)
      for (const counts of JSON.parse(`[${texts}]`) as Partial<Counts>[]) addTo(own, counts)
    },
    /** Of several counters that were added up before. */
    put({ dimension, key, counts }: Sum): void {
      addTo(named(dimension, key), counts)
    },
    all: (): Sum[] => [...sums.values()],
  }
}

type OpenCounts = { -readonly [K in keyof Counts]: Counts[K] extends number ? number : OpenRecord }
type OpenRecord = Record<string, number>

function addTo(sum: OpenCounts, counts: Partial<Counts>): void {
  for (const [name, value] of Object.entries(counts) as [keyof Counts, number | Histogram][]) {
    if (typeof value === 'number')
      (sum as unknown as OpenRecord)[name] = (sum[name] as number) + value
    else addInto(sum[name] as OpenRecord, value)
  }
}

/** Stands for names beyond the first ones of a day: agents choose names, and must not fill a disk. */
export const OTHER_KEYS = '\uE000'
export const MOST_KEYS = 500

const DAY = 86_400_000
export const dayOf = (time: number) => Math.floor(time / DAY)
