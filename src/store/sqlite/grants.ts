import type { DatabaseSync } from 'node:sqlite'
import type { Grant } from '../../approval/grants/grant.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Plan } from '../engine/plan.ts'
import {
  type GrantCall,
  type Grants,
  grantLimit,
  grantPage,
  grantsBefore,
  MAX_CANDIDATES,
  type StoredUse,
} from '../grants.ts'
import { fromGrantBody } from '../sql/rows.ts'
import { integer, prepare, type Row, text, type Value } from './connection.ts'

export type GrantStatements = ReturnType<typeof prepareGrants>

export function prepareGrants(db: DatabaseSync) {
  const body = 'select id, position, body, seal from grants'
  return {
    grant: prepare(db, `${body} where tenant = ? and id = ?`),
    insertGrant: prepare(
      db,
      `insert into grants (tenant, id, revision, state, agent, tool, server, uses, most, minted_at,
         ends_at, body, seal)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateGrant: prepare(
      db,
      `update grants set revision = ?, state = ?, uses = ?, body = ?, seal = ?
       where tenant = ? and id = ? and revision = ?`,
    ),
    insertUse: prepare(
      db,
      'insert into grant_uses (tenant, grant_id, n, approval, at, amount) values (?, ?, ?, ?, ?, ?)',
    ),
    uses: prepare(
      db,
      `select grant_id, n, approval, at, amount from grant_uses
       where tenant = ? and grant_id = ? and n < ? order by n desc limit ?`,
    ),
    candidates: prepare(
      db,
      `${body} where tenant = ? and agent = ? and tool = ? and server is ? and state = 'live'
         and ends_at > ? order by ends_at, position limit ?`,
    ),
    isLive: prepare(
      db,
      `select 1 as found from grants
       where tenant = ? and agent = ? and tool = ? and state = 'live' limit 1`,
    ),
    due: prepare(
      db,
      `${body} where tenant = ? and state = 'live' and ends_at <= ? order by ends_at limit ?`,
    ),
    live: prepare(
      db,
      `select id from grants where tenant = ? and state = 'live' and id > ? order by id limit 64`,
    ),
    erasable: prepare(
      db,
      `select id from grants where tenant = ? and state <> 'live' and ends_at < ?
         and json_extract(body, '$.erased') is null and id > ? order by id limit 64`,
    ),
  }
}

export function readGrant(row: Row): Grant {
  return fromGrantBody(text(row, 'id'), text(row, 'body'), text(row, 'seal'))
}

/** Writes what a plan does to grants. A grant that made a use possible stands before its use. */
export function writeGrants(sql: GrantStatements, tenant: string, plan: Plan): void {
  for (const { before, row } of plan.grants) {
    const { id, revision, state, agent, tool, server, uses, most, minted_at, ends_at } = row
    const { body, seal } = row
    if (before) {
      const { revision: was } = before
      const changed = sql.updateGrant.run(revision, state, uses, body, seal, tenant, id, was)
      if (changed !== 1) {
        throw new CountersignError('internal', `grant ${id} changed while it was locked`)
      }
      continue
    }
    const place = [agent, tool, server, uses, most, minted_at, ends_at] as const
    sql.insertGrant.run(tenant, id, revision, state, ...place, body, seal)
  }
  for (const { grant, n, approval, at, amount } of plan.uses) {
    sql.insertUse.run(tenant, grant, n, approval, at, amount ?? null)
  }
}

export function createGrants(
  db: DatabaseSync,
  sql: GrantStatements,
  { tenant, clock, apply }: { tenant: string; clock: () => number; apply: Grants['apply'] },
): Grants {
  return {
    apply,
    async get(id) {
      const row = sql.grant.get(tenant, id)
      return row && readGrant(row)
    },
    async list({ state, agent, tool } = {}, { limit, after } = {}) {
      const values: Value[] = [tenant, grantsBefore(after)]
      const equal = Object.entries({ agent, tool }).flatMap(([column, value]) => {
        if (value === undefined) return []
        values.push(value)
        return [`and ${column} = ?`]
      })
      const states = state ? `and state in (${state.map(() => '?').join(', ')})` : ''
      values.push(...(state ?? []))
      const most = grantLimit(limit)
      const rows = prepare(
        db,
        `select id, position, body, seal from grants where tenant = ? and position < ?
           ${equal.join(' ')} ${states} order by position desc limit ?`,
      ).all(...values, most + 1)
      const found = rows.map((row) => ({
        item: readGrant(row),
        position: integer(row, 'position'),
      }))
      const { items, ...rest } = grantPage(found, most)
      return { grants: items, ...rest }
    },
    async uses(id, { limit, after } = {}) {
      const most = grantLimit(limit)
      const found = sql.uses
        .all(tenant, id, grantsBefore(after), most + 1)
        .map((row) => ({ item: useOf(row), position: integer(row, 'n') }))
      const { items, ...rest } = grantPage(found, most)
      return { uses: items, ...rest }
    },
    async due(limit = 100) {
      return sql.due.all(tenant, clock(), limit).map(readGrant)
    },
  }
}

/** Those that could cover a call now. */
export function candidates(
  sql: GrantStatements,
  tenant: string,
  { agent, tool, server }: GrantCall,
  now: number,
): Grant[] {
  return sql.candidates.all(tenant, agent, tool, server ?? null, now, MAX_CANDIDATES).map(readGrant)
}

function useOf(row: Row): StoredUse {
  return {
    grant: text(row, 'grant_id'),
    n: integer(row, 'n'),
    approval: text(row, 'approval'),
    at: integer(row, 'at'),
    ...(row.amount === null ? {} : { amount: integer(row, 'amount') }),
  }
}
