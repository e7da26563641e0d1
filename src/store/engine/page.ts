import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { riskOf } from '../sql/row-columns.ts'
import type { Filter, Order, Page, PageRequest } from '../store.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

/** An approval, and how many came before it. */
export interface Placed {
  readonly approval: Approval
  readonly position: number
}

export interface Paging {
  readonly order: Order
  readonly limit: number
  /** Sort values of the last approval of the page before. */
  readonly after: readonly number[] | undefined
}

interface SortKey {
  readonly column: string
  readonly down: boolean
  readonly of: (placed: Placed) => number
}

const age: SortKey = { column: 'position', down: false, of: ({ position }) => position }
const risk: SortKey = { column: 'risk', down: true, of: ({ approval }) => riskOf(approval) }
const deadline: SortKey = {
  column: 'decide_by',
  down: false,
  of: ({ approval }) => approval.decideBy,
}

/** Every order ends with the position, so that no two approvals are equal. */
export const ORDERS: Readonly<Record<Order, readonly SortKey[]>> = {
  oldest: [age],
  newest: [{ ...age, down: true }],
  risk: [risk, age],
  deadline: [deadline, age],
}

export function pagingOf({ order = 'oldest', limit = DEFAULT_LIMIT, after }: PageRequest): Paging {
  if (!Object.hasOwn(ORDERS, order)) {
    throw new CountersignError('invalid_value', `there is no order ${order}`)
  }
  const whole = Number.isSafeInteger(limit) ? limit : DEFAULT_LIMIT
  return {
    order,
    limit: Math.min(Math.max(whole, 1), MAX_LIMIT),
    after: after === undefined ? undefined : readCursor(order, after),
  }
}

/** Of one more than a page was asked for, to know whether there is a next one. */
export function pageOf(found: readonly Placed[], { order, limit }: Paging): Page {
  const shown = found.slice(0, limit)
  const approvals = shown.map(({ approval }) => approval)
  const last = shown.at(-1)
  if (found.length <= limit || last === undefined) return { approvals }
  return { approvals, next: [order, ...ORDERS[order].map(({ of }) => of(last))].join('.') }
}

function readCursor(order: Order, text: string): readonly number[] {
  const [of, ...numbers] = text.split('.')
  const isOurs = of === order && numbers.length === ORDERS[order].length
  if (isOurs && numbers.every((number) => /^\d{1,16}$/.test(number))) return numbers.map(Number)
  throw new CountersignError('cursor_unknown', `this is no place in a list by ${order}`)
}

/** What the SQL stores leave to the database, for approvals in memory. */
export function pageInMemory(all: Iterable<Placed>, filter: Filter, paging: Paging): Page {
  const { order, limit, after } = paging
  const found = [...all]
    .filter(({ approval }) => matches(filter, approval))
    .filter((placed) => after === undefined || compare(order, valuesOf(order, placed), after) > 0)
    .sort((a, b) => compare(order, valuesOf(order, a), valuesOf(order, b)))
  return pageOf(found.slice(0, limit + 1), paging)
}

function valuesOf(order: Order, placed: Placed): readonly number[] {
  return ORDERS[order].map(({ of }) => of(placed))
}

function compare(order: Order, one: readonly number[], two: readonly number[]): number {
  for (const [index, { down }] of ORDERS[order].entries()) {
    const difference = (one[index] ?? 0) - (two[index] ?? 0)
    if (difference !== 0) return down ? -difference : difference
  }
  return 0
}

function matches(filter: Filter, { call, status, execution, askedDigest }: Approval): boolean {
  const same = <T>(want: T | undefined, got: T | undefined) => want === undefined || want === got
  return (
    same(filter.agent, call.agent) &&
    same(filter.run, call.run) &&
    same(filter.tool, call.tool) &&
    same(filter.server, call.server) &&
    same(filter.digest, askedDigest) &&
    (filter.status?.includes(status) ?? true) &&
    (filter.execution?.includes(execution?.state ?? 'none') ?? true)
  )
}
