import type { Approval } from '../../approval/approval.ts'
import { riskRank } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { hasAnswered } from '../search/words.ts'
import { lookAt, riskOf } from '../sql/rows.ts'
import type { Filter, Order, Page, PageRequest } from '../store.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

/** An approval, and how many came before it. */
export interface Placed {
  readonly approval: Approval
  readonly position: number
}

/** Where something stands in an order: by rank, deadline and position, so that no two are equal. */
export interface Place {
  readonly rank: number
  /** Orders among equals by risk; 0 in all other orders. */
  readonly due: number
  readonly position: number
}

/** One step through a list: an approval, or the end of what was looked through for this page. */
export interface Candidate extends Place {
  readonly approval: Approval | undefined
  /** Nothing behind it was looked at; the next page goes on from here. */
  readonly isEdge?: boolean
}

export interface Paging {
  readonly order: Order
  readonly limit: number
  /** The last approval of the page before. */
  readonly after: Place | undefined
}

/** What is over has no deadline any more, and comes after everything that has one. */
export const NO_DEADLINE = Number.MAX_SAFE_INTEGER

/**
 * Sorted upwards. Among equals by risk, the one with the least time left comes first; otherwise the
 * oldest, and with `newest` the newest.
 */
const RANKS: Readonly<Record<Order, ((approval: Approval) => number) | undefined>> = {
  oldest: undefined,
  newest: undefined,
  risk: (approval) => -riskOf(approval),
  deadline: deadlineOf,
}

function deadlineOf(approval: Approval): number {
  return lookAt(approval) === undefined ? NO_DEADLINE : approval.decideBy
}

export function pagingOf({ order = 'oldest', limit = DEFAULT_LIMIT, after }: PageRequest): Paging {
  if (!Object.hasOwn(RANKS, order)) {
    throw new CountersignError('invalid_value', `there is no order ${order}`)
  }
  const whole = Number.isSafeInteger(limit) ? limit : DEFAULT_LIMIT
  return {
    order,
    limit: Math.min(Math.max(whole, 1), MAX_LIMIT),
    after: after === undefined ? undefined : readCursor(order, after),
  }
}

/** Of candidates in order, one more than fit: to know whether there is a next page. */
export function pageOf(found: readonly Candidate[], { order, limit }: Paging): Page {
  const approvals: Approval[] = []
  let last: Candidate | undefined
  for (const one of found) {
    if (approvals.length === limit && last) return { approvals, next: cursorOf(order, last) }
    if (one.approval) approvals.push(one.approval)
    if (one.isEdge) return { approvals, next: cursorOf(order, one) }
    last = one
  }
  return { approvals }
}

/** The cursor of the page that begins after this place. */
export function cursorOf(order: Order, { rank, due, position }: Place): string {
  const before = order === 'risk' ? [rank, due] : RANKS[order] ? [rank] : []
  return [order, ...before, position].join('.')
}

function readCursor(order: Order, text: string): Place {
  const [of, ...numbers] = text.split('.')
  const length = order === 'risk' ? 3 : RANKS[order] ? 2 : 1
  const isOurs = of === order && numbers.length === length
  if (!isOurs || !numbers.every((number) => /^-?\d{1,16}$/.test(number))) {
    throw new CountersignError('cursor_unknown', `this is no place in a list by ${order}`)
  }
  const [rank = 0, due = 0] = length === 1 ? [] : numbers.map(Number)
  return { rank, due: length === 3 ? due : 0, position: Number(numbers.at(-1)) }
}

/** What the SQL stores leave to the database, for approvals in memory. */
export function pageInMemory(
  all: Iterable<Placed>,
  fits: (approval: Approval) => boolean,
  paging: Paging,
): Page {
  const { order, limit, after } = paging
  const found = [...all]
    .filter(({ approval }) => fits(approval))
    .map(({ approval, position }) => ({
      approval,
      position,
      rank: RANKS[order]?.(approval) ?? 0,
      due: order === 'risk' ? deadlineOf(approval) : 0,
    }))
    .filter((one) => after === undefined || compare(order, one, after) > 0)
    .sort((a, b) => compare(order, a, b))
  return pageOf(found.slice(0, limit + 1), paging)
}

function compare(order: Order, one: Place, two: Place): number {
  const byAge = one.position - two.position
  return one.rank - two.rank || one.due - two.due || (order === 'newest' ? -byAge : byAge)
}

/** Whether a list with this filter would hold it, whatever its text. */
export function matchesFilter(filter: Filter, approval: Approval): boolean {
  const { call, status, execution, askedDigest, askedAt } = approval
  const same = <T>(want: T | undefined, got: T | undefined) => want === undefined || want === got
  return (
    same(filter.agent, call.agent) &&
    same(filter.run, call.run) &&
    same(filter.tool, call.tool) &&
    same(filter.server, call.server) &&
    same(filter.digest, askedDigest) &&
    (filter.status?.includes(status) ?? true) &&
    (filter.execution?.includes(execution?.state ?? 'none') ?? true) &&
    (filter.risk?.some((risk) => riskRank(risk) === riskOf(approval)) ?? true) &&
    askedAt >= (filter.since ?? 0) &&
    askedAt <= (filter.until ?? Number.MAX_SAFE_INTEGER) &&
    (filter.person === undefined || hasAnswered(approval, filter.person))
  )
}
