import type { ExecutionState, Status } from '../../approval/approval.ts'
import { RISKS, riskRank } from '../../base/call.ts'
import { type Candidate, NO_DEADLINE, type Paging } from '../engine/page.ts'
import type { Filter } from '../store.ts'
import type { Positions } from './asked-between.ts'
import { join, joined, type Sql, sql } from './sql.ts'

/*
 * Lists of approvals, in any order and by any filter, at a cost that does not grow with the history.
 *
 * An approval that time can still change (`due_at`) is open, and there are only as many of those as
 * people are behind with: they are found by one small index and sorted. The rest is history. Each of
 * its indexes holds (tenant, what is asked for, risk, position), so it is read from its end, risk by
 * risk, and no further than a page. A filter that no index holds looks through so many rows at once,
 * and the page then says where the next one goes on.
 */

export interface ListDialect {
  readonly table: string
  /** The column that finds a row again: one that the indexes hold anyway, or the key. */
  readonly key: string
}

/** Rows of each risk that are looked through for a filter that no index holds. */
const LOOKED_THROUGH = 500

/** Every risk there is, as the rows of `values`. */
export const RANKS = RISKS.map((risk) => `(${riskRank(risk)})`).join(', ')

type Execution = ExecutionState | 'none'
interface Outcome {
  readonly status: Status
  readonly execution: Execution
}

/** Everything that an approval can have come to, and whether time can still change it. */
const OUTCOMES: readonly (Outcome & { readonly open?: true; readonly over?: true })[] = [
  { status: 'pending', execution: 'none', open: true },
  { status: 'approved', execution: 'none', open: true, over: true },
  { status: 'approved', execution: 'running', open: true },
  { status: 'approved', execution: 'succeeded', over: true },
  { status: 'approved', execution: 'failed', over: true },
  { status: 'approved', execution: 'unknown', over: true },
  { status: 'denied', execution: 'none', over: true },
  { status: 'expired', execution: 'none', over: true },
  { status: 'withdrawn', execution: 'none', over: true },
  { status: 'invalidated', execution: 'none', over: true },
]

/** A filter by time comes with the positions that it can be among. */
export type ListFilter = Filter & { readonly positions?: Positions | undefined }

/** Undefined when nothing can be in it. */
export function listSql(
  dialect: ListDialect,
  tenant: string,
  filter: ListFilter,
  paging: Paging,
): Sql | undefined {
  const { table, key } = dialect
  const branches = branchesOf(narrowed(filter, paging)).map((branch) =>
    branchSql(dialect, tenant, branch, paging),
  )
  if (branches.length === 0) return undefined
  const columns = 'a.id, a.body, a.seal, f.position, f.rank, f.due, f.fits, f.edge'
  const orderBy = (of: string) => `order by ${of}rank, ${of}due, ${of}position ${downwards(paging)}`
  return joined`select ${sql(columns)} from (
    select * from (${join(branches, '\nunion all ')}) as found
    ${sql(orderBy(''))} limit ${paging.limit + 1}
  ) as f join ${sql(table)} a on a.tenant = ${tenant} and a.${sql(key)} = f.k
  ${sql(orderBy('f.'))}`
}

/** Of two bounds in one direction SQLite walks from the first: a later page would walk all before it. */
function narrowed(filter: ListFilter, { order, after }: Paging): ListFilter {
  const { positions } = filter
  if (!positions || !after) return filter
  const { from, to } = positions
  if (order === 'newest')
    return { ...filter, positions: { from, to: Math.min(to, after.position) } }
  if (order !== 'oldest') return filter
  return { ...filter, positions: { from: Math.max(from, after.position + 1), to } }
}

/** One part of a list: what an index finds in order, and what each row must be besides. */
interface Branch {
  readonly of: 'open' | 'over' | 'any'
  readonly found: readonly Sql[]
  readonly rest: readonly Sql[]
  /** Part of the index: rows of one risk are in order of their age. */
  readonly risk?: number
}

function branchesOf(filter: ListFilter): Branch[] {
  const wanted = OUTCOMES.filter(
    ({ status, execution }) =>
      (filter.status?.includes(status) ?? true) && (filter.execution?.includes(execution) ?? true),
  )
  const isEvery = wanted.length === OUTCOMES.length
  const outcomes = isEvery ? [] : [anyOf(wanted.map(outcomeSql))]
  const { agent, run, tool, server, digest } = filter
  const own = equal('agent', agent)
  const tools = equal('tool', tool)
  const others = [...equal('server', server), ...equal('asked_digest', digest)]
  const times = timesSql(filter)
  const risks = filter.risk && [anyOf(filter.risk.map((risk) => sql('risk = ?', riskRank(risk))))]
  if (wanted.length === 0 || filter.risk?.length === 0) return []
  if (run !== undefined) {
    // A run is as long as one task; what was denied in it is asked for with each of its calls.
    const isDenied = wanted.length === 1 && wanted[0]?.status === 'denied'
    const status = isDenied ? [sql("status = 'denied'")] : outcomes
    const all = [
      ...equal('run', run),
      ...own,
      ...tools,
      ...others,
      ...status,
      ...(risks ?? []),
      ...times,
    ]
    return [{ of: 'any', found: all, rest: [] }]
  }
  const open: Branch[] = wanted.some((one) => one.open)
    ? [
        {
          of: 'open',
          found: [...own, ...tools, ...others, ...outcomes, ...(risks ?? []), ...times],
          rest: [],
        },
      ]
    : []
  const over = wanted.filter((one) => one.over)
  if (over.length === 0) return open
  const isAll = over.length === OUTCOMES.filter((one) => one.over).length
  const ended = isAll ? [] : outcomes
  const among = [...positionsSql(filter), ...times]
  const byRisk = ({ found, rest }: Pick<Branch, 'found' | 'rest'>): Branch[] =>
    RISKS.filter((risk) => filter.risk?.includes(risk) ?? true).map((risk) => ({
      found: [...found, ...among],
      rest,
      of: 'over',
      risk: riskRank(risk),
    }))
  if (agent !== undefined) {
    return [...open, ...byRisk({ found: own, rest: [...tools, ...others, ...ended] })]
  }
  if (tool !== undefined) {
    return [...open, ...byRisk({ found: tools, rest: [...others, ...ended] })]
  }
  if (isAll) return [...open, ...byRisk({ found: [], rest: others })]
  return [...open, ...over.flatMap((one) => byRisk({ found: [outcomeSql(one)], rest: others }))]
}

