import type { QueryResult } from 'pg'
import type { Grant } from '../../approval/grants/grant.ts'
import { type Grants, grantLimit, grantPage, grantsBefore, type StoredUse } from '../grants.ts'
import { fromGrantBody } from '../sql/rows.ts'
import { numberOf, type Row, textOf } from './connect.ts'

const GRANT = 'select id, position, body, seal from countersign.grants where tenant = $1'

export function readGrant(row: Row): Grant {
  return fromGrantBody(textOf(row, 'id'), textOf(row, 'body'), textOf(row, 'seal'))
}

export interface GrantParts {
  readonly tenant: string
  readonly query: (sql: string, values: readonly unknown[]) => Promise<QueryResult<Row>>
  readonly now: () => Promise<number>
  readonly apply: Grants['apply']
}

export function createGrants({ tenant, query, now, apply }: GrantParts): Grants {
  return {
    apply,
    async get(id) {
      const [row] = (await query(`${GRANT} and id = $2`, [tenant, id])).rows
      return row && readGrant(row)
    },
    async list({ state, agent, tool } = {}, { limit, after } = {}) {
      const most = grantLimit(limit)
      const { rows } = await query(
        `${GRANT} and position < $2 and ($3::text[] is null or state = any($3))
           and ($4::text is null or agent = $4) and ($5::text is null or tool = $5)
         order by position desc limit $6`,
        [tenant, grantsBefore(after), state ?? null, agent ?? null, tool ?? null, most + 1],
      )
      const found = rows.map((row) => ({
        item: readGrant(row),
        position: numberOf(row, 'position'),
      }))
      const { items, ...rest } = grantPage(found, most)
      return { grants: items, ...rest }
    },
    async uses(id, { limit, after } = {}) {
      const most = grantLimit(limit)
      const { rows } = await query(
        `select grant_id, n, approval, at, amount from countersign.grant_uses
         where tenant = $1 and grant_id = $2 and n < $3 order by n desc limit $4`,
        // The numbers of uses are small; an endless page begins past all of them.
        [tenant, id, Math.min(grantsBefore(after), 2_147_483_647), most + 1],
      )
      const found = rows.map((row) => ({ item: useOf(row), position: numberOf(row, 'n') }))
      const { items, ...rest } = grantPage(found, most)
      return { uses: items, ...rest }
    },
    async due(limit = 100) {
      const { rows } = await query(
        `${GRANT} and state = 'live' and ends_at <= $2 order by ends_at limit $3`,
        [tenant, await now(), limit],
      )
      return rows.map(readGrant)
    },
  }
}

function useOf(row: Row): StoredUse {
  return {
    grant: textOf(row, 'grant_id'),
    n: numberOf(row, 'n'),
    approval: textOf(row, 'approval'),
    at: numberOf(row, 'at'),
    ...(row.amount === null ? {} : { amount: Number(row.amount) }),
  }
}
