import type { AuditBody } from '../audit/audit-entry.ts'
import { join, joined, type Sql, sql } from './sql.ts'

/** Entries that an index finds. Without any, all of them. */
export interface About {
  readonly approval?: string
  /** Rare ones only: see `areRare`. */
  readonly types?: readonly string[]
  /** Recorded at this moment or later. */
  readonly since?: number
  /** Recorded at this moment or earlier. */
  readonly until?: number
}

type Type = AuditBody['event']['type']

/** The steps of a usual call. They are met everywhere, so that no index has to hold them. */
const COMMON: readonly Type[] = ['requested', 'decided', 'approved', 'claimed', 'finished']

/** As the index says it, word for word: otherwise a database does not believe that it holds them. */
export const IS_RARE = {
  sqlite: COMMON.map((type) => `type <> '${type}'`).join(' and '),
  postgres: `type not in (${COMMON.map((type) => `'${type}'`).join(', ')})`,
}

/** Whether entries of these types are found without looking through the others. */
export function areRare(types: readonly string[]): boolean {
  return !types.some((type) => COMMON.includes(type as Type))
}

export interface FeedDialect {
  readonly table: string
  readonly columns: string
  /** The columns that put entries in order. */
  readonly order: readonly string[]
  /** What an index of rare types says of them. */
  readonly isRare: string
}

export interface FeedPage {
  readonly about: About
  /** Where it begins. */
  readonly where: Sql
  readonly isDown: boolean
}

export function feedSql(
  { table, columns, order, isRare }: FeedDialect,
  page: FeedPage & { readonly tenant: string; readonly limit: number },
): Sql {
  const { tenant, about, where, isDown, limit } = page
  const inOrder = (of: string) =>
    sql(`order by ${order.map((one) => `${of}${one}${isDown ? ' desc' : ''}`).join(', ')}`)
  const { approval, types, since, until } = about
  const times = [
    ...(since === undefined ? [] : [sql(' and at >= ?', since)]),
    ...(until === undefined ? [] : [sql(' and at <= ?', until)]),
  ]
  const part = (own: Sql) => joined`select * from (
    select ${sql(columns)} from ${sql(table)} e
    where tenant = ${tenant} and ${own} and ${where}${join(times, '')} ${inOrder('e.')}
    limit ${limit}) as part`
  if (approval !== undefined) return part(sql('approval = ?', approval))
  if (types === undefined) return part(sql('1 = 1'))
  const parts = types.map((type) => part(joined`type = ${type} and ${sql(isRare)}`))
  return joined`${join(parts, '\nunion all ')} ${inOrder('')} limit ${limit}`
}
