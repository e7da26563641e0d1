/** What the list shows, and how it keeps still under the pointer. */

import type { ApprovalRow } from '../../../../src/api/approval.ts'
import type { ApprovalState } from '../../../../src/api/approval-acts.ts'
import type { Status } from '../../../../src/api/common.ts'
import { msg, plural, t } from '../../lib/language/t.ts'

/** What the list can be sorted by. */
export const ORDER_WORDS = {
  risk: msg('Risk, then time left'),
  deadline: msg('Time left'),
  newest: msg('Newest first'),
} as const

/** One line: a call, or several identical ones that wait for answers of their own. */
export interface Item {
  readonly row: ApprovalRow
  readonly ids: readonly string[]
  /** It left the list, and says how until this moment. */
  readonly settled?: { readonly status: Status | 'mixed'; readonly until: number }
}

const SETTLED_MS = 4_000

/** Calls with the same digest are the same call, asked for more than once. */
export function groupIdentical(rows: readonly ApprovalRow[]): readonly Item[] {
  const groups = new Map<string, { row: ApprovalRow; ids: string[] }>()
  for (const row of rows) {
    const group = groups.get(row.digest)
    if (group === undefined) groups.set(row.digest, { row, ids: [row.id] })
    else group.ids.push(row.id)
  }
  return [...groups.values()]
}

/** What the page heard of calls outside of its lists. */
export interface Known {
  readonly lastStatus: (id: string) => Status | undefined
  /** What the server said of it when this person answered it. */
  readonly answered?: (id: string) => Pick<ApprovalState, 'message' | 'values' | 'met'> | undefined
}

export interface Steady {
  readonly items: readonly Item[]
  /** How many are kept back until the pointer leaves. */
  readonly arrived: number
}

/**
 * The next picture of the list. Held, nothing moves: what came is counted, what went says so in
 * its place. Let go, the fresh order holds, and what went stays a moment where it was.
 */
export function steady(
  shown: readonly Item[],
  fresh: readonly Item[],
  { hold, now, ...known }: { readonly hold: boolean; readonly now: number } & Known,
): Steady {
  const byId = new Map(fresh.flatMap((item) => item.ids.map((id) => [id, item] as const)))
  const used = new Set<Item>()
  const kept = shown.flatMap((item): Item[] => {
    const next = item.ids.map((id) => byId.get(id)).find((found) => found !== undefined)
    if (next !== undefined) {
      if (used.has(next)) return []
      used.add(next)
      return [next]
    }
    return leaving(item, now, hold, known)
  })
  if (hold) return { items: kept, arrived: fresh.length - used.size }
  const items = [...fresh]
  kept.forEach((item, at) => {
    if (item.settled !== undefined) items.splice(Math.min(at, items.length), 0, item)
  })
  return { items, arrived: 0 }
}

function leaving(item: Item, now: number, hold: boolean, { lastStatus, answered }: Known): Item[] {
  if (item.settled !== undefined) return hold || item.settled.until > now ? [item] : []
  const statuses = new Set(item.ids.map((id) => lastStatus(id)))
  const [first] = statuses
  const answer = answered?.(item.row.id)
  // No status was received: it may just not match the search any more. The same holds for one that
  // still waits, unless this person's answer took it out of the list.
  if (first === undefined || (first === 'pending' && answer === undefined)) return []
  const status = statuses.size === 1 ? first : 'mixed'
  const { message, values, met = item.row.met } = answer ?? {}
  // An edit makes another question, and its positions with it.
  const row = { ...item.row, met, ...(message === undefined ? {} : { message, values }) }
  return [{ ...item, row, settled: { status, until: now + SETTLED_MS } }]
}

/** `2 new calls, 1 high risk`, for those who cannot see them come. */
export function announcement(before: ReadonlySet<string>, rows: readonly ApprovalRow[]): string {
  const fresh = rows.filter(({ id }) => !before.has(id))
  if (fresh.length === 0) return ''
  const high = fresh.filter(({ risk }) => risk === 'L4' || risk === 'L5').length
  const calls = plural(fresh.length, '{n} new call', '{n} new calls')
  return high === 0 ? calls : t('{calls}, {high} high risk', { calls, high })
}
