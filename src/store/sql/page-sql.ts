import { ORDERS, type Paging } from '../engine/page.ts'
import type { Filter } from '../store.ts'

/** Names the next parameter of a statement: `?`, or `$3`. */
export type Bind = (value: string | number) => string

/** The conditions of a filter. */
export function filterSql(filter: Filter, bind: Bind): string[] {
  const { status, execution } = filter
  const equal = [
    ['agent', filter.agent],
    ['run', filter.run],
    ['tool', filter.tool],
    ['server', filter.server],
    ['asked_digest', filter.digest],
  ] as const
  const conditions = equal.flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${bind(value)}`],
  )
  if (status !== undefined) conditions.push(anyOf('status', status, bind))
  if (execution !== undefined)
    conditions.push(anyOf("coalesce(execution, 'none')", execution, bind))
  // Whatever is pending can still run out of time; said aloud, it lets the smaller index be used.
  if (isPendingOnly(filter)) conditions.push('due_at is not null')
  return conditions
}

export function isPendingOnly({ status }: Filter): boolean {
  return status?.length === 1 && status[0] === 'pending'
}

function anyOf(what: string, values: readonly string[], bind: Bind): string {
  if (values.length === 0) return '1 = 0'
  return `${what} in (${values.map(bind).join(', ')})`
}

export function orderBySql({ order }: Paging): string {
  return ORDERS[order].map(({ column, down }) => `${column} ${down ? 'desc' : 'asc'}`).join(', ')
}

/** What comes after the last page; spelled out, because the directions differ. */
export function afterSql({ order, after }: Paging, bind: Bind): string[] {
  if (after === undefined) return []
  const keys = ORDERS[order]
  const value = (index: number) => bind(after[index] ?? 0)
  const steps = keys.map(({ column, down }, index) => {
    const equal = keys.slice(0, index).map((key, at) => `${key.column} = ${value(at)}`)
    return `(${[...equal, `${column} ${down ? '<' : '>'} ${value(index)}`].join(' and ')})`
  })
  return [`(${steps.join(' or ')})`]
}
