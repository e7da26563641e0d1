import type { CounterTable, Progress } from './roll-up.ts'
import {
  type Counted,
  type Counter,
  createSums,
  type Days,
  dayOf,
  NOTHING,
  type Sum,
} from './statistics.ts'

/*
 * A year of a busy company has hundreds of thousands of counters, and adding them up takes longer than
 * a person waits. So the counters of past days are added up once more, in blocks of days, when there is
 * nothing else to count. A block is nothing but a sum: what counts into one of its days marks it as
 * stale in the same transaction, and then its days are read instead until it is made anew.
 *
 * Blocks are kept among the counters, under days before 1970 that no approval can have.
 */

const DAYS = 32
/** Answers to older questions are rare: a block that is made then stays. */
const SETTLED_DAYS = 8

const blockOf = (day: number) => Math.floor(day / DAYS)
const firstDay = (block: number) => block * DAYS
/** Where the sums of a block are kept, those of all its names together. */
const placeOf = (block: number) => -1 - block
/** Where it is kept whether they are up to date. */
const markOf = (block: number) => -1_000_000 - block

function mark(block: number, asked: 0 | 1): Counter {
  return { day: markOf(block), dimension: 'all', key: '', counts: { ...NOTHING, asked } }
}

/** For the transaction that counts into these days. */
export function staleMarks(days: readonly number[]): Counter[] {
  return [...new Set(days.map(blockOf))].map((block) => mark(block, 0))
}

/** Blocks that lie in these days with all of theirs. */
function blocksIn({ from, to }: Days): { readonly first: number; readonly last: number } {
  return { first: Math.ceil(from / DAYS), last: blockOf(to + 1) - 1 }
}

type Reads = Pick<CounterTable, 'read'>

async function freshBlocks(table: Reads, days: Days): Promise<number[]> {
  const { first, last } = blocksIn(days)
  if (first > last) return []
  const { days: marks } = await table.read({ from: markOf(last), to: markOf(first) })
  return marks
    .filter(({ counts }) => counts.asked === 1)
    .map(({ day }) => -1_000_000 - day)
    .sort((a, b) => a - b)
}

/** What the counters of these days add up to, from blocks where there are any. */
export async function readDays(
  table: Reads,
  wanted: Days,
): Promise<Pick<Counted, 'days' | 'sums'>> {
  const fresh = await freshBlocks(table, wanted)
  if (fresh.length === 0) return table.read(wanted)
  const sums = createSums()
  const days: Counted['days'][number][] = []
  let next = wanted.from
  const readUntil = async (to: number) => {
    if (next <= to) take(await table.read({ from: next, to }))
  }
  const take = (read: Pick<Counted, 'days' | 'sums'>) => {
    for (const one of read.sums) sums.put(one)
    days.push(...read.days)
  }
  for (const block of fresh) {
    await readUntil(firstDay(block) - 1)
    const at = placeOf(block)
    const read = await table.read({ from: at, to: at })
    take({ sums: read.sums, days: read.days.map(dayInBlock) })
    next = firstDay(block) + DAYS
  }
  await readUntil(wanted.to)
  return { days, sums: sums.all() }
}

function dayInBlock({ key, counts }: Counted['days'][number]) {
  return { day: Number(key), key: '', counts }
}

/**
 * Makes the next block of the past year that is not there. False when there is none to make; one that
 * could not be written because counting went on meanwhile is made another time.
 */
export async function makeBlock(
  table: Pick<CounterTable, 'read' | 'merge'>,
  progress: Progress,
): Promise<boolean> {
  const to = dayOf(progress.until) - SETTLED_DAYS
  const past: Days = { from: to - 400, to }
  const { first, last } = blocksIn(past)
  const fresh = new Set(await freshBlocks(table, past))
  for (let block = last; block >= first; block -= 1) {
    if (fresh.has(block)) continue
    const own = { from: firstDay(block), to: firstDay(block) + DAYS - 1 }
    const { days, sums } = await table.read(own)
    if (days.length === 0) continue
    const counters = sumsAt(placeOf(block), days, sums)
    const change = () => [...counters, mark(block, 1)]
    await table.merge({ from: progress, to: progress, days: [], change })
    return true
  }
  return false
}

function sumsAt(day: number, days: Counted['days'], sums: readonly Sum[]): Counter[] {
  return [
    ...days.map((one) => ({
      ...{ day, dimension: 'all' as const },
      key: String(one.day),
      counts: one.counts,
    })),
    ...sums.map((one) => ({ ...one, day })),
  ]
}