function timesSql({ since, until }: Filter): Sql[] {
  return [
    ...(since === undefined ? [] : [sql('asked_at >= ?', since)]),
    ...(until === undefined ? [] : [sql('asked_at <= ?', until)]),
  ]
}

/** What keeps a filter by time from looking through everything before or behind it. */
function positionsSql({ positions }: ListFilter): Sql[] {
  if (!positions) return []
  return [sql('position >= ?', positions.from), sql('position < ?', positions.to)]
}

function branchSql(
  { table, key }: ListDialect,
  tenant: string,
  branch: Branch,
  paging: Paging,
): Sql {
  const { limit } = paging
  const { of, found, rest, risk } = branch
  const rank = rankSql(paging, of)
  const due = paging.order === 'risk' ? deadlineSql(of) : '0'
  const conditions = [
    sql('tenant = ?', tenant),
    ...(of === 'any' ? [] : [sql(`due_at is ${of === 'open' ? 'not ' : ''}null`)]),
    ...found,
    ...(risk === undefined ? [] : [sql('risk = ?', risk)]),
    ...afterSql(paging, branch, { rank, due }),
  ]
  // A rank that all of them share would be a sort, or for Postgres the number of a column.
  const isRanked = risk === undefined && /[a-z]/.test(rank)
  const ranks = [rank, due].filter((one) => /[a-z]/.test(one)).map((one) => `${one}, `)
  const inOrder = sql(`order by ${isRanked ? ranks.join('') : ''}position ${downwards(paging)}`)
  const columns = sql(`${key} as k, position, ${rank} as rank, ${due} as due`)
  if (rest.length === 0) {
    return joined`select * from (select ${columns}, 1 as fits, 0 as edge from ${sql(table)}
      where ${join(conditions, ' and ')} ${inOrder} limit ${limit + 1}) as b`
  }
  return joined`select k, position, rank, due, fits, edge from (
      select k, position, rank, due, fits,
        case when row_number() over (order by position ${sql(downwards(paging))}) = ${LOOKED_THROUGH}
          then 1 else 0 end as edge
      from (select ${columns}, case when ${join(rest, ' and ')} then 1 else 0 end as fits
        from ${sql(table)} where ${join(conditions, ' and ')} ${inOrder} limit ${LOOKED_THROUGH}) as w
    ) as b where fits = 1 or edge = 1`
}

/** What comes after the last page. A row of another risk than the cursor's is before it, or after. */
function afterSql(
  { order, after }: Paging,
  { of, risk }: Branch,
  { rank, due }: { readonly rank: string; readonly due: string },
): Sql[] {
  if (after === undefined) return []
  const { position } = after
  if (order === 'newest') return [sql('position < ?', position)]
  const older = sql('position > ?', position)
  if (order === 'oldest') return [older]
  const known = order === 'risk' && risk !== undefined ? -risk : undefined
  const own = known ?? (order === 'deadline' && of === 'over' ? NO_DEADLINE : undefined)
  if (own === undefined) {
    return order === 'risk'
      ? [sql(`(${rank}, ${due}, position) > (?, ?, ?)`, after.rank, after.due, position)]
      : [sql(`(${rank}, position) > (?, ?)`, after.rank, position)]
  }
  // What is over has no deadline, so it stands behind all of its risk that has one.
  if (own === after.rank) return order === 'risk' && after.due < NO_DEADLINE ? [] : [older]
  return own > after.rank ? [] : [sql('1 = 0')]
}

function rankSql({ order }: Paging, of: Branch['of']): string {
  if (order === 'risk') return '-risk'
  return order === 'deadline' ? deadlineSql(of) : '0'
}

function deadlineSql(of: Branch['of']): string {
  if (of === 'over') return String(NO_DEADLINE)
  return of === 'open'
    ? 'decide_by'
    : `case when due_at is null then ${NO_DEADLINE} else decide_by end`
}

function downwards({ order }: Paging): string {
  return order === 'newest' ? 'desc' : 'asc'
}

/** Spelled as the index spells it: Postgres finds rows by `is null`, but does not see their order. */
function outcomeSql({ status, execution }: Outcome): Sql {
  return sql("(status = ? and coalesce(execution, 'none') = ?)", status, execution)
}

function anyOf(some: readonly Sql[]): Sql {
  return joined`(${join(some, ' or ')})`
}

function equal(column: string, value: string | undefined): Sql[] {
  return value === undefined ? [] : [sql(`${column} = ?`, value)]
}

/** What both drivers make of a row, once they read its columns. */
export function candidateOf(
  row: {
    readonly position: number
    readonly rank: number
    readonly due: number
    readonly fits: number
    readonly edge: number
  },
  approval: () => Candidate['approval'],
): Candidate {
  const { position, rank, due, fits, edge } = row
  return { position, rank, due, approval: fits === 1 ? approval() : undefined, isEdge: edge === 1 }
}
