import type { Content } from '../../approval/transition.ts'
import { type Candidate, cursorOf, NO_DEADLINE, type Paging, type Place } from '../engine/page.ts'
import type { Filter, Page, StoreReads } from '../store.ts'
import { indexedPrefix, indexedWords, isIdPrefix, isWanted, type Wanted } from './words.ts'

/*
 * Lists by text. The list is walked in its own order and every row is compared with the search; the
 * index only says which rows need not be walked. It knows for each block of approvals, by position,
 * how their words begin. Blocks that it does not know yet, or that have changed since, are walked
 * like those it names: an index that is behind makes a search slower, and never loses a hit.
 */

/** Approvals in a block: few enough to be read at once, and many enough to share their words. */
export const BLOCK = 128
/** Beginnings of words in one block; one with more counts as a block that holds every word. */
export const MOST_PREFIXES = 10_000
/** Stands for every word: no letter, so that no word is spelled like it. */
export const EVERY_WORD = '\uE000'

/** What the index does not know, read before it is asked. */
export interface Coverage {
  /** The first block that is not in it. */
  readonly end: number
  /** Blocks before that whose text has changed since. */
  readonly stale: readonly number[]
}

export interface SearchIndex {
  coverage(): Promise<Coverage>
  /** The nearest block at `from` or behind it in which words begin with all of these. */
  nearest(prefixes: readonly string[], from: number, isDown: boolean): Promise<number | undefined>
  /** Blocks of the approvals whose id begins like this; as many as a person could mean. */
  blocksOf(id: string): Promise<readonly number[]>
}

export interface SearchParts {
  readonly index: SearchIndex
  readonly candidates: (filter: Filter, paging: Paging) => Promise<readonly Candidate[]>
  readonly contentOf: StoreReads['contentOf']
  /** Lets others have their turn. */
  readonly pause: () => Promise<unknown>
}

/** Words that the index is asked for; the others are compared only. */
const MOST_WORDS = 16
/** Pieces of the list that are walked for one page. */
const MOST_STEPS = 16

export async function searchPage(
  parts: SearchParts,
  filter: Filter,
  { paging, wanted }: { readonly paging: Paging; readonly wanted: Wanted },
): Promise<Page> {
  const { candidates, contentOf, pause } = parts
  const { order, limit } = paging
  const skip = await skipper(parts.index, wanted, paging)
  const approvals: Page['approvals'][number][] = []
  let after = paging.after
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const from = await skip(after)
    if (from === 'end') return { approvals }
    const atOnce = step === 0 ? Math.min(limit, BLOCK) : BLOCK
    const found = await candidates(filter, { order, limit: atOnce, after: from })
    const rows = found.slice(0, atOnce)
    const ids = rows.flatMap(({ approval }) => approval?.id ?? [])
    const questions = await contentOf(ids, ['question'])
    for (const row of rows) {
      after = row
      if (row.approval && isWanted(wanted, row.approval, values(questions.get(row.approval.id)))) {
        approvals.push(row.approval)
        if (approvals.length === limit) return { approvals, next: cursorOf(order, row) }
      }
      if (row.isEdge) break
    }
    if (found.length <= atOnce && !rows.some(({ isEdge }) => isEdge)) return { approvals }
    await pause()
  }
  return after ? { approvals, next: cursorOf(order, after) } : { approvals }
}

function values(content: readonly Content[] = []): Content['value'][] {
  return content.map(({ value }) => value)
}

type Skip = (after: Place | undefined) => Promise<Place | undefined | 'end'>

/** Where a list goes on, past everything that the index rules out. */
async function skipper(
  index: SearchIndex,
  wanted: Wanted,
  { order }: Pick<Paging, 'order'>,
): Promise<Skip> {
  const { end, stale } = await index.coverage()
  const named = isIdPrefix(wanted) ? await index.blocksOf(wanted.id) : []
  const always = [...new Set([...stale, ...named])]
  const prefixes = indexedWords(wanted).slice(0, MOST_WORDS).map(indexedPrefix)
  const isDown = order === 'newest'
  // A name without a letter or a digit is in no index: everything is walked.
  if (prefixes.length === 0 && wanted.person !== undefined) return async (after) => after

  async function nearest(block: number): Promise<number | undefined> {
    const behind = always.filter((one) => (isDown ? one <= block : one >= block))
    const found = prefixes.length === 0 ? undefined : await index.nearest(prefixes, block, isDown)
    if (found !== undefined) behind.push(found)
    if (behind.length === 0) return undefined
    return isDown ? Math.max(...behind) : Math.min(...behind)
  }

  async function down(after: Place | undefined): Promise<Place | undefined | 'end'> {
    const block = after === undefined ? end : Math.floor((after.position - 1) / BLOCK)
    if (block >= end) return after
    const next = await nearest(block)
    if (next === undefined) return 'end'
    return next === block ? after : { rank: 0, due: 0, position: (next + 1) * BLOCK }
  }

  async function up(after: Place): Promise<Place> {
    const block = Math.floor((after.position + 1) / BLOCK)
    if (block >= end) return after
    // What is behind the end is walked, also where the index knows a block of it already.
    const next = Math.min((await nearest(block)) ?? end, end)
    return next === block ? after : { ...placeOf(after), position: next * BLOCK - 1 }
  }

  switch (order) {
    case 'newest':
      return down
    case 'oldest':
      return (after = { rank: 0, due: 0, position: -1 }) => up(after)
    // What still has a deadline is open, and there is little of that: it is walked.
    case 'risk':
      return async (after) => (after?.due === NO_DEADLINE ? up(after) : after)
    case 'deadline':
      return async (after) => (after?.rank === NO_DEADLINE ? up(after) : after)
  }
}

function placeOf({ rank, due }: Place) {
  return { rank, due }
}
